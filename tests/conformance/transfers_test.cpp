// Arrays on their way: to devices and back, on streams and without; copies and conversions where the elements are; what events
// order.
#include <barrier>
#include <complex>
#include <cstring>
#include <limits>
#include <thread>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "kiln/host_memory.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Event;
using kiln::Order;
using kiln::Shape;
using kiln::Slice;
using kiln::Stream;

namespace {

constexpr std::initializer_list<Mode> kPlaced = {Mode::device};

constexpr std::initializer_list<DType> kEveryDtype = {DType::bool_,   DType::int8,      DType::int16,     DType::int32,
                                                      DType::int64,   DType::uint8,     DType::uint16,    DType::uint32,
                                                      DType::uint64,  DType::float16,   DType::bfloat16,  DType::float32,
                                                      DType::float64, DType::complex64, DType::complex128};

Array numbered(const Shape& shape) {
  const Array a = Array::empty(shape, DType::float32);
  for (std::int64_t i = 0; i < a.size(); ++i) a.as<float>()[i] = static_cast<float>(i);
  return a;
}

/// The elements in C order, byte by byte.
std::string bytes_of(const Array& array) {
  const Array packed = array.copy_to_host();
  return {static_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.nbytes())};
}

/// Ends of ranges, what is beyond them, ties of roundings. A NaN stays one, of whatever bits, so floats are asked without.
Array edges(DType from, bool with_nan) {
  std::vector<std::complex<double>> values;
  for (const double v : {0.0,
                         1.0,
                         0.5,
                         2.75,
                         100.25,
                         127.5,
                         128.0,
                         255.9,
                         256.0,
                         300.0,
                         2049.0,
                         32767.5,
                         65535.5,
                         65536.0,
                         65537.0,
                         16777217.0,
                         2147483647.5,
                         2147483648.0,
                         4294967295.5,
                         4294967296.0,
                         9007199254740993.0,
                         9.2233720368547748e18,
                         9.2233720368547758e18,
                         1.8446744073709552e19,
                         1e30,
                         1e300,
                         std::numeric_limits<double>::infinity()}) {
    values.emplace_back(v, 1.0);
    values.emplace_back(-v, 0.0);
  }
  if (with_nan) values.emplace_back(std::numeric_limits<double>::quiet_NaN(), 0.0);
  return Array::from(values).astype(from);
}

}  // namespace

TEST_CASE("transfers: astype gives on every device what it gives on the host") {
  std::size_t at = seed() % one_in();
  on_every_device(
      [&](const Target& target) {
        for (const DType from : kEveryDtype) {
          for (const DType to : kEveryDtype) {
            // What is a kernel of its own is always asked; of the others, which are alike, some.
            const bool saturates = kind(to) == kiln::Kind::integer && from == DType::float32;
            if (!saturates && at++ % one_in() != 0) continue;
            const Array values = edges(from, kind(to) < kiln::Kind::floating);
            INFO("from ", std::string(name(from)), " to ", std::string(name(to)));
            const Array placed = target.place(values);
            const Array got = placed.astype(to);
            CHECK(got.device() == target.device());
            CHECK(bytes_of(got) == bytes_of(values.astype(to)));
          }
        }
      },
      kPlaced);
}

TEST_CASE("transfers: assigning converts as astype does") {
  on_every_device(
      [&](const Target& target) {
        const Array source = target.place(Array::from<double>({300.5, -300.5, std::numeric_limits<double>::quiet_NaN(), 7.9}));
        const Array bytes = target.place(Array::zeros({4}, DType::int8));
        bytes.assign(source, kiln::Casting::unsafe);
        CHECK(list_of(bytes.copy_to_host()) == std::vector<double>{127, -128, 0, 7});
      },
      kPlaced);
}

TEST_CASE("transfers: arrays with gaps are packed where they are") {
  on_every_device(
      [&](const Target& target) {
        const Array host = numbered({40, 30, 20});
        const Array placed = target.place(host);
        const auto windows = [](const Array& a) {
          return std::vector<Array>{a.transpose(),
                                    a[{kiln::all, 3}],
                                    a[{Slice{.step = -3}, kiln::all, Slice{.start = 1, .step = 2}}],
                                    a[{Slice{0, 1}}].broadcast_to({3, 30, 20}),
                                    a[{Slice{5, 5}}],
                                    a[{2, 3, 4}],
                                    a.transpose({1, 2, 0})[{Slice{.step = 2}}]};
        };
        const std::vector<Array> expected = windows(host);
        const std::vector<Array> there = windows(placed);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          CAPTURE(i);
          for (const Order order : {Order::c, Order::fortran}) {
            const Array copy = there[i].copy(order);
            CHECK(copy.device() == target.device());
            CHECK((order == Order::c ? copy.is_c_contiguous() : copy.is_f_contiguous()));
            CHECK(bytes_of(copy) == bytes_of(expected[i]));
          }
          CHECK(bytes_of(there[i]) == bytes_of(expected[i]));
          CHECK(bytes_of(there[i].reshape({-1})) == bytes_of(expected[i]));
          CHECK(there[i].astype(DType::int16).strides() == expected[i].astype(DType::int16).strides());
          CHECK(bytes_of(there[i].astype(DType::int16)) == bytes_of(expected[i].astype(DType::int16)));
          const Array existing = Array::zeros(expected[i].shape(), DType::float32, Order::fortran);
          there[i].copy_to_host(existing);
          CHECK(bytes_of(existing) == bytes_of(expected[i]));
        }
      },
      kPlaced);
}

TEST_CASE("transfers: on a stream in its order, from and to any host array") {
  const kiln::Ufunc twice = kiln::vectorize("float32(float32 a)", "return 2 * a;");
  on_every_device(
      [&](const Target& target) {
        const kiln::Device device = target.device();
        const Stream stream(device);
        const Shape shape{30, 40};
        const auto host = [&](bool page_locked) {
          Array a = page_locked ? kiln::pinned(shape, DType::float32, Order::c, device) : Array::empty(shape, DType::float32);
          a.assign(numbered(shape));
          return a;
        };
        const Array wide = Array::zeros({30, 80}, DType::float32);
        const std::vector<Array> results = {host(true), host(false), Array::zeros(shape, DType::float32, Order::fortran),
                                            wide[{kiln::all, Slice{.step = 2}}]};
        const std::string expected = bytes_of(twice(twice(numbered(shape))));
        for (const bool page_locked : {true, false}) {
          for (const Array& result : results) {
            result.fill(0.0F);
            {
              const auto scope = kiln::auto_synchronize(stream);
              // All but the result is gone before the stream has come to it.
              const Array sent = kiln::to_device(host(page_locked), device, {.stream = stream});
              const Array out = kiln::to_device(host(false), device, {.stream = stream, .copy = false});
              twice({sent}, {.out = out, .stream = stream});
              twice({out}, {.out = out, .stream = stream});
              out.copy_to_host(result, {.stream = stream});
            }
            CHECK(bytes_of(result) == expected);
          }
        }
        // The source may have gaps on both sides.
        const Array sent = kiln::to_device(numbered({80, 60}), device, {.stream = stream});
        for (const Array& result : results) {
          result.fill(0.0F);
          sent[{Slice{.step = 2}, Slice{20, 60}}][Slice{0, 30}].copy_to_host(result, {.stream = stream});
          stream.synchronize();
          CHECK(bytes_of(result) == bytes_of(numbered({80, 60})[{Slice{0, 60, 2}, Slice{20, 60}}]));
        }
        const Array turned = kiln::to_device(numbered(shape)[{kiln::all, Slice{.step = -2}}], device, {.stream = stream});
        stream.synchronize();
        CHECK(bytes_of(turned) == bytes_of(numbered(shape)[{kiln::all, Slice{.step = -2}}]));
      },
      kPlaced);
}

TEST_CASE("transfers: page-locked memory is not used again before its copy is done") {
  on_every_device(
      [&](const Target& target) {
        const Stream stream(target.device());
        std::vector<Array> sent;
        for (int i = 0; i < 20; ++i) {
          const Array host = kiln::pinned({1000}, DType::int32, Order::c, target.device());
          host.fill(i);
          sent.push_back(kiln::to_device(host, target.device(), {.stream = stream}));
        }
        std::vector<Array> back;
        for (const Array& array : sent) {
          back.push_back(kiln::pinned({1000}, DType::int32, Order::c, target.device()));
          array.copy_to_host(back.back(), {.stream = stream});
        }
        stream.synchronize();
        for (int i = 0; i < 20; ++i) {
          CHECK(back[static_cast<std::size_t>(i)].to_vector<int>() == std::vector<int>(1000, i));
        }
      },
      kPlaced);
}

TEST_CASE("transfers: without its elements an array is sent as a new one") {
  on_every_device(
      [&](const Target& target) {
        const Array like = numbered({3, 4}).transpose();
        const Array made = kiln::to_device(like, target.device(), {.copy = false});
        CHECK(made.device() == target.device());
        CHECK_FALSE(made.is_host());
        CHECK(made.shape() == like.shape());
        CHECK(made.strides() == like.strides());
        CHECK(made.data() != like.data());
        made.fill(1.0F);
        CHECK(list_of(like.copy_to_host())[1] == 4);
        CHECK(kiln::to_device(like.as_read_only(), target.device(), {.copy = false}).read_only() == false);
      },
      kPlaced);
}

TEST_CASE("transfers: an array by its strides") {
  on_every_device(
      [&](const Target& target) {
        const kiln::Device device = target.device();
        const Array a = kiln::device_array({2, 3}, DType::float32, device, {-16, 4});
        CHECK(a.strides() == kiln::Strides{-16, 4});
        a.assign(target.place(numbered({2, 3})));
        CHECK(list_of(a.copy_to_host()) == std::vector<double>{0, 1, 2, 3, 4, 5});
        CHECK(list_of(a.copy()) == std::vector<double>{0, 1, 2, 3, 4, 5});
        const Array one = kiln::device_array({4}, DType::int32, device, {0});
        one[0].fill(7);
        CHECK(list_of(one.copy_to_host()) == std::vector<double>{7, 7, 7, 7});
        CHECK(kiln::device_array({0, 3}, DType::int32, device, {12, 4}).size() == 0);
        CHECK(message_of<kiln::ShapeError>([&] {
                static_cast<void>(kiln::device_array({4}, DType::int32, device, {6}));
              }).starts_with("device_array: stride 6 of axis 0 is not a multiple of 4, the alignment of int32"));
        CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(kiln::device_array({4}, DType::int32, device, {4, 4})); }) ==
              "device_array: strides (4, 4) have 2 entries, shape (4,) has 1");
      },
      kPlaced);
}

TEST_CASE("transfers: a stream of another device is refused") {
  on_every_device(
      [&](const Target& target) {
        if (target.device().is_cpu() || !has_cpu()) return;
        const std::string gpu = to_string(target.device());
        const Stream here(kiln::Device::cpu());
        const Stream there(target.device());
        const Array host = numbered({3});
        const Array placed = target.place(host);
        CHECK(message_of<kiln::DeviceError>([&] {
                static_cast<void>(kiln::to_device(host, target.device(), {.stream = here}));
              }) == "to_device: the stream is on cpu, the array is for " + gpu + "; give a stream of " + gpu);
        CHECK(message_of<kiln::DeviceError>([&] { placed.copy_to_host(host, {.stream = here}); }) ==
              "copy_to_host: the stream is on cpu, the array is on " + gpu + "; give a stream of " + gpu);
        CHECK(message_of<kiln::DeviceError>([&] { host.copy_to_host(Array::zeros({3}, DType::float32), {.stream = there}); }) ==
              "copy_to_host: the stream is on " + gpu + ", the array is in host memory; give a stream of cpu");
        const Event event(target.device());
        CHECK(message_of<kiln::DeviceError>([&] { event.record(here); }) ==
              "cannot record an event of " + gpu + " on a stream of cpu: make the event for the stream's device");
        CHECK(message_of<kiln::DeviceError>([&] { here.wait(event); }) ==
              "a stream of cpu cannot wait for an event of " + gpu + ": wait for it in the program, with Event::synchronize()");
        CHECK(message_of<kiln::DeviceError>([&] { static_cast<void>(event.elapsed_ms(Event(kiln::Device::cpu()))); }) ==
              "cannot take the time from an event of cpu to one of " + gpu +
                  ": their clocks are not the same; record both on one device");
      },
      kPlaced);
}

TEST_CASE("transfers: an event orders what two streams do") {
  const kiln::Ufunc next = kiln::vectorize("int64(int64 a)", "return a + 1;");
  on_every_device(
      [&](const Target& target) {
        const kiln::Device device = target.device();
        const Stream first(device, {.priority = -1});
        const Stream second(device);
        const Event start(device);
        const Event ready(device);
        const Array x = target.place(Array::zeros({1000}, DType::int64));
        CHECK(ready.done());
        start.record(first);
        for (int i = 0; i < 10; ++i) {
          // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a handle's copy names the same event.
          const Event same = ready;
          next({x}, {.out = x, .stream = first});
          same.record(first);
          second.wait(ready);
          next({x}, {.out = x, .stream = second});
          ready.record(second);
          first.wait(ready);
        }
        ready.synchronize();
        CHECK(ready.done());
        CHECK(ready.elapsed_ms(start) >= 0.0);
        CHECK(list_of(x.copy_to_host()) == std::vector<double>(1000, 20));
      },
      kPlaced);
}

TEST_CASE("transfers: sixteen threads call one ufunc on their own streams with arrays that they share") {
  constexpr int kThreads = 16;
  const kiln::Ufunc axpy = kiln::vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  on_every_device(
      [&](const Target& target) {
        const kiln::Device device = target.device();
        const Array x = target.place(numbered({2000})).as_read_only();
        const Array y = target.place(Array::full({2000}, 1.0F)).as_read_only();
        std::barrier start(kThreads);
        std::vector<Array> results(kThreads);
        std::vector<std::string> faults(kThreads);
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t) {
          threads.emplace_back([&, t] {
            start.arrive_and_wait();
            const auto at = static_cast<std::size_t>(t);
            try {
              const Stream stream = Stream::per_thread(device);
              const auto scope = kiln::auto_synchronize(stream);
              results[at] = Array::empty({2000}, DType::float32);
              Array out = kiln::device_array({2000}, DType::float32, device);
              for (int i = 0; i < 5; ++i) axpy({static_cast<float>(t), x, y}, {.out = out, .stream = stream});
              out.copy_to_host(results[at], {.stream = stream});
            } catch (const std::exception& error) {
              faults[at] = error.what();
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
        for (std::size_t t = 0; t < kThreads; ++t) {
          CHECK(faults[t] == "");
          REQUIRE(results[t].valid());
          const auto* const values = results[t].as<float>();
          CHECK(values[0] == 1.0F);
          CHECK(values[1999] == static_cast<float>(t) * 1999.0F + 1.0F);
        }
      },
      kPlaced);
}
