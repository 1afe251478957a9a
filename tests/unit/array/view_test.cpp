// Slices, reshapes, transposes and broadcasts against Python and NumPy.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "../types/golden.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"

using namespace kiln;
using golden::message_of;

namespace {

Array counted(const Shape& shape) {
  const Array a = Array::empty(shape, DType::int32);
  std::iota(a.as<int>(), a.as<int>() + a.size(), 0);
  return a;
}

std::vector<int> values(const Array& a) {
  return a.to_vector<int>();
}

}  // namespace

TEST_CASE("every short slice takes what Python takes") {
  std::vector<std::optional<std::int64_t>> ends{std::nullopt};
  for (std::int64_t i = -7; i <= 7; ++i) ends.emplace_back(i);
  golden::Checksum checksum;
  for (std::int64_t n = 0; n < 6; ++n) {
    const Array a = counted({n});
    for (const auto& start : ends) {
      for (const auto& stop : ends) {
        for (const std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
          std::string line;
          for (const int value : values(a[{Slice{start, stop, step}}]))
            line += (line.empty() ? "" : ",") + std::to_string(value);
          checksum.add(line + '\n');
        }
      }
    }
  }
  CHECK(golden::lines("views.txt").back() == "slices " + checksum.hex());
}

TEST_CASE("numbers drop an axis, axes left out are whole") {
  const Array a = counted({3, 4});
  CHECK(values(a[{1}]) == std::vector<int>{4, 5, 6, 7});
  CHECK(values(a[{-1, -1}]) == std::vector<int>{11});
  CHECK(a[{-1, -1}].ndim() == 0);
  CHECK(values(a[{all, 1}]) == std::vector<int>{1, 5, 9});
  CHECK(values(a[{Slice{.step = -2}, Slice{.start = 2}}]) == std::vector<int>{10, 11, 2, 3});
  CHECK(values(a[{}]) == values(a));
  a[{2, 3}].as<int>()[0] = 99;  // a window on the same memory
  CHECK(values(a).back() == 99);
  CHECK(a.as_read_only()[{1}].read_only());
}

TEST_CASE("steps and ends at the limits of 64 bits") {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  const std::int64_t high = std::numeric_limits<std::int64_t>::max();
  const Array a = counted({5});
  CHECK(values(a[{Slice{.step = high}}]) == std::vector<int>{0});
  CHECK(values(a[{Slice{.step = low}}]) == std::vector<int>{4});
  CHECK(values(a[{Slice{low, high, 2}}]) == std::vector<int>{0, 2, 4});
  CHECK(values(a[{Slice{high, low, -2}}]) == std::vector<int>{4, 2, 0});
}

TEST_CASE("indices that are refused") {
  const Array a = counted({3, 4});
  CHECK(message_of<ShapeError>([&] { (void)a[{0, 0, 0}]; }) ==
        "too many indices: the array of shape (3, 4) has 2 axes, 3 were given");
  CHECK(message_of<ShapeError>([&] { (void)a[{0, 4}]; }) == "index 4 is out of bounds for axis 1 of shape (3, 4)");
  CHECK(message_of<ShapeError>([&] { (void)a[{-4}]; }) == "index -4 is out of bounds for axis 0 of shape (3, 4)");
  CHECK(message_of<ShapeError>([&] { (void)a[{Slice{.step = 0}}]; }) ==
        "a slice step is 0: use a positive or a negative number");
}

TEST_CASE("reshapes of strided arrays: NumPy's elements, and a copy only where NumPy copies") {
  constexpr std::int64_t kMiddle = 5000;
  const Array buffer = Array::empty({2 * kMiddle}, DType::int16);
  std::iota(buffer.as<std::int16_t>(), buffer.as<std::int16_t>() + buffer.size(), std::int16_t{0});
  int cases = 0;
  for (const std::string& line : golden::lines("views.txt")) {
    const auto words = golden::words(line);
    if (words[0] != "reshape") continue;
    CAPTURE(line);
    Strides strides = golden::dims(words[2]);
    for (std::int64_t& stride : strides) stride *= 2;
    const Array window =
        Array::view(buffer.as<std::int16_t>() + kMiddle, golden::dims(words[1]), DType::int16, {.strides = strides});
    const Array result = window.reshape(golden::dims(words[3]), words[4] == "C" ? Order::c : Order::fortran);
    const auto got = result.to_vector<std::int16_t>();
    CHECK(std::string(reinterpret_cast<const char*>(got.data()), 2 * got.size()) == golden::from_hex(words[6]));
    const auto* const at = static_cast<const std::int16_t*>(result.data());
    const bool inside = at >= buffer.as<std::int16_t>() && at < buffer.as<std::int16_t>() + buffer.size();
    CHECK(inside == (words[5] == "view"));
    ++cases;
  }
  CHECK(cases == 400);
}

TEST_CASE("reshapes that find an extent, and of no elements") {
  const Array a = counted({2, 6});
  CHECK(a.reshape({3, -1}).shape() == Shape{3, 4});
  CHECK(a.reshape({-1}).shape() == Shape{12});
  CHECK(a.reshape({-1}).data() == a.data());
  CHECK(counted({1}).reshape({}).ndim() == 0);
  CHECK(Array::scalar(1).reshape({1, 1}).shape() == Shape{1, 1});
  CHECK(Array::zeros({0, 3}, DType::int8).reshape({-1, 3}).shape() == Shape{0, 3});
  CHECK(Array::zeros({0, 3}, DType::int8).reshape({5, 0}).shape() == Shape{5, 0});
  CHECK(a.reshape({12}, Order::fortran).to_vector<int>() == std::vector<int>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  CHECK(a.ravel(Order::fortran).to_vector<int>() == std::vector<int>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  CHECK(a.transpose().ravel().to_vector<int>() == std::vector<int>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
}

TEST_CASE("ravel gives elements one behind the other, of an array that lies otherwise a copy") {
  const Array a = counted({6});
  CHECK(a.ravel().data() == a.data());
  const Array second = a[{Slice{.step = 2}}].ravel();
  CHECK(second.is_c_contiguous());
  CHECK(second.as<int>()[1] == 2);
  const Array same = Array::full({1}, 7).broadcast_to({3}).ravel();
  CHECK_FALSE(same.read_only());
  same.as<int>()[0] = 1;
  CHECK(same.to_vector<int>() == std::vector<int>{1, 7, 7});
  CHECK(Array::scalar(5).ravel().shape() == Shape{1});
  CHECK(Array::zeros({2, 0}, DType::int8).ravel().shape() == Shape{0});
}

TEST_CASE("numbers of every integer type are indices") {
  const Array a = counted({2, 3});
  CHECK(a[{1LL, std::size_t{2}}].item<int>() == 5);
  CHECK(a[{static_cast<std::int8_t>(-1), 0U}].item<int>() == 3);
  enum Column { first, second };
  CHECK(a[{1, second}].item<int>() == 4);
}

TEST_CASE("any byte of a bool array but 0 is true, and read as C++'s true") {
  std::vector<unsigned char> bytes{2, 0, 255, 1};
  const Array a = Array::view(bytes.data(), {4}, DType::bool_, {});
  CHECK(a.to_vector<bool>() == std::vector<bool>{true, false, true, true});
  const bool item = a[{0}].item<bool>();
  unsigned char byte = 0;
  std::memcpy(&byte, &item, 1);
  CHECK(byte == 1);
  CHECK(a.to_vector<int>() == std::vector<int>{1, 0, 1, 1});
}

TEST_CASE("reshapes that are refused") {
  const Array a = counted({2, 3});
  const auto refusal = [&](const Shape& shape) { return message_of<ShapeError>([&] { (void)a.reshape(shape); }); };
  CHECK(refusal({4}) == "cannot reshape an array of shape (2, 3) (6 elements) into (4,)");
  CHECK(refusal({4, -1}) == "cannot reshape an array of shape (2, 3) (6 elements) into (4, -1)");
  CHECK(refusal({0, -1}) == "cannot reshape an array of shape (2, 3) (6 elements) into (0, -1)");
  CHECK(refusal({-1, -1}) == "cannot reshape an array of shape (2, 3) (6 elements) into (-1, -1): only one extent may be -1");
  CHECK(refusal({-2, 3}) ==
        "cannot reshape an array of shape (2, 3) (6 elements) into (-2, 3): extents are 0 or more, or -1 for the one to be "
        "found");
  CHECK(message_of<ShapeError>([] { (void)Array::zeros({0}, DType::int8).reshape({0, -1}); }) ==
        "cannot reshape an array of shape (0,) (0 elements) into (0, -1)");
}

TEST_CASE("transposes") {
  const Array a = counted({2, 3, 4});
  CHECK(a.transpose().shape() == Shape{4, 3, 2});
  CHECK(a.transpose().strides() == Strides{4, 16, 48});
  CHECK(a.transpose({1, 2, 0}).shape() == Shape{3, 4, 2});
  CHECK(a.transpose({1, -1, 0}).strides() == Strides{16, 4, 48});
  CHECK(values(counted({2, 3}).transpose()) == std::vector<int>{0, 3, 1, 4, 2, 5});
  const auto refusal = [&](const Dims& axes) { return message_of<ShapeError>([&] { (void)a.transpose(axes); }); };
  CHECK(refusal({0, 1}) == "cannot transpose an array of shape (2, 3, 4) to axes (0, 1): it has 3 axes, 2 were given");
  CHECK(refusal({0, 1, 3}) == "cannot transpose an array of shape (2, 3, 4) to axes (0, 1, 3): axis 3 is out of range");
  CHECK(refusal({0, 1, -2}) == "cannot transpose an array of shape (2, 3, 4) to axes (0, 1, -2): axis 1 stands twice");
}

TEST_CASE("broadcasts") {
  const Array a = counted({3, 1});
  const Array b = a.broadcast_to({2, 3, 2});
  CHECK(b.strides() == Strides{0, 4, 0});
  CHECK(b.read_only());
  CHECK(values(b) == std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  CHECK(a.broadcast_to({3, 0}).size() == 0);
  CHECK(Array::scalar(7).broadcast_to({}).ndim() == 0);
  const auto refusal = [&](const Shape& shape) { return message_of<ShapeError>([&] { (void)a.broadcast_to(shape); }); };
  CHECK(refusal({2, 2}) == "cannot broadcast an array of shape (3, 1) to (2, 2)");
  CHECK(refusal({3}) == "cannot broadcast an array of shape (3, 1) to (3,)");
  CHECK(refusal({-3, 1}) == "shape (-3, 1) has a negative extent: extents are 0 or more");
  CHECK(message_of<ShapeError>([] { (void)counted({3}).broadcast_to({0}); }) ==
        "cannot broadcast an array of shape (3,) to (0,)");
}
