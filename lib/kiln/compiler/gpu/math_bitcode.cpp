#include "compiler/gpu/math_bitcode.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "kiln/error.hpp"
#include "library/arch.hpp"
#include "library/python_packages.hpp"

namespace kiln::backend::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBitcode = "BC\xc0\xde";
constexpr std::string_view kLibdeviceMark = "+libdevice-";
constexpr std::string_view kOcmlMark = "+ocml-";

const char* variable_of(DeviceKind kind) {
  return kind == DeviceKind::hip ? "KILN_OCML" : "KILN_LIBDEVICE";
}
std::string advice(DeviceKind kind) {
  return std::string("; ") + variable_of(kind) + " names its file, and kiln's own functions serve where it is not set";
}

std::string bitcode_of(const std::string& path, DeviceKind kind) {
  base::FileError error;
  auto contents = base::read_file(path, {}, &error);
  if (!contents) throw DeviceError(error.text + advice(kind));
  std::string bytes = std::move(contents->bytes);
  if (!bytes.starts_with(kBitcode)) throw DeviceError(path + " is no bitcode of LLVM's" + advice(kind));
  return bytes;
}

/// What ocml.bc asks for: IEEE's numbers, and the architecture.
std::vector<std::string> settings_of(const std::string& target) {
  const std::string version = target.substr(3, target.find(':') - 3);  // "90a" of "gfx90a:xnack-"
  return {"oclc_finite_only_off.bc",
          "oclc_unsafe_math_off.bc",
          "oclc_daz_opt_off.bc",
          "oclc_correctly_rounded_sqrt_on.bc",
          wave_of(target) == 64 ? "oclc_wavefrontsize64_on.bc" : "oclc_wavefrontsize64_off.bc",
          "oclc_isa_version_" + version + ".bc"};
}

std::string digest_of(const MathBitcode& bitcode) {
  constexpr std::size_t kDigits = 12;
  base::Hasher128 hasher;
  for (const auto& [name, bytes] : bitcode.files) hasher.update(bytes);
  return base::to_hex(hasher.result()).substr(0, kDigits);
}

}  // namespace

std::vector<std::string> math_bitcode_places(DeviceKind kind) {
  std::vector<std::string> places;
  const auto add = [&](const char* variable, const char* below) {
    const std::string home = base::env(variable).value_or("");
    if (!home.empty()) places.push_back(home + below);
  };
  // Of pip's packages those that are there: the list of what was tried stays short.
  const auto add_packaged = [&](const char* below) {
    for (const std::string& packages : python_packages()) {
      std::error_code error;
      if (fs::exists(packages + below, error)) places.push_back(packages + below);
    }
  };
  if (kind == DeviceKind::cuda) {
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) add(variable, "/nvvm/libdevice/libdevice.10.bc");
    places.insert(places.end(),
                  {"/usr/local/cuda/nvvm/libdevice/libdevice.10.bc", "/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"});
    add("CONDA_PREFIX", "/nvvm/libdevice/libdevice.10.bc");
    add_packaged("/nvidia/cu13/nvvm/libdevice/libdevice.10.bc");
    add_packaged("/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc");
    return places;
  }
  add("HIP_DEVICE_LIB_PATH", "/ocml.bc");
  for (const char* variable : {"ROCM_PATH", "HIP_PATH"}) add(variable, "/amdgcn/bitcode/ocml.bc");
  places.insert(places.end(), {"/opt/rocm/amdgcn/bitcode/ocml.bc", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc"});
  // Of Debian 13 and Ubuntu 24.04: a package for each version of Clang.
  constexpr int kNewest = 22;
  for (int version = kNewest; version >= 17; --version) {
    const std::string number = std::to_string(version);
    const std::string path = "/usr/lib/llvm-" + number + "/lib/clang/" + number + "/amdgcn/bitcode/ocml.bc";
    std::error_code error;
    if (fs::exists(path, error)) places.push_back(path);
  }
  add_packaged("/_rocm_sdk_core/lib/llvm/amdgcn/bitcode/ocml.bc");
  return places;
}

std::shared_ptr<const MathBitcode> math_bitcode(const std::string& target, const std::string& path) {
  const DeviceKind kind = vendor_of(target).value_or(DeviceKind::cuda);
  auto made = std::make_shared<MathBitcode>();
  made->files.emplace_back(kind == DeviceKind::hip ? "ocml.bc" : "libdevice.10.bc", bitcode_of(path, kind));
  if (kind == DeviceKind::hip) {
    for (const std::string& name : settings_of(target)) {
      const std::string file = (fs::path(path).parent_path() / name).string();
      std::error_code error;
      if (!fs::exists(file, error)) {
        throw DeviceError(path + " does not go with " + target + ": there is no " + name + " beside it" + advice(kind));
      }
      made->files.emplace_back(name, bitcode_of(file, kind));
    }
  }
  made->mark = std::string(kind == DeviceKind::hip ? kOcmlMark : kLibdeviceMark) + digest_of(*made);
  return made;
}

std::shared_ptr<const MathBitcode> wanted_math_bitcode(const std::string& target) {
  const DeviceKind kind = vendor_of(target).value_or(DeviceKind::cuda);
  std::string path = base::env(variable_of(kind)).value_or("");
  if (path.empty()) return nullptr;
  static std::mutex mutex;
  static auto* const read = new std::map<std::string, std::shared_ptr<const MathBitcode>>;
  const std::lock_guard guard(mutex);
  auto& found = (*read)[kind == DeviceKind::hip ? target : "libdevice"];
  if (found) return found;
  if (path == "auto") {
    std::string tried;
    path.clear();
    for (const std::string& place : math_bitcode_places(kind)) {
      std::error_code error;
      if (fs::exists(place, error)) {
        path = place;
        break;
      }
      tried += (tried.empty() ? "" : ", ") + place;
    }
    if (path.empty()) {
      throw DeviceError(std::string(kind == DeviceKind::hip ? "ocml.bc" : "libdevice.10.bc") + " was not found: tried " +
                        tried + advice(kind));
    }
  }
  found = math_bitcode(target, path);
  return found;
}

bool has_math_bitcode(std::string_view compiler) {
  return compiler.find(kLibdeviceMark) != std::string_view::npos || compiler.find(kOcmlMark) != std::string_view::npos;
}

}  // namespace kiln::backend::gpu
