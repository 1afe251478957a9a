// Several devices in one process share a call: kiln::chunked, and copies between them.
#include <doctest/doctest.h>
#include <kiln/array.hpp>
#include <kiln/chunked.hpp>
#include <kiln/device_array.hpp>
#include <kiln/math.hpp>
#include <kiln/partial.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace kiln;

namespace {

Array random_array(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> values(-100, 100);
  const Array array = Array::empty(shape, DType::float32);
  for (std::int64_t i = 0; i < array.size(); ++i) array.as<float>()[i] = values(random);
  return array;
}

std::string bytes_of(const Array& array) {
  const Array host = array.copy_to_host();
  return {static_cast<const char*>(host.data()), static_cast<std::size_t>(host.nbytes())};
}

std::vector<std::vector<Device>> sets_of_devices() {
  const Device first = Device::emulated("sm_90");
  const Device second = Device::emulated("sm_80");
  std::vector<std::vector<Device>> sets{{first}, {first, second}, {second, first, second}};
  if (std::ranges::count(Device::all(), Device::cpu()) != 0) sets.push_back({Device::cpu(), first, second});
  return sets;
}

}  // namespace

TEST_CASE("emulated: several devices share a call in chunks, and the bits do not depend on it") {
  const Array x = random_array({90, 111}, 1);
  const Array y = random_array({111}, 2);
  const Array mask = math::greater(x, 10.0F);
  const Reduction argmax = reduction({.name = "argmax",
                                      .signatures = {"(float32 best, int64 at)(float32 x)"},
                                      .accumulator = "float32 a; int64 i;",
                                      .map = "return {x, i};",
                                      .reduce = "return b.a > a.a ? b : a;",
                                      .post = "best = a.a; at = a.i;",
                                      .reorderable = true});
  const Ufunc f = vectorize({.name = "f", .signatures = {"float32(float32 a, float32 b)"}, .expression = "a * b + 1"});
  const Device one = Device::emulated("sm_90");
  const std::string product = bytes_of(f(x, y, {.device = one}));
  for (const std::vector<Device>& devices : sets_of_devices()) {
    for (const std::int64_t bytes : {4000, 9000, 100'000}) {
      CAPTURE(devices.size());
      CAPTURE(bytes);
      const ChunkOptions how{.chunk_bytes = bytes, .devices = devices};
      CHECK(bytes_of(chunked(f, how)(x, y)) == product);
      for (const Axes& axis : {Axes(0), Axes(1), all_axes}) {
        CHECK(bytes_of(chunked(math::add, how).reduce(x, {.axis = axis, .where = mask})) ==
              bytes_of(partial(math::add, x, {.axis = axis, .where = mask, .device = one}).finish()));
        const auto [best, at] = chunked(argmax, how).outputs<2>(x, {.axis = axis});
        const std::vector<Array> whole = partial(argmax, x, {.axis = axis, .device = one}).finish_all();
        CHECK(bytes_of(best) == bytes_of(whole[0]));
        CHECK(bytes_of(at) == bytes_of(whole[1]));
      }
    }
  }
}

TEST_CASE("emulated: elements are assigned from an array on another device, whatever its layout") {
  const Array x = random_array({6, 8}, 4);
  const Array there = to_device(x, Device::emulated("sm_90"));
  const Array here = to_device(Array::zeros({8, 3}, DType::float32), Device::emulated("sm_80"));
  here.assign(there[Slice{0, {}, 2}].transpose());
  CHECK(bytes_of(here) == bytes_of(x[Slice{0, {}, 2}].transpose().copy()));
}

TEST_CASE("emulated: parts that are on several devices are combined, by copies between them") {
  const Array x = random_array({5000}, 3);
  const Device first = Device::emulated("sm_90");
  const Device second = Device::emulated("sm_80");
  const std::string whole = bytes_of(partial(math::add, x, {.device = first}).finish());
  const Array left = to_device(x[Slice{0, 1777}], first);
  const Array right = to_device(to_device(x[Slice{1777, {}}], first), second);  // a copy between them
  CHECK(bytes_of(right) == bytes_of(x[Slice{1777, {}}]));
  const Partial a = partial(math::add, left, {.global_size = 5000});
  const Partial b = partial(math::add, right, {.global_offset = 1777, .global_size = 5000});
  CHECK(bytes_of(a.combine(b).finish()) == whole);
}
