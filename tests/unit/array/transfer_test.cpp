// Between host and devices. The CPU shares the host's memory; GPUs take part where there are any.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "../types/golden.hpp"
#include "base/have_cpu.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/stream.hpp"

using namespace kiln;
using golden::message_of;

namespace {

Array counting(const Shape& shape) {
  const Array a = Array::empty(shape, DType::float32);
  std::iota(a.as<float>(), a.as<float>() + a.size(), 0.0F);
  return a;
}

}  // namespace

TEST_CASE("placing an array on the CPU copies nothing") {
  const Array host = counting({2, 3});
  const Array placed = to_device(host, Device::cpu());
  CHECK(placed.data() == host.data());
  CHECK_FALSE(placed.is_host());
  CHECK(placed.device() == Device::cpu());
  CHECK(placed.as<float>()[5] == 5);
  CHECK(to_device(placed, Device::cpu()).rep() == placed.rep());
  const Array two = to_device(placed, Device::cpu({.threads = 2}));
  CHECK(two.data() == host.data());
  CHECK(two.device() == Device::cpu({.threads = 2}));
  CHECK(placed.copy().is_host() == false);
  CHECK(placed.astype(DType::int8).is_host() == false);
  CHECK(placed.transpose().device() == Device::cpu());
  CHECK(placed.copy_to_host().is_host());
  CHECK(placed.copy_to_host().data() != host.data());
  CHECK(to_device(host.as_read_only(), Device::cpu()).read_only());
}

TEST_CASE("device_array and device_array_like") {
  const Array a = device_array({2, 3}, DType::int16, Device::cpu(), Order::fortran);
  CHECK_FALSE(a.is_host());
  CHECK(a.strides() == Strides{2, 4});
  CHECK(device_array_like(a).strides() == Strides{2, 4});
  CHECK(device_array_like(a.transpose()).strides() == Strides{4, 2});
  CHECK(device_array_like(a[{all, Slice{.step = 2}}]).strides() == Strides{4, 2});
  CHECK(device_array_like(a).dtype() == DType::int16);
  CHECK_FALSE(device_array_like(a).is_host());
}

TEST_CASE("to every GPU and back") {
  for (const Device& device : Device::all()) {
    if (device.is_cpu()) continue;
    CAPTURE(to_string(device));
    const Array host = counting({5, 7, 3});
    const Array placed = to_device(host, device);
    CHECK_FALSE(placed.is_host());
    CHECK(placed.device() == device);
    CHECK(placed.to_vector<float>() == host.to_vector<float>());
    CHECK(placed.copy().to_vector<float>() == host.to_vector<float>());
    CHECK(placed.copy(Order::fortran).copy_to_host().to_vector<float>() == host.to_vector<float>());
    const Array window = placed[{Slice{.step = -2}, all, 1}].transpose();
    const Array expected = host[{Slice{.step = -2}, all, 1}].transpose();
    CHECK(window.to_vector<float>() == expected.to_vector<float>());
    CHECK(window.copy().copy_to_host().to_vector<float>() == expected.to_vector<float>());
    CHECK(window.astype(DType::int32).device() == device);
    CHECK(window.astype(DType::int32).to_vector<int>() == expected.astype(DType::int32).to_vector<int>());
    CHECK(window.reshape({-1}).to_vector<float>() == expected.reshape({-1}).to_vector<float>());
    CHECK(to_device(host.transpose(), device).is_f_contiguous());
    CHECK(to_device(expected, device).to_vector<float>() == expected.to_vector<float>());
    CHECK(to_device(window, Device::cpu()).to_vector<float>() == expected.to_vector<float>());
    CHECK(to_device(Array::zeros({0, 3}, DType::int8), device).copy_to_host().size() == 0);
    CHECK(to_string(placed) == to_string(host));
    Array existing = Array::zeros(expected.shape(), DType::float32);
    window.copy_to_host(existing);
    CHECK(existing.to_vector<float>() == expected.to_vector<float>());
    CHECK(message_of<TypeError>([&] { (void)placed.as<float>(); }) ==
          "as<T>(): the array is on " + to_string(device) + ", which the host cannot read: use copy_to_host()");
    Array on_device = placed;
    CHECK(message_of<TypeError>([&] { host.copy_to_host(on_device); }) ==
          "copy_to_host: the existing array is on " + to_string(device) + ": give a host array");
  }
}

#if KILN_HAVE_CPU
TEST_CASE("streams") {
  const Stream standard;
  CHECK(standard.is_default());
  CHECK(standard.device() == Device::cpu());
  CHECK(standard.queue() == nullptr);
  const Stream own(Device::cpu());
  CHECK_FALSE(own.is_default());
  const Stream copy = own;  // NOLINT(performance-unnecessary-copy-initialization): what is tested
  CHECK(copy.queue() == own.queue());
  own.synchronize();
  standard.synchronize();
}
#endif
