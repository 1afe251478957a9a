// Where calls on host arrays run: the default of the process, and scopes of a thread.
#include <doctest/doctest.h>

#include <thread>

#include "kiln/device.hpp"

using kiln::Device;
using kiln::DeviceScope;

TEST_CASE("devices: the default of the process is that of all threads, until it is taken back") {
  const Device before = Device::best();
  const Device three = Device::cpu({.threads = 3});
  Device::set_default(three);
  CHECK(Device::best() == three);
  Device elsewhere;
  std::thread([&] { elsewhere = Device::best(); }).join();
  CHECK(elsewhere == three);
  Device::set_default(Device::cpu({.threads = 4096}));
  CHECK(kiln::to_string(Device::best()) == "cpu:4096");
  Device::set_default(Device::of_kind(kiln::DeviceKind::hip));
  CHECK(kiln::to_string(Device::best()) == "hip:0");
  Device::reset_default();
  CHECK(Device::best() == before);
}

TEST_CASE("devices: a scope is its thread's alone, nests, and goes before the default") {
  const Device before = Device::best();
  const Device two = Device::cpu({.threads = 2});
  const Device five = Device::cpu({.threads = 5});
  {
    const DeviceScope outer(two);
    CHECK(Device::best() == two);
    {
      const DeviceScope inner(five);
      CHECK(Device::best() == five);
    }
    CHECK(Device::best() == two);
    Device elsewhere;
    std::thread([&] { elsewhere = Device::best(); }).join();
    CHECK(elsewhere == before);
    Device::set_default(five);
    CHECK(Device::best() == two);
    Device::reset_default();
  }
  CHECK(Device::best() == before);
}
