// What the emulated GPU reports, and would be wrong results or hangs on a real one.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "machine.hpp"

using namespace kiln_emulated::test;

namespace {

constexpr int kIllegalAddress = 700, kTimeout = 702, kMisaligned = 716, kLaunchFailed = 719;

/// Launches one block of the kernel `fault`, which takes a pointer to 64 ints.
struct Launched {
  int status = 0;
  std::string message;
  std::vector<int> numbers;
};
Launched launched(const std::string& body, Size block = {64}, unsigned shared = 0) {
  Machine machine;
  void* const kernel = machine.load("extern \"C\" __global__ void fault(int* x) {\n" + body + "\n}\n", "fault");
  int* const x = machine.place(std::vector<int>(64, 1));
  Launched result;
  result.status = machine.launch(kernel, {1}, block, shared, x);
  result.message = Machine::message();
  if (result.status == 0) {
    result.numbers = machine.fetch(x, 64);
  } else if (result.status >= kIllegalAddress) {
    // The device is lost, as after a fault of a real kernel.
    CHECK(cu("cuCtxSynchronize") == result.status);
  }
  return result;
}

struct Environment {
  const char* name;
  Environment(const char* variable, const char* value) : name(variable) { setenv(variable, value, 1); }
  ~Environment() { unsetenv(name); }
};

}  // namespace

TEST_CASE("emulator: a barrier that some threads do not reach fails the launch") {
  const Launched ended = launched("if (threadIdx.x == 5) return;\n__syncthreads();");
  CHECK(ended.status == kLaunchFailed);
  CHECK(ended.message.starts_with("block (0,0,0): its 64 threads wait for one another; "));
  CHECK(ended.message.find("63 wait at the barrier at raw.cu:3, such as (0,0,0)") != std::string::npos);
  CHECK(ended.message.find("1 have ended, such as (5,0,0)") != std::string::npos);

  const Launched apart = launched("if (threadIdx.x < 32) __syncthreads();\nelse\n  __syncthreads();");
  CHECK(apart.status == kLaunchFailed);
  CHECK(apart.message.find("32 wait at the barrier at raw.cu:2, such as (0,0,0)") != std::string::npos);
  CHECK(apart.message.find("32 wait at the barrier at raw.cu:4, such as (32,0,0)") != std::string::npos);
  CHECK(launched("__syncthreads();").status == 0);
}

TEST_CASE("emulator: lanes that a shuffle names and that never come fail the launch") {
  const Launched apart = launched("if (threadIdx.x % 32 < 16) x[0] = __shfl_sync(0xffffffffu, 1, 0);\n__syncthreads();");
  CHECK(apart.status == kLaunchFailed);
  CHECK(apart.message.find("wait for the lanes 0xffffffff at raw.cu:2") != std::string::npos);
  const Launched outside = launched("__syncwarp(0xffu);");
  CHECK(outside.status == kLaunchFailed);
  CHECK(outside.message.find("is not in the mask that it gives at raw.cu:2") != std::string::npos);
  // Those that have ended need not come.
  CHECK(launched("if (threadIdx.x % 32 > 20) return;\n__syncwarp();").status == 0);
}

TEST_CASE("emulator: a missing barrier gives wrong numbers") {
  const std::string write = "__shared__ int s[64];\ns[threadIdx.x] = threadIdx.x;\n";
  const std::string read = "x[threadIdx.x] = s[63 - threadIdx.x];";
  std::vector<int> right(64);
  for (int i = 0; i < 64; ++i) right[static_cast<std::size_t>(i)] = 63 - i;
  for (const char* seed : {"0", "1", "2", "3"}) {
    const Environment order("KILN_EMULATED_SEED", seed);
    CHECK(launched(write + read).numbers != right);
    CHECK(launched(write + "__syncthreads();\n" + read).numbers == right);
  }
}

TEST_CASE("emulator: an order of the threads that a kernel counts on is not kept") {
  const Environment order("KILN_EMULATED_SEED", "1");
  CHECK(launched("x[atomicAdd(x, 1) % 64] = threadIdx.x;").numbers !=
        launched("x[threadIdx.x + 1 & 63] = threadIdx.x;").numbers);
}

TEST_CASE("emulator: memory that is not there, or beside an allocation") {
  const Launched read = launched("x[threadIdx.x] = x[threadIdx.x + 4096];");
  CHECK(read.status == kIllegalAddress);
  CHECK(read.message.find(" touched memory that is not there, at 0x") != std::string::npos);
  CHECK(launched("*reinterpret_cast<int*>(x[0] * 64ull) = 1;").status == kIllegalAddress);
  CHECK(launched("x[64] = 1;").status == kIllegalAddress);
  CHECK(launched("x[-1] = 1;").status == kIllegalAddress);
  const Launched shared = launched("extern __shared__ int s[];\ns[threadIdx.x] = 1;", {64}, 252);
  CHECK(shared.status == kIllegalAddress);
  CHECK(shared.message.find("a thread wrote to byte 252 of 252 bytes of dynamic shared memory") != std::string::npos);
  CHECK(launched("extern __shared__ int s[];\ns[threadIdx.x] = 1;", {64}, 256).status == 0);
}

TEST_CASE("emulator: misaligned accesses") {
  CHECK(launched("*(long long*)(x + 1) = 1;").status == kMisaligned);
  CHECK(launched("struct alignas(16) pack { int v[4]; };\nx[0] = reinterpret_cast<pack*>(x + 2)->v[0];").status == kMisaligned);
  CHECK(launched("*(long long*)(x + 2) = 1;").status == 0);
}

TEST_CASE("emulator: loops without an end") {
  const Environment limit("KILN_EMULATED_SECONDS", "1");
  const Launched endless = launched("volatile int* p = x;\nwhile (p[0] == 1) {}");
  CHECK(endless.status == kTimeout);
  CHECK(endless.message.find(" ran for too long") != std::string::npos);
  const Launched asleep = launched("volatile int* p = x;\nwhile (p[0] == 1) __nanosleep(10);");
  CHECK(asleep.status == kTimeout);
  CHECK(asleep.message.find(" waits at raw.cu:3 for something that never happens") != std::string::npos);
}

TEST_CASE("emulator: launches that no GPU takes") {
  CHECK(launched("", {1025}).status == 1);
  CHECK(launched("", {16, 16, 5}).status == 1);
  CHECK(launched("", {0}).status == 1);
  CHECK(launched("", {1}, 49153).status == 1);
  CHECK(launched("__shared__ int s[12280];\ns[threadIdx.x] = x[0];\n__syncthreads();\nx[0] = s[63];", {64}, 64).status == 1);
  CHECK(launched("", {1024}).status == 0);
}

TEST_CASE("emulator: the device works again for who comes after a fault") {
  CHECK(launched("*reinterpret_cast<int*>(x[0] * 64ull) = 1;").status == kIllegalAddress);
  CHECK(launched("__syncthreads();\nx[threadIdx.x] = threadIdx.x;").numbers[63] == 63);
}

TEST_CASE("emulator: compile errors in NVRTC's format") {
  const Compiled wrong = compile("extern \"C\" __global__ void k(int* x) {\n  x[0] = y;\n}\n");
  CHECK(wrong.status == 6);
  CHECK(wrong.code.empty());
  CHECK(wrong.log == "raw.cu(2): error: use of undeclared identifier 'y'\n    x[0] = y;\n           ^\n\n");
  const Compiled undefined = compile("__device__ int f(int);\nextern \"C\" __global__ void k(int* x) { x[0] = f(1); }\n");
  CHECK(undefined.status == 6);
  CHECK(undefined.log == "ptxas fatal   : Unresolved extern function 'f(int)'\n");
  const Compiled option = compile("", {"--no-such-option"});
  CHECK(option.status == 5);
  CHECK(option.log == "nvrtc: error: unrecognized option --no-such-option found\n");
  // What CUDA has no overload for.
  CHECK(compile("__device__ short s;\nextern \"C\" __global__ void k() { atomicAdd(&s, short(1)); }").status == 6);
}
