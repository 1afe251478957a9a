// libkiln-gpu-peers.so: kiln for bench/gpu_peers.py, in the process of its peers and on the same arrays, which are kiln's.
//
// 1. All functions may be called from one thread at a time.
// 2. What fails answers with null or a negative number, and kiln_peers_error() says why.
// 3. Arrays are one-dimensional, of float32, on the device that kiln_peers_open() named; they and calls are never freed.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <kiln/kiln.hpp>
#include <string>

#include "gpu_kernels.hpp"

namespace {

using namespace kiln;

struct State {
  Device device;
  std::deque<Array> arrays;  // whose elements stay where they are
  std::deque<std::function<void()>> calls;
  std::string error;
};

State& state() {
  static auto* const all = new State;  // leaked: the driver may be gone when the process ends
  return *all;
}

template <class Result>
Result guarded(Result failure, const std::function<Result()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    state().error = error.what();
    return failure;
  }
}

}  // namespace

#define KILN_PEERS extern "C" __attribute__((visibility("default")))

KILN_PEERS const char* kiln_peers_error() {
  return state().error.c_str();
}

/// 0 where there is a device of that name: "cuda", "hip".
KILN_PEERS int kiln_peers_open(const char* device) {
  return guarded<int>(-1, [&] {
    state().device = Device::from_string(device);
    state().device.synchronize();
    return 0;
  });
}

/// A device array of these values.
KILN_PEERS void* kiln_peers_array(const float* values, std::int64_t size) {
  return guarded<void*>(
      nullptr, [&]() -> void* { return &state().arrays.emplace_back(to_device(Array::view(values, {size}), state().device)); });
}

KILN_PEERS std::uint64_t kiln_peers_address(void* array) {
  return static_cast<Array*>(array)->native();
}

/// Sets all elements, when the work that was queued before is done.
KILN_PEERS int kiln_peers_fill(void* array, float value) {
  return guarded<int>(-1, [&] {
    static_cast<Array*>(array)->fill(value);
    state().device.synchronize();
    return 0;
  });
}

/// Waits for all work that was queued, and copies the elements to `values`.
KILN_PEERS int kiln_peers_read(void* array, float* values) {
  return guarded<int>(-1, [&] {
    state().device.synchronize();
    const Array& from = *static_cast<Array*>(array);
    from.copy_to_host(Array::view(values, from.shape()));
    return 0;
  });
}

/// Makes one of gpu_ufunc()'s, or "sum", ready to be called on arrays, the last of which is the output, of one element for a
/// sum.
KILN_PEERS void* kiln_peers_call(const char* operation, void* const* arrays, int count) {
  return guarded<void*>(nullptr, [&]() -> void* {
    const Array out = *static_cast<Array*>(arrays[count - 1]);
    std::vector<Arg> args;
    for (int i = 0; i + 1 < count; ++i) args.emplace_back(*static_cast<Array*>(arrays[i]));
    if (std::strcmp(operation, "sum") == 0) {
      const Array x = *static_cast<Array*>(arrays[0]);
      return &state().calls.emplace_back([x, scalar = out.reshape({})] { math::add.reduce(x, {.out = scalar}); });
    }
    const Ufunc ufunc = vectorize(bench::gpu_ufunc(operation));
    return &state().calls.emplace_back(
        [ufunc, args, options = CallOptions{.out = out}] { ufunc(std::span<const Arg>(args), options); });
  });
}

/// Queues the call so many times, and returns.
KILN_PEERS int kiln_peers_run(void* call, std::int64_t times) {
  return guarded<int>(-1, [&] {
    for (std::int64_t i = 0; i < times; ++i) (*static_cast<std::function<void()>*>(call))();
    return 0;
  });
}

KILN_PEERS int kiln_peers_wait() {
  return guarded<int>(-1, [] {
    state().device.synchronize();
    return 0;
  });
}

/// Seconds from the text of a discriminant that nothing has compiled before to its result.
KILN_PEERS double kiln_peers_first_result(const char* salt, void* const* arrays) {
  return guarded<double>(-1, [&] {
    const auto start = std::chrono::steady_clock::now();
    UfuncDefinition definition = bench::gpu_ufunc("discriminant");
    definition.body = std::string("/* ") + salt + " */ " + definition.body;
    const auto array = [&](int i) -> const Array& { return *static_cast<Array*>(arrays[i]); };
    vectorize(std::move(definition))({array(0), array(1), array(2)}, {.out = array(3)});
    state().device.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
}
