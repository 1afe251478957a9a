// The device that runs everything: images are shared objects of the host, made by the emulated NVRTC.
#include "device.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "abi.hpp"
#include "emulated_cuda.hpp"
#include "grid.hpp"

namespace fake_cuda {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr std::size_t kMostShared = 48 << 10;  // unless more is asked for

std::uint64_t seed() {
  const char* const asked = std::getenv("KILN_EMULATED_SEED");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
}

std::size_t bytes_of(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;  // the linker puts the sections' table last
}

std::string& last_message() {
  static auto* const text = new std::string;
  return *text;
}

/// A file of its own for every load: the loader knows libraries by their names.
void* open_image(const void* image, std::size_t bytes) {
  const char* const folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/kiln-emulated-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  const bool written = write(file, image, bytes) == static_cast<ssize_t>(bytes);
  close(file);
  void* const handle = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  return handle;
}

class EmulatedKernel final : public Kernel {
 public:
  EmulatedKernel(std::string name, const kiln_emulated::Module& module, kiln_emulated::Call call)
      : name_(std::move(name)), module_(module), call_(call) {}

  int launch(const Launch& launch) override {
    const std::size_t threads = std::size_t{launch.block[0]} * launch.block[1] * launch.block[2];
    const std::size_t blocks = std::size_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    const std::size_t shared = static_cast<std::size_t>(own_shared()) + launch.shared_bytes;
    if (threads == 0 || threads > kMostThreads || blocks == 0) return kInvalidValue;
    if (shared > kMostShared && launch.shared_bytes > shared_allowed_) return kInvalidValue;
    const kiln_emulated::Outcome outcome =
        kiln_emulated::run_grid({.module = module_,
                                 .kernel = call_,
                                 .parameters = launch.parameters,
                                 .grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
                                 .block = {launch.block[0], launch.block[1], launch.block[2]},
                                 .dynamic_shared_bytes = launch.shared_bytes,
                                 .seed = seed()});
    last_message() = outcome.message;
    if (outcome.status != 0) {
      std::fprintf(stderr, "kiln's emulated GPU: %s, %s (KILN_EMULATED_SEED=%llu)\n", name_.c_str(), outcome.message.c_str(),
                   static_cast<unsigned long long>(seed()));
    }
    return outcome.status;
  }
  int own_shared() const override { return static_cast<int>(module_.shared_end - module_.shared); }
  int allow_shared(int bytes) override {
    const int status = Kernel::allow_shared(bytes);
    if (status == 0) shared_allowed_ = static_cast<unsigned>(bytes);
    return status;
  }

 private:
  std::string name_;
  const kiln_emulated::Module& module_;
  kiln_emulated::Call call_;
  unsigned shared_allowed_ = 0;
};

class EmulatedModule final : public Module {
 public:
  EmulatedModule(void* handle, const kiln_emulated::Module& module) : handle_(handle), module_(module) {}
  ~EmulatedModule() override { dlclose(handle_); }
  EmulatedModule(const EmulatedModule&) = delete;
  EmulatedModule& operator=(const EmulatedModule&) = delete;

  Kernel* kernel(const char* name) override {
    const auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second.get();
    void* const call = dlsym(handle_, (std::string(name) + "_kiln_emulated").c_str());
    if (call == nullptr) return nullptr;
    auto& made = kernels_[name];
    made = std::make_unique<EmulatedKernel>(name, module_, reinterpret_cast<kiln_emulated::Call>(call));
    return made.get();
  }

 private:
  void* handle_;
  const kiln_emulated::Module& module_;
  std::map<std::string, std::unique_ptr<EmulatedKernel>> kernels_;
};

}  // namespace

// Small: an array of 40,000 elements is more than the largest grid that kiln gives it, so threads loop.
const Device kDevice = {"kiln's emulated GPU (for tests: the host runs its kernels)", 1, 2, 1};

int load(const Image& image, std::unique_ptr<Module>& module) {
  const std::size_t bytes = bytes_of(image.bytes);
  if (bytes == 0) return kInvalidImage;
  void* const handle = open_image(image.bytes, bytes);
  if (handle == nullptr) return kInvalidImage;
  void* const known = dlsym(handle, "kiln_emulated_module");
  if (known == nullptr) {
    dlclose(handle);
    return kInvalidImage;
  }
  module = std::make_unique<EmulatedModule>(handle, *static_cast<const kiln_emulated::Module*>(known));
  return 0;
}

void reset() {}

}  // namespace fake_cuda

extern "C" const char* kiln_emulated_message() {
  return fake_cuda::last_message().c_str();
}
