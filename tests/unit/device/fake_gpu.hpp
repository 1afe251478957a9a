// A GpuBackend on the fake CUDA driver, the fake's controls, and what was asked of it.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/gpu/backend.hpp"
#include "fake_cuda.hpp"
#include "kernel/elementwise/launch.hpp"
#include "library/driver.hpp"
#include "support/message.hpp"
#include "test_libraries.hpp"

namespace kiln::test {

/// The fake driver and its controls, loaded once.
struct Fake {
  backend::gpu::Driver driver{backend::gpu::dialect_of(DeviceKind::cuda), {KILN_FAKE_CUDA_LIBRARY}};
  base::DynamicLibrary library;
  Fake() {
    const std::string name = KILN_FAKE_CUDA_LIBRARY;
    library = base::DynamicLibrary::open_first(std::span(&name, 1), base::Unload::never).library;
  }
  template <typename Function>
  Function* control(const char* name, Function*) const {
    return library.function<Function*>(name);
  }
};
inline Fake& fake() {
  static auto* const one = new Fake;
  return *one;
}
#define FAKE(name) ::kiln::test::fake().control(#name, static_cast<decltype(&(name))>(nullptr))

/// A backend on the fake, and a clean log.
struct FakeGpu {
  explicit FakeGpu(bool pools = true) {
    FAKE(kiln_fake_reset)();
    FAKE(kiln_fake_set_pools)(pools ? 1 : 0);
    backend = std::make_unique<backend::gpu::GpuBackend>(fake().driver, 0, nullptr, "no compiler: a test");
    FAKE(kiln_fake_reset)();
    allocations_before = FAKE(kiln_fake_live_allocations)();
  }
  ~FakeGpu() {
    FAKE(kiln_fake_reset)();
    CHECK(FAKE(kiln_fake_live_allocations)() == allocations_before);
    CHECK(FAKE(kiln_fake_context_depth)() == 0);
  }
  /// Freed by the last holder, as an array's buffer is.
  [[nodiscard]] std::shared_ptr<const void> buffer() const {
    return {backend->allocate(64, nullptr),
            [this](const void* memory) { backend->deallocate(const_cast<void*>(memory), 64, nullptr); }};
  }
  std::unique_ptr<backend::gpu::GpuBackend> backend;
  int allocations_before = 0;
};

/// The calls since the last reset, without the pushes and pops of the context.
inline std::string calls() {
  std::string text = FAKE(kiln_fake_log)();
  std::string result;
  while (!text.empty()) {
    const std::string line = text.substr(0, text.find('\n') + 1);
    text.erase(0, line.size());
    if (!line.starts_with("cuCtx")) result += line;
  }
  FAKE(kiln_fake_reset)();
  return result;
}

/// Runs in a forked child and gives its exit status.
inline int in_child(const auto& action) {
  const pid_t pid = fork();
  if (pid == 0) _exit(action());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// An elementwise launch of two arrays and a scalar, for a kernel of the image kFakeBinary.
inline const std::string kFakeBinary = std::string(kFakeImage) + " 4 8 4 8";
struct FakeElementwise {
  std::int64_t shape[1] = {100000};
  std::int64_t strides[1] = {4};
  float scalar = 1.5F;
  std::vector<kinds::LaunchOperand> operands;
  kinds::ElementwiseLaunch value;
  explicit FakeElementwise(void* in, void* out)
      : operands{{in, strides, 4, false}, {&scalar, nullptr, 4, true}, {out, strides, 4, false}},
        value{.operands = operands, .shape = shape, .size = 100000, .width = 4, .unroll = 2} {}
};

}  // namespace kiln::test
