// Printing against what NumPy printed.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "../types/golden.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "print/decimal.hpp"

using namespace kiln;

namespace {

// See make_print.py for the three forms of the data.
Array array_of(DType dtype, const Shape& shape, const std::string& data) {
  const std::size_t colon = data.find(':');
  if (colon != std::string::npos) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = std::stoll(data); i < std::stoll(data.substr(colon + 1)); ++i) numbers.push_back(i);
    return Array::from(numbers, shape).astype(dtype);
  }
  const std::size_t star = data.find('*');
  std::string bytes = golden::from_hex(data.substr(0, star));
  if (star != std::string::npos) {
    const std::string one = bytes;
    for (long long i = 1; i < std::stoll(data.substr(star + 1)); ++i) bytes += one;
  }
  const Array array = Array::empty(shape, dtype);
  REQUIRE(static_cast<std::size_t>(array.nbytes()) == bytes.size());
  std::memcpy(array.data(), bytes.data(), bytes.size());
  return array;
}

std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::vector<double> numbers_of(DType dtype) {
  std::vector<double> numbers;
  if (dtype == DType::float16 || dtype == DType::bfloat16) {
    const unsigned infinity = dtype == DType::float16 ? 0x7c00 : 0x7f80;
    for (unsigned bits = 1; bits < infinity; ++bits) {
      const auto b = static_cast<std::uint16_t>(bits);
      numbers.push_back(static_cast<double>(dtype == DType::float16 ? static_cast<float>(float16::from_bits(b))
                                                                    : static_cast<float>(bfloat16::from_bits(b))));
    }
    return numbers;
  }
  std::uint64_t state = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = splitmix(state);
    const double number = dtype == DType::float64 ? std::bit_cast<double>(bits)
                                                  : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (std::isfinite(number)) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

TEST_CASE("arrays print as NumPy prints them") {
  const std::vector<std::string> lines = golden::lines("print.txt");
  int cases = 0;
  for (std::size_t i = 0; i < lines.size();) {
    REQUIRE(lines[i][0] == '=');
    const std::string& head = lines[i];
    const auto words = golden::words(head);
    std::string expected;
    for (++i; i < lines.size() && lines[i][0] == '|'; ++i) expected += (expected.empty() ? "" : "\n") + lines[i].substr(1);
    const Array array = array_of(dtype_from_name(words[1]), golden::dims(words[2]), words[3]);
    CAPTURE(head);
    CHECK(to_string(array) == expected);
    ++cases;
  }
  CHECK(cases >= 380);
}

TEST_CASE("the digits of all 16-bit numbers, and of many others") {
  for (const std::string& line : golden::lines("digits.txt")) {
    const auto words = golden::words(line);
    const DType dtype = dtype_from_name(words[0]);
    detail::DecimalStyle style;
    if (words[1] != "shortest") style.precision = 8;
    if (words[1] == "min8") {
      style.min_digits = 8;
      style.trim = detail::Trim::keep;
    }
    const std::vector<double> numbers = numbers_of(dtype);
    golden::Checksum checksum;
    for (const double number : numbers) checksum.add(detail::scientific(number, dtype, style) + '\n');
    CAPTURE(line);
    CHECK(std::to_string(numbers.size()) == words[2]);
    CHECK(checksum.hex() == words[3]);
  }
}

TEST_CASE("windows print as what they show") {
  const Array a = Array::from<int>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  CHECK(to_string(a.transpose()) == "[[1 4]\n [2 5]\n [3 6]]");
  CHECK(to_string(a[{1, Slice{.step = -1}}]) == "[6 5 4]");
  CHECK(to_string(Array::scalar(1.5F).broadcast_to({2, 2})) == "[[1.5 1.5]\n [1.5 1.5]]");
  // Only the corners of a summarized array are read: a million million elements print at once.
  CHECK(to_string(Array::scalar(7).broadcast_to({1000000, 1000000})[{Slice{.stop = 2}}]) ==
        "[[7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]]");
  std::ostringstream stream;
  stream << a;
  CHECK(stream.str() == "[[1 2 3]\n [4 5 6]]");
}

TEST_CASE("an array of more axes than NumPy has is printed without those of extent 1") {
  CHECK(to_string(Array::from<int>({7}, Shape(30000, 1))) == "7");
  Shape shape(100, 1);
  shape[10] = shape[90] = 2;
  CHECK(to_string(Array::from<int>({1, 2, 3, 4}, shape)) == "[[1 2]\n [3 4]]");
  shape[50] = 0;
  CHECK(to_string(Array::empty(shape, DType::float32)) == "[]");
}

TEST_CASE("an empty handle does not print") {
  CHECK_THROWS_WITH_AS(static_cast<void>(to_string(Array())), "an empty Array handle was used: make or assign an array first",
                       TypeError);
}
