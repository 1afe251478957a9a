// Where vendors' libraries are looked for: pip's and conda's places, by folders that a test makes.
#include "library/library.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../base/temporary_directory.hpp"
#include "compiler/gpu/math_bitcode.hpp"
#include "library/python_packages.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend::gpu;
using kiln::test::TemporaryDirectory;
using kiln::test::write_text;
namespace fs = std::filesystem;

/// Sets variables as long as it lives; null: unset.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name);
      before_.emplace_back(name, before != nullptr ? std::optional<std::string>(before) : std::nullopt);
      value != nullptr ? setenv(name, value, 1) : unsetenv(name);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

void make_file(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  write_text(path, "library");
}

bool comes_before(const std::vector<std::string>& list, const std::string& a, const std::string& b) {
  const auto first = std::find(list.begin(), list.end(), a);
  return first != list.end() && std::find(first, list.end(), b) != list.end();
}

}  // namespace

TEST_CASE("gpu library: folders of Python's packages, the environment's first and newer Pythons before older ones") {
  const TemporaryDirectory folder;
  const std::string venv = folder / "venv";
  const std::string conda = folder / "conda";
  const std::string home = folder / "home";
  for (const std::string& packages : {venv + "/lib/python3.9/site-packages", venv + "/lib/python3.12/site-packages",
                                      conda + "/lib/python3.11/site-packages", home + "/.local/lib/python3.11/site-packages"}) {
    fs::create_directories(packages);
  }
  {
    const Environment set({{"VIRTUAL_ENV", venv.c_str()}, {"CONDA_PREFIX", conda.c_str()}, {"HOME", home.c_str()}});
    const std::vector<std::string> all = python_packages();
    REQUIRE(all.size() >= 4);
    CHECK(std::vector(all.begin(), all.begin() + 3) == std::vector<std::string>{venv + "/lib/python3.12/site-packages",
                                                                                venv + "/lib/python3.9/site-packages",
                                                                                conda + "/lib/python3.11/site-packages"});
    CHECK(comes_before(all, conda + "/lib/python3.11/site-packages", home + "/.local/lib/python3.11/site-packages"));
  }
  {
    const std::string listed =
        conda + "/lib/python3.11/site-packages/:relative::" + home + "/nowhere:" + venv + "/lib/python3.9/site-packages";
    const Environment set({{"KILN_PYTHON_PACKAGES", listed.c_str()}, {"VIRTUAL_ENV", venv.c_str()}, {"HOME", nullptr}});
    const std::vector<std::string> all = python_packages();
    REQUIRE(all.size() >= 3);
    CHECK(std::vector(all.begin(), all.begin() + 3) == std::vector<std::string>{conda + "/lib/python3.11/site-packages",
                                                                                venv + "/lib/python3.9/site-packages",
                                                                                venv + "/lib/python3.12/site-packages"});
  }
  const Environment set({{"VIRTUAL_ENV", "venv"}, {"CONDA_PREFIX", ""}, {"HOME", nullptr}});
  for (const std::string& packages : python_packages()) {
    CAPTURE(packages);
    CHECK(packages.starts_with("/"));
    CHECK_FALSE(packages.starts_with(folder.path()));
  }
}

TEST_CASE("gpu library: the vendors' bitcode of pip and of conda, behind the toolkit's") {
  const TemporaryDirectory folder;
  const std::string packages = folder / "venv/lib/python3.11/site-packages/";
  const std::string of_pip = packages + "nvidia/cu13/nvvm/libdevice/libdevice.10.bc";
  const std::string of_older_pip = packages + "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc";
  const std::string of_conda = folder / "conda/nvvm/libdevice/libdevice.10.bc";
  const std::string of_toolkit = folder / "cuda/nvvm/libdevice/libdevice.10.bc";
  const std::string of_rocm = packages + "_rocm_sdk_core/lib/llvm/amdgcn/bitcode/ocml.bc";
  for (const std::string& file : {of_pip, of_rocm}) make_file(file);
  const Environment set({{"VIRTUAL_ENV", (folder / "venv").c_str()},
                         {"CONDA_PREFIX", (folder / "conda").c_str()},
                         {"CUDA_PATH", (folder / "cuda").c_str()}});
  const std::vector<std::string> all = kiln::backend::gpu::math_bitcode_places(DeviceKind::cuda);
  CHECK(comes_before(all, of_toolkit, of_conda));
  CHECK(comes_before(all, of_conda, of_pip));
  CHECK(std::find(all.begin(), all.end(), of_older_pip) == all.end());  // not there
  const std::vector<std::string> of_amd = kiln::backend::gpu::math_bitcode_places(DeviceKind::hip);
  CHECK(std::find(of_amd.begin(), of_amd.end(), of_rocm) != of_amd.end());
}

TEST_CASE("gpu library: NVRTC of pip and of conda, behind the toolkit's of the same release") {
  const TemporaryDirectory folder;
  const std::string packages = folder / "venv/lib/python3.11/site-packages/";
  const std::string of_pip_12 = packages + "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  const std::string of_pip_13 = packages + "nvidia/cu13/lib/libnvrtc.so.13";
  const std::string of_conda = folder / "conda/lib/libnvrtc.so.12";
  const std::string of_toolkit = folder / "cuda/lib64/libnvrtc.so.12";
  for (const std::string& file : {of_pip_12, of_pip_13, of_conda, of_toolkit}) make_file(file);
  const Environment set({{"VIRTUAL_ENV", (folder / "venv").c_str()},
                         {"CONDA_PREFIX", (folder / "conda").c_str()},
                         {"CUDA_PATH", (folder / "cuda").c_str()},
                         {"CUDA_HOME", nullptr},
                         {"LD_LIBRARY_PATH", nullptr},
                         {"KILN_NVRTC", nullptr}});
  const LibrarySearch& search = dialect_of(DeviceKind::cuda).compiler_library;
  const std::vector<std::string> all = candidates(search);
  CHECK(comes_before(all, of_pip_13, of_toolkit));
  CHECK(comes_before(all, of_toolkit, of_conda));
  CHECK(comes_before(all, of_conda, of_pip_12));
  // With a driver for CUDA 12.
  const std::vector<std::string> older = candidates(search, {}, 12);
  CHECK(std::find(older.begin(), older.end(), of_pip_13) == older.end());
  CHECK(std::find(older.begin(), older.end(), of_pip_12) != older.end());
  // Only folders that are there are in the list of what was tried.
  const std::string absent = folder / "conda/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  CHECK(std::find(all.begin(), all.end(), absent) == all.end());
  const Environment named({{"KILN_NVRTC", of_pip_12.c_str()}});
  CHECK(candidates(search) == std::vector<std::string>{of_pip_12});
}

TEST_CASE("gpu library: hipRTC of pip") {
  const TemporaryDirectory folder;
  const std::string of_pip = folder / "venv/lib/python3.11/site-packages/_rocm_sdk_core/lib/libhiprtc.so.7";
  make_file(of_pip);
  const Environment set({{"VIRTUAL_ENV", (folder / "venv").c_str()}, {"KILN_HIPRTC", nullptr}});
  const std::vector<std::string> all = candidates(dialect_of(DeviceKind::hip).compiler_library);
  CHECK(std::find(all.begin(), all.end(), of_pip) != all.end());
}
