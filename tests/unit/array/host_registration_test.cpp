// Registered memory and pinned arrays, as the CPU has them: the rules without a driver. tests/emulator has them with one.
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "../types/golden.hpp"
#include "kiln/error.hpp"
#include "kiln/host_memory.hpp"

using namespace kiln;
using golden::message_of;

TEST_CASE("registration: twice, within, beside, overlapping, empty, read-only") {
  const Device cpu = Device::cpu();
  const Array memory = Array::zeros({4, 100}, DType::float32);
  HostRegistration whole = register_host({memory}, cpu);
  CHECK(whole.active());
  // Within what is registered already it counts, and outlives the first one.
  HostRegistration again = register_host({memory, memory[1], memory.as_read_only()}, cpu);
  whole.deregister();
  CHECK_FALSE(whole.active());
  whole.deregister();
  const std::string overlap =
      "register_host: array 1 of shape (3, 100) overlaps memory that is registered already, and is not within it: register "
      "the array that spans both, before its parts";
  again.deregister();
  {
    const HostRegistration rows = register_host({memory[0], memory[1]}, cpu);  // side by side
    CHECK(message_of<DeviceError>([&] { static_cast<void>(register_host({memory[3], memory[Slice{1, 4}]}, cpu)); }) == overlap);
    CHECK_THROWS_AS(static_cast<void>(register_host({memory}, cpu)), DeviceError);
    // Nothing of the call that failed is left.
    CHECK(register_host({memory[Slice{2, 4}]}, cpu).active());
  }
  // Nothing is left at all: the whole can be registered.
  HostRegistration moved = register_host({memory, Array::zeros({0, 3}, DType::int8)}, cpu);
  const HostRegistration other = std::move(moved);
  CHECK(other.active());
  moved = HostRegistration();
  CHECK_THROWS_AS(static_cast<void>(register_host({memory[0], Array()}, cpu)), TypeError);
}

TEST_CASE("registration: a temporary's memory lives as long") {
  std::vector<float> values(100, 1.0F);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owner;
  HostRegistration registered =
      register_host({Array::view(values.data(), {100}, DType::float32, {.owner = std::move(owner)})}, Device::cpu());
  CHECK_FALSE(watch.expired());
  registered = HostRegistration();
  CHECK(watch.expired());
}

TEST_CASE("registration: pinned arrays are host arrays") {
  const Array a = pinned({2, 3}, DType::int16, Order::fortran, Device::cpu());
  CHECK(a.is_host());
  CHECK(a.strides() == Strides{2, 4});
  a.fill(3);
  CHECK(a.to_vector<int>() == std::vector<int>(6, 3));
  CHECK(pinned({0}, DType::float64, Order::c, Device::cpu()).size() == 0);
  CHECK_THROWS_AS(static_cast<void>(pinned({-1}, DType::float64, Order::c, Device::cpu())), ShapeError);
}
