// The memory of an emulated device by the public interface: each allocation refused in turn, and where memory comes from.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/math.hpp"
#include "kiln/memory.hpp"
#include "kiln/ufunc.hpp"

namespace {

using namespace kiln;

/// The emulator's own function, in the library that libkiln has opened.
void refuse_memory(int after, int times) {
  void* const library = dlopen("libkiln-emulator.so", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  reinterpret_cast<void (*)(int, int)>(dlsym(library, "kilnEmulatorRefuseMemory"))(after, times);
}

}  // namespace

TEST_CASE("emulated memory: out of memory at each allocation is a clear error, and nothing is leaked") {
  const Device device = Device::emulated("sm_80");
  const Stream stream(device);
  const Array host = Array::full({2000}, 1.5F);
  const Array rows = to_device(Array::full({40, 50}, 2.0F), device);
  const Array many = to_device(Array::full({60'000}, 1.0F), device);
  const Gufunc dot = guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 c)",
                                 "c = 0; for (int64 i = 0; i < a.size(); ++i) c += a[i] * b[i];");
  const std::vector<std::pair<const char*, std::function<Array()>>> calls = {
      {"a ufunc on host arrays", [&] { return math::add({host, host}, {.stream = stream}); }},
      {"a ufunc on a stream", [&] { return math::multiply({rows, rows}, {.stream = stream}); }},
      {"a sum in parts", [&] { return math::add.reduce(many); }},
      {"segments", [&] { return math::add.reduceat(rows, Array::from<std::int64_t>({0, 3, 20}), {.stream = stream}); }},
      {"running sums", [&] { return math::add.accumulate(rows.reshape({2000}), {.stream = stream}); }},
      {"a gufunc", [&] { return dot(rows, rows); }},
      {"a copy", [&] { return to_device(host, device); }},
  };
  const std::int64_t before = memory_stats(device).used;
  for (const auto& [name, call] : calls) {
    INFO(std::string(name));
    static_cast<void>(call());  // compiles
    stream.synchronize();
    trim(device);
    CHECK(memory_stats(device).used == before);
    int refused = 0;
    for (bool failed = true; failed; ++refused) {
      REQUIRE(refused < 20);
      refuse_memory(refused, 1000);  // also the second try, and what goes in chunks then
      failed = false;
      try {
        static_cast<void>(call());
      } catch (const DeviceError& error) {
        failed = true;
        CHECK(std::string(error.what()).find("failed to allocate ") != std::string::npos);
        CHECK(std::string(error.what()).find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos);
        CHECK(std::string(error.what()).find(" are in use in ") != std::string::npos);
      }
      refuse_memory(0, 0);
      stream.synchronize();
      trim(device);
      CHECK(memory_stats(device).used == before);
    }
    CHECK(refused > 1);
    // Refused once, there is room at the second try.
    refuse_memory(0, 1);
    static_cast<void>(call());
    refuse_memory(0, 0);
    stream.synchronize();
  }
  // Of host arrays, refused twice: it goes in chunks.
  refuse_memory(1, 2);
  CHECK(math::add({host, host}, {.stream = stream}).to_vector<float>() == std::vector<float>(2000, 3.0F));
  refuse_memory(0, 0);
  stream.synchronize();
  CHECK(memory_stats(device).used == before);
}

TEST_CASE("emulated memory: what arrays take is counted and limited") {
  const Device device = Device::emulated("sm_80");
  trim(device);
  reset_memory_peak(device);
  const MemoryStats before = memory_stats(device);
  CHECK(before.total == std::int64_t{4} << 30);
  CHECK(before.used == before.peak);
  Array a = device_array({1000}, DType::float32, device);
  MemoryStats now = memory_stats(device);
  CHECK(now.used == before.used + 4000);
  CHECK(now.allocations == before.allocations + 1);
  set_memory_limit(device, now.used + 3000);
  try {
    math::add(a, a);
    FAIL_CHECK("no error");
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what()).starts_with("failed to allocate 4000 bytes on emulated:sm_80: the limit is "));
  }
  set_memory_limit(device, std::nullopt);
  math::add(a, a);
  a = Array();
  trim(device);
  now = memory_stats(device);
  CHECK(now.used == before.used);
  CHECK(now.peak == before.used + 8000);
}

TEST_CASE("emulated memory: elements of a ufunc that race on a raw output") {
  const Stream stream{Device::emulated("sm_86")};  // of no other case: a race loses it to the process
  const Array x = to_device(Array::full({3000}, 3), stream.device());
  const Array counts = to_device(Array::zeros({6}, DType::int32), stream.device());
  const Ufunc atomic = vectorize("(raw int32 counts)(int32 x)", "atomic_add(&counts[x], 1);");
  const Ufunc plain =
      vectorize({.name = "histogram", .signatures = {"(raw int32 counts)(int32 x)"}, .body = "counts[x] += 1;"});
  atomic(x, {.out = counts, .stream = stream});
  stream.synchronize();
  CHECK(counts.to_vector<std::int32_t>() == std::vector<std::int32_t>{0, 0, 0, 3000, 0, 0});
  std::string message;
  try {
    plain(x, {.out = counts, .stream = stream});
    stream.synchronize();
  } catch (const DeviceError& error) {
    message = error.what();
  }
  CHECK(message.find("kernel histogram: thread (") != std::string::npos);
  CHECK(message.find(" byte 12 of an array of 24 bytes in a race with thread (") != std::string::npos);
  CHECK(message.find(" at histogram:1:") != std::string::npos);
}
