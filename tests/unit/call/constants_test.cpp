// How many values of constants have kernels of their own.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "call/constants.hpp"

using namespace kiln;
using call::ConstantKey;
using call::ConstantLimit;

namespace {

ConstantKey key_of(int value, const Device& device = Device::cpu()) {
  ConstantKey key(device);
  key.add(DType::int32, &value);
  return key;
}

struct Made {
  int value;
};

}  // namespace

TEST_CASE("constants: keys are equal where device, dtypes and bits are") {
  const float one = 1;
  const int same_bits = 0x3f800000;
  ConstantKey floating(Device::cpu());
  floating.add(DType::float32, &one);
  ConstantKey integer(Device::cpu());
  integer.add(DType::int32, &same_bits);
  CHECK(key_of(5) == key_of(5));
  CHECK_FALSE(key_of(5) == key_of(6));
  CHECK_FALSE(floating == integer);
  CHECK_FALSE(key_of(5) == key_of(5, Device::of_kind(DeviceKind::cuda)));
}

TEST_CASE("constants: so many values of each device are made, each once, and one refusal is the first") {
  ConstantLimit limit;
  base::Table<ConstantKey, Made> table;
  int made = 0;
  const auto find = [&](int value, const Device& device = Device::cpu()) {
    return limit.find_or_make(table, key_of(value, device), 3, [&] { return ++made, value; });
  };
  for (const int value : {1, 2, 1, 3, 2}) {
    REQUIRE(find(value) != nullptr);
    CHECK(find(value)->value == value);
  }
  CHECK(made == 3);
  CHECK(find(4) == nullptr);
  CHECK(find(3) != nullptr);
  CHECK(made == 3);
  CHECK(find(4, Device::of_kind(DeviceKind::cuda)) != nullptr);
  CHECK(limit.is_first_refusal(Device::cpu()));
  CHECK_FALSE(limit.is_first_refusal(Device::cpu()));
  CHECK(limit.is_first_refusal(Device::of_kind(DeviceKind::cuda)));
  CHECK(limit.find_or_make(table, key_of(9, Device::of_kind(DeviceKind::hip)), 0, [&] { return 9; }) == nullptr);
}

TEST_CASE("constants: threads that ask at once make each value once") {
  ConstantLimit limit;
  base::Table<ConstantKey, Made> table;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int value = 0; value < 20; ++value) {
        limit.find_or_make(table, key_of(value), 12, [&] { return ++made, value; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == 12);
}

TEST_CASE("constants: the warning names the parameter, the device, the number and the remedy") {
  const Diagnostic warning = call::limit_warning("blur", "input 1 (radius)", Device::cpu(), 16);
  CHECK(
      to_string(warning) ==
      "blur: warning: input 1 (radius) is \"constant\", and 16 values have kernels of their own on cpu: further values run the "
      "plain kernel, which takes them as ordinary arguments; leave \"constant\" out of the signature, or raise "
      ".compile.constant_variants");
}
