// The emulated driver and NVRTC by their own symbols, for tests of them: sources in, launches out.
#pragma once

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "emulated_cuda.hpp"
#include "fake_cuda.hpp"

namespace kiln_emulated::test {

template <typename Function>
Function* symbol(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle != nullptr, library);
  void* const found = dlsym(handle, name);
  REQUIRE_MESSAGE(found != nullptr, name);
  return reinterpret_cast<Function*>(found);
}

template <typename... Arguments>
int cu(const char* name, Arguments... arguments) {
  return symbol<int(Arguments...)>(KILN_EMULATED_CUDA_LIBRARY, name)(arguments...);
}
template <typename... Arguments>
int nvrtc(const char* name, Arguments... arguments) {
  return symbol<int(Arguments...)>(KILN_EMULATED_NVRTC_LIBRARY, name)(arguments...);
}

struct Compiled {
  int status = 0;
  std::string code, log;
};

inline Compiled compile(const std::string& source, std::vector<const char*> options = {"-fmad=false"}) {
  Compiled result;
  void* program = nullptr;
  REQUIRE(nvrtc("nvrtcCreateProgram", &program, source.c_str(), "raw.cu", 0, static_cast<const char* const*>(nullptr),
                static_cast<const char* const*>(nullptr)) == 0);
  result.status =
      nvrtc("nvrtcCompileProgram", program, static_cast<int>(options.size()), static_cast<const char* const*>(options.data()));
  std::size_t bytes = 0;
  REQUIRE(nvrtc("nvrtcGetProgramLogSize", program, &bytes) == 0);
  result.log.resize(bytes);
  REQUIRE(nvrtc("nvrtcGetProgramLog", program, result.log.data()) == 0);
  result.log.resize(bytes - 1);
  REQUIRE(nvrtc("nvrtcGetCUBINSize", program, &bytes) == 0);
  result.code.resize(bytes);
  REQUIRE(nvrtc("nvrtcGetCUBIN", program, result.code.data()) == 0);
  REQUIRE(nvrtc("nvrtcDestroyProgram", &program) == 0);
  return result;
}

struct Size {
  unsigned x = 1, y = 1, z = 1;
};

/// A context of the emulated device, and modules and memory that go with it.
class Machine {
 public:
  Machine() {
    symbol<void()>(KILN_EMULATED_CUDA_LIBRARY, "kiln_fake_reset")();
    void* context = nullptr;
    REQUIRE(cu("cuInit", 0U) == 0);
    REQUIRE(cu("cuDevicePrimaryCtxRetain", &context, 0) == 0);
    REQUIRE(cu("cuCtxPushCurrent_v2", context) == 0);
  }
  ~Machine() {
    symbol<void()>(KILN_EMULATED_CUDA_LIBRARY, "kiln_fake_reset")();
    for (void* module : modules_) cu("cuModuleUnload", module);
    for (void* address : memory_) cu("cuMemFree_v2", address);
    void* context = nullptr;
    cu("cuCtxPopCurrent_v2", &context);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// The address of a copy of the numbers.
  template <typename T>
  T* place(const std::vector<T>& values) {
    void* address = nullptr;
    REQUIRE(cu("cuMemAlloc_v2", &address, values.size() * sizeof(T)) == 0);
    memory_.push_back(address);
    REQUIRE(cu("cuMemcpyHtoDAsync_v2", address, static_cast<const void*>(values.data()), values.size() * sizeof(T),
               static_cast<void*>(nullptr)) == 0);
    return static_cast<T*>(address);
  }
  template <typename T>
  std::vector<T> fetch(T* address, std::size_t count) {
    std::vector<T> values(count);
    REQUIRE(cu("cuMemcpyDtoHAsync_v2", static_cast<void*>(values.data()), static_cast<void*>(address), count * sizeof(T),
               static_cast<void*>(nullptr)) == 0);
    return values;
  }

  void* load(const std::string& source, const char* kernel) {
    const Compiled compiled = compile(source);
    REQUIRE_MESSAGE(compiled.status == 0, compiled.log);
    void* module = nullptr;
    void* function = nullptr;
    REQUIRE(cu("cuModuleLoadDataEx", &module, static_cast<const void*>(compiled.code.data()), 0U,
               static_cast<const int*>(nullptr), static_cast<void**>(nullptr)) == 0);
    modules_.push_back(module);
    REQUIRE(cu("cuModuleGetFunction", &function, module, kernel) == 0);
    return function;
  }

  template <typename... Arguments>
  int launch(void* function, Size grid, Size block, unsigned shared, Arguments... arguments) {
    void* parameters[] = {static_cast<void*>(&arguments)..., nullptr};
    return cu("cuLaunchKernel", function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
              static_cast<void*>(nullptr), static_cast<void**>(parameters), static_cast<void**>(nullptr));
  }
  static std::string message() { return symbol<const char*()>(KILN_EMULATED_CUDA_LIBRARY, "kiln_emulated_message")(); }

 private:
  std::vector<void*> modules_, memory_;
};

}  // namespace kiln_emulated::test
