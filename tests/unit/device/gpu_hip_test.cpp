// The HIP path of the GPU backend through tests/hip_over_cuda: over the fake driver for memory and launches, over the real
// NVRTC for compiling. A part of the conformance suite runs through the same library on the emulator.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../base/child_process.hpp"
#include "base/dynamic_library.hpp"
#include "compiler/gpu/compiler.hpp"
#include "device/backend.hpp"
#include "device/gpu/devices.hpp"
#include "fake_cuda.hpp"
#include "gpu_compilers.hpp"
#include "kiln/error.hpp"
#include "test_libraries.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;

const std::map<std::string, std::string> kOverFake = {{"KILN_HIP", KILN_HIP_OVER_CUDA_LIBRARY},
                                                      {"KILN_HIPRTC", KILN_HIP_OVER_CUDA_LIBRARY},
                                                      {"KILN_HIP_OVER_CUDA_DRIVER", KILN_FAKE_CUDA_LIBRARY}};

}  // namespace

TEST_CASE("hip: memory and queues and errors through HIP's symbols [child]" * doctest::skip()) {
  REQUIRE(gpu::device_count(DeviceKind::hip) == 2);
  Backend& backend = gpu::open(DeviceKind::hip, 1);
  CHECK(backend.info().target == "gfx90a:sramecc+:xnack-");
  CHECK(backend.info().runtime.starts_with("HIP 6.0.0, hipRTC "));
  CHECK(backend.info().multiprocessors == 132);
  const std::vector<std::int64_t> numbers = {5, -7, 11};
  void* const memory = backend.allocate(24, nullptr);
  backend.upload(memory, numbers.data(), 24, nullptr);
  std::vector<std::int64_t> back(3);
  const auto queue = backend.make_queue();
  backend.download(back.data(), memory, 24, queue.get());
  CHECK(back == numbers);
  queue->synchronize();
  CHECK_THROWS_WITH_AS(static_cast<void>(backend.load("garbage", "k")),
                       "failed to load module \"k\" on hip:1: hipErrorInvalidImage (device kernel image is invalid)",
                       DeviceError);
  backend.deallocate(memory, 24, nullptr);
  CHECK_THROWS_WITH_AS(static_cast<void>(gpu::open(DeviceKind::hip, 2)),
                       doctest::Contains("there is no device hip:2: HIP 6.0.0 ("), DeviceError);
}
TEST_CASE("hip: memory and queues and errors through HIP's symbols") {
  if (!kiln::test::have_compiler(DeviceKind::cuda)) return;  // hiprtcVersion is answered with NVRTC at hand
  CHECK(kiln::test::ChildProcess("hip: memory and queues and errors through HIP's symbols [child]", kOverFake).wait() == 0);
}

TEST_CASE("hip: a pool in name alone is done without and no call is made once the process exits [child]" * doctest::skip()) {
  const std::string name = KILN_FAKE_CUDA_LIBRARY;
  const auto library = base::DynamicLibrary::open_first(std::span(&name, 1), base::Unload::never).library;
  static const auto log = library.function<decltype(&kiln_fake_log)>("kiln_fake_log");
  static std::string before_exit;
  static Backend* backend = nullptr;
  static void* memory = nullptr;
  static std::shared_ptr<Queue> queue;
  // Behind kiln's own handler, which is registered later.
  std::atexit([] {
    backend->deallocate(memory, 24, nullptr);
    queue.reset();
    bool told = false;
    try {
      static_cast<void>(backend->allocate(24, nullptr));
    } catch (const DeviceError& error) {
      told = std::string(error.what()) == "cannot use hip:0 any more: the process is exiting, and HIP's runtime ends with it";
    }
    if (!told || log() != before_exit) _exit(3);
  });
  library.function<decltype(&kiln_fake_null_next)>("kiln_fake_null_next")();
  backend = &gpu::open(DeviceKind::hip, 0);
  memory = backend->allocate(24, nullptr);
  queue = backend->make_queue();
  before_exit = log();
  CHECK_MESSAGE(before_exit.find("cuMemAllocFromPoolAsync stream=0 bytes=1\n") != std::string::npos, before_exit);
  CHECK_MESSAGE(before_exit.find("cuMemAlloc_v2 bytes=24\n") != std::string::npos, before_exit);
}
TEST_CASE("hip: a pool in name alone is done without and no call is made once the process exits") {
  if (!kiln::test::have_compiler(DeviceKind::cuda)) return;  // hiprtcVersion is answered with NVRTC at hand
  CHECK(kiln::test::ChildProcess("hip: a pool in name alone is done without and no call is made once the process exits [child]",
                                 kOverFake)
            .wait() == 0);
}

TEST_CASE("hip: compiling through hipRTC's symbols [child]" * doctest::skip()) {
  const auto compiler = gpu::compiler_for_target("gfx90a");
  REQUIRE(compiler);
  CHECK(compiler->name() == "hipRTC");
  CompileRequest request{
      .name = "k", .source = "#define KILN_VALUE 2\nextern \"C\" __global__ void kiln_kernel(float* o) { o[0] = KILN_VALUE; }"};
  CHECK(compiler->compile(request).code.find("kiln_kernel") != std::string::npos);
  request.source = "#line 1 \"mine\"\nextern \"C\" __global__ void kiln_kernel(float* o) { o[0] = b; }";
  try {
    static_cast<void>(compiler->compile(request));
    CHECK(false);
  } catch (const CompileError& error) {
    CHECK(error.diagnostics().front().file == "mine");
    CHECK(error.diagnostics().front().line == 1);
    CHECK(error.diagnostics().front().column == 59);
    CHECK(error.diagnostics().front().source_line.find("o[0] = b") != std::string::npos);
  }
}
TEST_CASE("hip: compiling through hipRTC's symbols") {
  if (!kiln::test::have_compiler(DeviceKind::cuda)) return;
  CHECK(kiln::test::ChildProcess("hip: compiling through hipRTC's symbols [child]", kOverFake).wait() == 0);
}
