#include "device/cpu/backend.hpp"

#include <doctest/doctest.h>
#include <oneapi/tbb/global_control.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <future>
#include <limits>
#include <thread>
#include <vector>

#include "base/memory_limit.hpp"
#include "base/sanitizer.hpp"
#include "base/usable_threads.hpp"
#include "device/cpu/module.hpp"
#include "device/cpu/queue.hpp"
#include "device/cpu/shared_object.hpp"
#include "device/cpu/threads.hpp"
#include "device/cpu_kernels.hpp"
#include "device/stop_request.hpp"
#include "kernel/elementwise/driver.hpp"
#include "kiln/error.hpp"

namespace kiln {
namespace {

using backend::Backend;
using backend::cpu::CpuModule;
using backend::cpu::CpuQueue;
using oneapi::tbb::global_control;
using test::BinaryLaunch;

/// Elements far enough apart in value that a wrong index shows.
std::vector<float> ramp(std::size_t size, float step) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i % 100'003) * step;
  return values;
}

/// The code of out = a + <constant>, with another constant put in: ten thousand kernels out of one compile.
class PatchedKernel {
 public:
  explicit PatchedKernel(const backend::CompileRequest& request = test::binary_request("return a + 12345.678f;"))
      : code_(backend::cpu::compiler_for_target("x86-64")->compile(request).code), constant_(bytes_of(12345.678F)) {}
  /// One that the system's loader loads, since it has data that is written.
  static PatchedKernel shared() {
    return PatchedKernel(test::binary_request("return a + 12345.678f + zero;", "static volatile float zero;"));
  }

  [[nodiscard]] std::string adding(float value) const {
    std::string code = code_;
    int found = 0;
    for (std::size_t at = code.find(constant_); at != std::string::npos; at = code.find(constant_, at + 4)) {
      code.replace(at, 4, bytes_of(value));
      ++found;
    }
    REQUIRE(found > 0);
    return code;
  }

 private:
  static std::string bytes_of(float value) {
    const auto bits = std::bit_cast<std::array<char, 4>>(value);
    return {bits.begin(), bits.end()};
  }
  std::string code_;
  std::string constant_;
};

float answer(Backend& device, const backend::Module& module, float a) {
  float out = -1.0F;
  const float b = 0.0F;
  kinds::launch(device, module, BinaryLaunch(&a, &b, &out, 1).get(), {.queue = nullptr, .keep = nullptr});
  return out;
}

TEST_CASE("cpu backend: ten thousand kernels are loaded and released, and each gives its own answer") {
  Backend& device = backend::cpu::open(1);
  const PatchedKernel kernel;
  // Some stay loaded while others come and go, so that descriptors and addresses are used again in every order.
  std::vector<std::pair<float, std::shared_ptr<backend::Module>>> kept(13);
  int wrong = 0;
  for (int i = 1; i <= 10'000; ++i) {
    const auto value = static_cast<float>(i) * 0.5F;
    auto module = device.load(kernel.adding(value), "probe");
    wrong += answer(device, *module, 1.0F) != 1.0F + value ? 1 : 0;
    auto& [old_value, old] = kept[static_cast<std::size_t>(i * 7 % 13)];
    if (old != nullptr) wrong += answer(device, *old, 2.0F) != 2.0F + old_value ? 1 : 0;
    if (i % 3 == 0) std::tie(old_value, old) = std::pair(value, std::move(module));
  }
  CHECK(wrong == 0);
}

TEST_CASE("cpu backend: shared objects load from the disk, too, and leave nothing there") {
  const PatchedKernel kernel = PatchedKernel::shared();
  char folder[] = "/tmp/kiln-test-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const char* const before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  setenv("TMPDIR", folder, 1);
  for (int i = 1; i <= 20; ++i) {
    const backend::cpu::SharedObject object(kernel.adding(static_cast<float>(i)), "probe",
                                            backend::cpu::SharedObject::Store::disk);
    const auto run = reinterpret_cast<kinds::CpuKernel>(object.symbol(backend::kKernelSymbol));
    REQUIRE((run != nullptr));
    const float a = 1.0F;
    float out = 0.0F;
    void* const data[] = {const_cast<float*>(&a), const_cast<float*>(&a), &out};
    const kinds::CpuLaunch launch{
        .data = data, .shape = nullptr, .strides = nullptr, .rank = 1, .drive = kinds::drive_cpu_kernel, .past_cache = false};
    run(&launch, 0, 1);
    CHECK(out == 1.0F + static_cast<float>(i));
  }
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", old.c_str(), 1);
  }
  CHECK(rmdir(folder) == 0);  // empty
}

TEST_CASE("cpu backend: a shared object that can be stored nowhere is an error") {
  // No file may grow: neither memory's nor the disk's.
  const std::string code = PatchedKernel::shared().adding(3.0F);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    int status = 1;
    try {
      const CpuModule module(code, "probe");
    } catch (const DeviceError& error) {
      status = std::string_view(error.what()).starts_with("failed to load kernel \"probe\" on the CPU: cannot write /") ? 0 : 2;
    }
    _exit(status);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("cpu backend: bytes that are no kernel are refused with the name") {
  Backend& device = backend::cpu::open(1);
  CHECK_THROWS_WITH_AS(static_cast<void>(device.load("not code", "probe")),
                       "failed to load kernel \"probe\" on the CPU: its code is not an ELF file", DeviceError);
  std::string cut = PatchedKernel().adding(1.0F);
  cut.resize(100);
  CHECK_THROWS_AS(static_cast<void>(device.load(cut, "probe")), DeviceError);
  auto request = test::binary_request("return a;");
  request.source = "extern \"C\" __attribute__((visibility(\"default\"))) int other() { return 1; }";
  CHECK_THROWS_WITH_AS(static_cast<void>(device.load(device.compiler()->compile(request).code, "probe")),
                       "failed to load kernel \"probe\" on the CPU: its code holds no function kiln_kernel", DeviceError);
}

TEST_CASE("cpu backend: any number of threads gives the same bits") {
  const std::string code =
      backend::cpu::open(1).compiler()->compile(test::binary_request("return expf(-a * a) * sqrtf(b);")).code;
  for (const std::size_t size : {1UL, 63UL, 64UL, 65UL, 1000UL, 100'001UL, 1'000'000UL}) {
    const std::vector<float> a = ramp(size, 1e-4F);
    const std::vector<float> b = ramp(size, 3e-3F);
    const auto run = [&](int threads) {
      Backend& device = backend::cpu::open(threads);
      const auto module = device.load(code, "probe");
      std::vector<float> out(size, -1.0F);
      const BinaryLaunch launch(a.data(), b.data(), out.data(), static_cast<std::int64_t>(size));
      for (int turn = 0; turn < 3; ++turn) {  // unmeasured, then measured
        std::fill(out.begin(), out.end(), -1.0F);
        kinds::launch(device, *module, launch.get(), {.queue = nullptr, .keep = nullptr});
      }
      return out;
    };
    const std::vector<float> serial = run(1);
    for (std::size_t i = 0; i < size; i += 97) {
      const double exact = std::exp(-static_cast<double>(a[i]) * a[i]) * std::sqrt(static_cast<double>(b[i]));
      REQUIRE(std::abs(serial[i] - exact) <= 1e-5 * std::abs(exact) + 1e-30);
    }
    if (size % 64 == 0) {  // the hand-written loop has a scalar rest, whose place depends on the cut
      for (const int threads : {2, 3, 7}) CHECK(run(threads) == serial);
    } else {
      const std::vector<float> split = run(2);
      CHECK(std::equal(serial.begin(), serial.end(), split.begin(), [](float x, float y) { return std::abs(x - y) <= 1e-6F; }));
    }
  }
}

TEST_CASE("cpu backend: heavy kernels of few elements use the threads, too") {
  Backend& device = backend::cpu::open(2);
  const auto module = test::load_binary(device, "float x = a; for (int i = 0; i < 2000; ++i) x = x * 0.999f + b; return x;");
  const std::vector<float> a = ramp(4096, 1.0F);
  const std::vector<float> b(4096, 0.25F);
  std::vector<float> out(4096);
  kinds::launch(device, *module, BinaryLaunch(a.data(), b.data(), out.data(), 4096).get(), {.queue = nullptr, .keep = nullptr});
  for (std::size_t i = 0; i < out.size(); i += 100) {
    float x = a[i];
    for (int k = 0; k < 2000; ++k) x = x * 0.999F + b[i];
    REQUIRE(out[i] == doctest::Approx(static_cast<double>(x)));
  }
  CHECK(static_cast<const CpuModule&>(*module).element_ns() > 20.0F);
}

TEST_CASE("cpu backend: short calls in a row use the threads, too") {
  const global_control two(global_control::max_allowed_parallelism, 2);  // where there is one processor, too
  const auto module = test::load_binary(backend::cpu::open(1), "return a + b;");
  const auto& kernel = static_cast<const CpuModule&>(*module);
  backend::cpu::Threads threads(2);
  std::atomic<int> by_others{0};
  const auto caller = std::this_thread::get_id();
  std::vector<std::atomic<int>> calls(100);
  const auto work = [&](std::int64_t begin, std::int64_t end) {
    if (std::this_thread::get_id() != caller) ++by_others;
    for (std::int64_t i = begin; i < end; ++i) {
      ++calls[static_cast<std::size_t>(i)];
      const double until = backend::cpu::now_ns() + 100;
      while (backend::cpu::now_ns() < until) continue;
    }
  };
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int rounds = 0;
  for (; by_others < 10 && std::chrono::steady_clock::now() < give_up; ++rounds) {
    kernel.set_element_ns(100);  // 10 µs in all
    threads.parallel_for(kernel, {.size = 100}, work);
  }
  CHECK(by_others >= 10);
  CHECK(std::all_of(calls.begin(), calls.end(), [rounds](const std::atomic<int>& n) { return n == rounds; }));
}

TEST_CASE("cpu backend: threads are no more than oneTBB may use now") {
  const global_control two(global_control::max_allowed_parallelism, 2);
  const auto module = test::load_binary(backend::cpu::open(1), "return a + b;");
  const auto& kernel = static_cast<const CpuModule&>(*module);
  backend::cpu::Threads threads(2);
  std::atomic<int> by_others{0};
  const auto caller = std::this_thread::get_id();
  const auto work = [&](std::int64_t, std::int64_t) {
    if (std::this_thread::get_id() != caller) ++by_others;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  kernel.set_element_ns(1e6);
  threads.parallel_for(kernel, {.size = 100}, work);
  const global_control one(global_control::max_allowed_parallelism, 1);
  by_others = 0;
  for (int round = 0; round < 20; ++round) {
    kernel.set_element_ns(1e6);
    threads.parallel_for(kernel, {.size = 100}, work);
  }
  CHECK(by_others == 0);
}

TEST_CASE("cpu backend: a caller helps nobody else") {
  const global_control two(global_control::max_allowed_parallelism, 2);
  const auto module = test::load_binary(backend::cpu::open(1), "return a + b;");
  const auto& kernel = static_cast<const CpuModule&>(*module);
  backend::cpu::Threads threads(2);
  std::array<std::thread::id, 2> callers;
  std::atomic<int> ready{0};
  std::atomic<int> wrong{0};
  const auto call = [&](std::size_t self) {
    callers[self] = std::this_thread::get_id();
    ++ready;
    while (ready < 2) std::this_thread::yield();
    const auto work = [&, self](std::int64_t, std::int64_t) {
      wrong += std::this_thread::get_id() == callers[1 - self];
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    };
    for (int round = 0; round < 200; ++round) {
      kernel.set_element_ns(1e6);
      threads.parallel_for(kernel, {.size = 8}, work);
    }
  };
  std::thread other(call, 1);
  call(0);
  other.join();
  CHECK(wrong == 0);
}

#if !defined(KILN_SANITIZED)  // sanitizers take more addresses than any limit leaves
TEST_CASE("cpu backend: where oneTBB finds no memory to start, calls go on in the caller, and later ones have threads") {
  backend::cpu::Threads threads(1000);
  const auto sum_of = [&](std::atomic<int>& by_others) {
    std::atomic<std::int64_t> sum{0};
    const auto caller = std::this_thread::get_id();
    threads.parallel_for(4, [&](std::int64_t index) {
      sum += index;
      by_others += std::this_thread::get_id() != caller;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return sum.load();
  };
  std::atomic<int> by_others{0};
  {
    const global_control many(global_control::max_allowed_parallelism, 1000);  // more than what malloc() keeps is enough for
    const test::MemoryLimit limit(std::size_t{256} << 10);
    CHECK(sum_of(by_others) == 6);
    CHECK(sum_of(by_others) == 6);
    CHECK(by_others == 0);
  }
  const global_control two(global_control::max_allowed_parallelism, 2);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (by_others == 0 && std::chrono::steady_clock::now() < give_up) CHECK(sum_of(by_others) == 6);
  CHECK(by_others > 0);
}
#endif

TEST_CASE("cpu backend: no part begins after one that threw") {
  const global_control two(global_control::max_allowed_parallelism, 2);
  constexpr std::int64_t kEndless = std::int64_t{1} << 50;
  for (const int count : {1, 2}) {
    backend::cpu::Threads threads(count);
    std::atomic<std::int64_t> calls{0};
    CHECK_THROWS_AS(threads.parallel_for(kEndless,
                                         [&](std::int64_t) {
                                           if (++calls == 100) throw 7;
                                         }),
                    int);
    CHECK(calls >= 100);
  }
}

TEST_CASE("cpu backend: as many elements as there are numbers") {
  const auto module = test::load_binary(backend::cpu::open(1), "return a + b;");
  const auto& kernel = static_cast<const CpuModule&>(*module);
  for (const std::int64_t size : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max() - 63}) {
    for (const bool stoppable : {false, true}) {
      backend::cpu::Threads threads(2);
      const backend::StopRequest request("k", {}, std::chrono::hours(1));
      std::atomic<std::int64_t> last{0};
      std::atomic<std::int64_t> elements{0};
      kernel.set_element_ns(1e-9);
      try {
        threads.parallel_for(
            kernel, {.size = size, .grain = 64},
            [&](std::int64_t begin, std::int64_t end) {
              elements += end - begin;
              if (begin >= 0 && begin < end && end == size) last = end;
              if (stoppable && elements > 1'000'000) throw 7;
            },
            stoppable ? &request : nullptr);
      } catch (int) {
        last = size;
      }
      CHECK(last == size);
      CHECK((stoppable || elements == size));
    }
  }
}

TEST_CASE("cpu backend: how work is cut") {
  using backend::cpu::cut;
  CHECK(cut(1'000'000, 0.01, 8).count == 1);  // 10 µs
  CHECK(cut(1'000'000, 1.0, 1).count == 1);
  CHECK(cut(64, 1e6, 8).count == 1);
  CHECK(cut(65, 1e6, 8).count == 2);
  CHECK(cut(1'000'000, 0.03, 64).count <= 4);            // 30 µs: chunks of 10 µs at least
  CHECK(cut(1'000'000, 0.01, 8, 64, 5'000).count == 4);  // 10 µs: where 5 are worth it, chunks of 2.5
  CHECK(cut(1'000'000, 1.0, 8, 64, std::numeric_limits<double>::infinity()).count == 1);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t size : {65L, 1000L, 4097L, 1'000'000L, 5'000'000'000L, kMost - 63, kMost}) {
    for (const int threads : {2, 3, 64}) {
      const auto chunks = cut(size, 1e4, threads);
      CAPTURE(size);
      CHECK(chunks.elements % backend::kCpuBlock == 0);
      CHECK(chunks.count <= threads * 4);
      CHECK(chunks.elements * (chunks.count - 1) < size);
      CHECK(size - chunks.elements * (chunks.count - 1) <= chunks.elements);
    }
  }
}

TEST_CASE("cpu backend: scalars, ranks and strides reach the kernel") {
  Backend& device = backend::cpu::open(1);
  auto request = test::binary_request("return a;");
  request.source =
      "struct cpu_launch { void* const* data; const long* shape; const long* strides; long rank; };\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void kiln_kernel(const cpu_launch* l, long begin, long end) {\n"
      "  for (long i = begin; i < end; ++i) {\n"
      "    long r = i / l->shape[1], c = i % l->shape[1];\n"
      "    const char* x = (const char*)l->data[0] + r * l->strides[0] + c * l->strides[1];\n"
      "    char* o = (char*)l->data[2] + r * l->strides[2 * l->rank] + c * l->strides[2 * l->rank + 1];\n"
      "    *(float*)o = *(const float*)x * *(const float*)l->data[1] + l->strides[2] + l->strides[3];\n"
      "  }\n"
      "}\n";
  const auto module = device.load(device.compiler()->compile(request).code, "probe");
  const std::vector<float> x{1, 2, 3, 4, 5, 6};  // (2, 3), read transposed as (3, 2)
  std::vector<float> out(6);
  const float factor = 10.0F;
  const std::array<std::int64_t, 2> shape{3, 2};
  const std::array<std::int64_t, 2> x_strides{4, 12};
  const std::array<std::int64_t, 2> out_strides{8, 4};
  std::array<kinds::LaunchOperand, 3> operands;
  operands[0] = {.data = const_cast<float*>(x.data()), .strides = x_strides.data(), .itemsize = 4};
  operands[1] = {.data = const_cast<float*>(&factor), .itemsize = 4, .scalar = true};
  operands[2] = {.data = out.data(), .strides = out_strides.data(), .itemsize = 4};
  const kinds::ElementwiseLaunch launch{.operands = operands, .shape = shape, .size = 6};
  kinds::launch(device, *module, launch, {.queue = nullptr, .keep = nullptr});
  CHECK(out == std::vector<float>{10, 40, 20, 50, 30, 60});

  // The same through a queue, with all that the launch refers to gone before it runs.
  const auto queue = device.make_queue();
  std::fill(out.begin(), out.end(), 0.0F);
  std::promise<void> gate;
  static_cast<CpuQueue&>(*queue).post([opened = gate.get_future().share()] { opened.wait(); });
  {
    auto temporary_operands = operands;
    auto temporary_shape = shape;
    auto temporary_strides = x_strides;
    float temporary_factor = factor;
    temporary_operands[0].strides = temporary_strides.data();
    temporary_operands[1].data = &temporary_factor;
    kinds::launch(device, *module,
                  kinds::ElementwiseLaunch{.operands = temporary_operands, .shape = temporary_shape, .size = 6},
                  {.queue = queue.get(), .keep = nullptr});
    temporary_factor = -1.0F;
    temporary_shape = {0, 0};
    temporary_strides = {1 << 20, 1 << 20};
    temporary_operands = {};
  }
  CHECK(out[0] == 0.0F);
  gate.set_value();
  queue->synchronize();
  CHECK(out == std::vector<float>{10, 40, 20, 50, 30, 60});
}

TEST_CASE("cpu backend: events mark a queue's work, hold others up, and tell the time between") {
  Backend& device = backend::cpu::open(1);
  const auto first = device.make_queue();
  const auto second = device.make_queue();
  const auto start = device.make_event();
  const auto end = device.make_event();
  CHECK(start->done());  // nothing is marked
  start->synchronize();
  start->wait(first.get());
  CHECK_THROWS_WITH_AS(static_cast<void>(end->milliseconds_since(*start)),
                       "failed to take the time between events on the CPU: one is not recorded or not reached; synchronize() "
                       "both first",
                       DeviceError);
  std::promise<void> gate;
  start->record(first.get());
  static_cast<backend::cpu::CpuQueue&>(*first).post([&gate] {
    gate.get_future().wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  end->record(first.get());
  std::atomic<bool> after{false};
  std::atomic<bool> in_order{false};
  end->wait(second.get());
  static_cast<backend::cpu::CpuQueue&>(*second).post([&] { in_order = after.load(); });
  CHECK_FALSE(end->done());
  after = true;
  gate.set_value();
  end->synchronize();
  second->synchronize();
  CHECK(in_order);
  CHECK(end->done());
  CHECK(end->milliseconds_since(*start) >= 20.0);
  CHECK(start->milliseconds_since(*end) <= -20.0);
  // A failure is the queue's to tell; whoever waits for the event goes on.
  static_cast<backend::cpu::CpuQueue&>(*first).post([] { throw DeviceError("failed"); });
  end->record(first.get());
  end->synchronize();
  CHECK_THROWS_AS(first->synchronize(), DeviceError);
}

TEST_CASE("cpu backend: a queue works in order and keeps what it needs") {
  Backend& device = backend::cpu::open(1);
  auto module = test::load_binary(device, "return a + b;");
  const auto queue = device.make_queue();
  CHECK(device.asynchronous(queue.get()));
  CHECK_FALSE(device.asynchronous(nullptr));
  std::vector<float> x(1000, 1.0F);
  auto keep = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = keep;
  for (int i = 0; i < 20; ++i) {  // 1, 2, 4, 8, …: any other order gives another number
    kinds::launch(device, *module, BinaryLaunch(x.data(), x.data(), x.data(), 1000).get(),
                  {.queue = queue.get(), .keep = keep});
  }
  keep.reset();
  module.reset();  // the queue holds it
  queue->synchronize();
  CHECK(watch.expired());
  CHECK(std::count(x.begin(), x.end(), 0x1p20F) == 1000);

  std::vector<float> y(1000);
  device.copy(y.data(), x.data(), 4000, queue.get());
  std::vector<float> z(1000);
  device.download(z.data(), y.data(), 4000, queue.get());
  CHECK(z == x);
  void* const memory = device.allocate(1 << 20, queue.get());
  device.upload(memory, x.data(), 4000, queue.get());
  device.copy(y.data(), memory, 4000, queue.get());
  device.deallocate(memory, 1 << 20, queue.get());
  queue->synchronize();
  CHECK(y == x);
}

TEST_CASE("cpu backend: a queue's first failure comes once, at synchronize, and what follows it is skipped") {
  CpuQueue queue;
  int ran = 0;
  int freed = 0;
  queue.post([&] { ++ran; });
  queue.post([] { throw DeviceError("first"); });
  queue.post([] { throw DeviceError("second"); });
  queue.post([&] { ++ran; });
  queue.post([&] { ++freed; }, CpuQueue::After::anything);
  CHECK_THROWS_WITH_AS(queue.synchronize(), "first", DeviceError);
  CHECK(ran == 1);
  CHECK(freed == 1);
  queue.post([&] { ++ran; });
  CHECK_NOTHROW(queue.synchronize());
  CHECK(ran == 2);
}

TEST_CASE("cpu backend: destroying a queue waits for its work") {
  std::atomic<int> done{0};
  {
    CpuQueue queue;
    for (int i = 0; i < 5; ++i) {
      queue.post([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ++done;
      });
    }
  }
  CHECK(done == 5);
}

TEST_CASE("cpu backend: a queue is destroyed by its own thread, with what its last work held") {
  struct Owner {
    std::shared_ptr<CpuQueue> queue;
    std::promise<void>* gone;
    Owner(std::shared_ptr<CpuQueue> q, std::promise<void>* g) : queue(std::move(q)), gone(g) {}
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() {
      queue.reset();
      gone->set_value();
    }
  };
  std::promise<void> gate, gone;
  auto queue = std::make_shared<CpuQueue>();
  queue->post([owner = std::make_shared<Owner>(queue, &gone), opened = gate.get_future().share()] { opened.wait(); });
  queue.reset();
  gate.set_value();
  CHECK(gone.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
}

TEST_CASE("cpu backend: memory is aligned, and none is an error") {
  Backend& device = backend::cpu::open(0);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}, std::size_t{5} << 20}) {
    void* const address = device.allocate(bytes, nullptr);
    REQUIRE(address != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(address) % 64 == 0);
    std::memset(address, 1, bytes);
    device.deallocate(address, bytes, nullptr);
  }
  const std::size_t huge = std::size_t{1} << 60;
  CHECK_THROWS_WITH_AS(static_cast<void>(device.allocate(huge, nullptr)),
                       doctest::Contains("failed to allocate 1152921504606846976 bytes on the CPU: the system has no more; "),
                       DeviceError);
  CHECK_THROWS_AS(static_cast<void>(device.allocate(~std::size_t{0}, nullptr)), DeviceError);
}

TEST_CASE("cpu backend: one for each number of threads, with the machine's facts") {
  Backend& all = backend::cpu::open(0);
  CHECK(&all == &backend::cpu::open(0));
  CHECK(&all != &backend::cpu::open(3));
  CHECK(backend::cpu::open(3).info().multiprocessors == 3);
  const DeviceInfo& info = all.info();
  CHECK(info.multiprocessors == base::usable_threads());
  CHECK(info.memory_bytes > (std::int64_t{64} << 20));
  CHECK(info.warp_size == 1);
  CHECK(info.runtime.starts_with("LLVM 19."));
  CHECK(info.target == all.compiler()->short_target());
  CHECK_FALSE(info.name.empty());
  CHECK_THROWS_WITH_AS(backend::cpu::open(-1),
                       "failed to open the CPU with -1 threads: give a number from 1 to 4096, or 0 for every hardware thread",
                       DeviceError);
}

TEST_CASE("cpu backend: hardware threads are those that the process may use") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &before)) {
      CPU_SET(i, &one);
      break;
    }
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(base::usable_threads() == 1);
  sched_setaffinity(0, sizeof before, &before);
  CHECK(base::usable_threads() == CPU_COUNT(&before));
}

}  // namespace
}  // namespace kiln
