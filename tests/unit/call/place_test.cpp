#include "call/place.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/have_cpu.hpp"
#include "call/staging.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "support/message.hpp"

using namespace kiln;

namespace {

#if KILN_HAVE_CPU
/// An array that claims to be on a device: nothing of it is read.
Array on(const Device& device) {
  detail::ArrayRep rep;
  rep.on_host = false;
  rep.device = device;
  return detail::make_array(std::move(rep));
}

call::Place place_of(const std::vector<Array>& arrays, const Stream& stream = {}, const std::optional<Device>& device = {}) {
  return call::choose_place([] { return std::string("f"); }, arrays.size(),
                            [&](std::size_t i) { return arrays[i].rep().get(); },
                            [](std::size_t i) { return "operand " + std::to_string(i); }, {stream, device});
}

std::string error_of(const std::vector<Array>& arrays, const Stream& stream, const std::optional<Device>& device = {}) {
  try {
    static_cast<void>(place_of(arrays, stream, device));
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}
#endif

}  // namespace

#if KILN_HAVE_CPU
TEST_CASE("call: arrays on a device decide where a call runs") {
  const Array host = Array::zeros({2}, DType::float32);
  const call::Place place = place_of({host, Array(), on(Device::cpu({.threads = 2}))});
  CHECK(to_string(place.device) == "cpu:2");
  CHECK_FALSE(place.on_host);
  CHECK_FALSE(place.gpu());
  CHECK_FALSE(place.staged);
  CHECK(place.queue == nullptr);
}

TEST_CASE("call: a stream decides where host arrays go, and must be of the arrays' device") {
  const Stream stream(Device::cpu({.threads = 1}));
  const call::Place place = place_of({Array::zeros({2}, DType::float32)}, stream);
  CHECK(to_string(place.device) == "cpu:1");
  CHECK(place.on_host);
  CHECK_FALSE(place.staged);
  CHECK(place.queue == stream.queue().get());
  // All CPU devices share their memory.
  CHECK(error_of({on(Device::cpu({.threads = 2}))}, stream) == "no error");
}

TEST_CASE("call: .device decides where host arrays go, and must be that of the arrays and the stream") {
  const Array host = Array::zeros({2}, DType::float32);
  const Device gpu = Device::of_kind(DeviceKind::hip);
  CHECK(place_of({host}, {}, gpu).device == gpu);
  CHECK(place_of({host}, {}, gpu).staged);
  CHECK(to_string(place_of({host}, {}, Device::cpu({.threads = 7})).device) == "cpu:7");
  CHECK(error_of({host, on(Device::cpu({.threads = 2}))}, {}, gpu) ==
        "f: .device is hip:0, operand 1 is on cpu:2; leave .device out, or bring all to that device");
  const Stream stream(Device::cpu({.threads = 1}));
  CHECK(error_of({host}, stream, gpu) ==
        "f: .device is hip:0, the stream is on cpu:1; leave .device out, or bring all to that device");
  // A CPU's threads are the stream's, or the arrays'.
  CHECK(to_string(place_of({host}, stream, Device::cpu({.threads = 7})).device) == "cpu:1");
}
#endif

TEST_CASE("call: how two devices, and a stream of a third, are told") {
  const Device cpu = KILN_HAVE_CPU ? Device::cpu({.threads = 3}) : Device();
  CHECK(test::message_of<DeviceError>([&] { call::fail_devices("f", "a", cpu, "b", Device()); }) ==
        "f: a is on " + to_string(cpu) + ", b is on cpu; bring them to one device with to_device()");
  CHECK(test::message_of<DeviceError>([&] { call::fail_stream("f", cpu, Device()); }) ==
        "f: the stream is on " + to_string(cpu) + ", the arrays are on cpu; give a stream of that device");
}

TEST_CASE("call: what a host array would be on a GPU is packed, and repeats what repeats") {
  const Device gpu = Device::of_kind(DeviceKind::hip);
  const Array column = Array::zeros({3, 1}, DType::float32);
  const Array repeated = call::as_sent(*column.broadcast_to({3, 4}).rep(), true, 1, gpu);
  CHECK(repeated.strides() == Strides{4, 0});
  CHECK(repeated.device() == gpu);
  CHECK(repeated.rep()->data != call::as_sent(*column.rep(), true, 2, gpu).rep()->data);
  const Array turned = Array::zeros({3, 4}, DType::float32).transpose();
  CHECK(call::as_sent(*turned.rep(), true, 0, gpu).strides() == Strides{4, 16});
  // An output is made anew, in C order.
  CHECK(call::as_sent(*turned.rep(), false, 0, gpu).strides() == Strides{12, 4});
}
