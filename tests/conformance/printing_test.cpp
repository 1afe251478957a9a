// What a newcomer prints.
#include <doctest/doctest.h>

#include <iomanip>
#include <sstream>

#include "kiln/array.hpp"
#include "kiln/format.hpp"
#include "kiln/print.hpp"

using kiln::Array;
using kiln::DType;

namespace {

template <class... Values>
std::string printed(const Values&... values) {
  std::ostringstream stream;
  (stream << ... << values);
  return stream.str();
}

template <class T>
concept Streamed = requires(std::ostream& stream, const T& value) { stream << value; };

}  // namespace

TEST_CASE("printing: shapes, dtypes and devices on a stream") {
  const Array a = Array::from<float>({1, 2, 3, 4}).reshape({2, 2});
  CHECK(printed(a.shape(), ' ', a.dtype(), ' ', a.device(), ' ', a.strides()) == "(2, 2) float32 cpu (8, 4)");
  CHECK(printed(a) == "[[1. 2.]\n [3. 4.]]");
  CHECK(printed(kiln::kind(DType::bool_), kiln::kind(DType::int8), kiln::kind(DType::float16), kiln::kind(DType::complex64)) ==
        "booleanintegerfloatingcomplex");
  CHECK(printed(kiln::DeviceKind::cpu, kiln::DeviceKind::cuda, kiln::DeviceKind::hip, kiln::Casting::same_kind) ==
        "cpucudahipsame_kind");
  CHECK(printed(std::setw(10), a.dtype(), '|', std::left, std::setw(9), a.shape(), '|') == "   float32|(2, 2)   |");
  CHECK(to_string(DType::int8) + to_string(kiln::Casting::safe) == "int8safe");
  CHECK(format_as(a.shape()) + format_as(a.dtype()) == "(2, 2)float32");
  CHECK(format_as(a) == to_string(a));
}

TEST_CASE("printing: what converts to a shape is not one") {
  using namespace kiln;  // NOLINT(google-build-using-namespace): as users write it
  static_assert(Streamed<Shape> && Streamed<DType> && Streamed<Device>);
  static_assert(!Streamed<std::vector<std::int64_t>>);
  CHECK(printed(5) == "5");
}

#ifdef __cpp_lib_format
TEST_CASE("printing: std::format") {
  const Array a = Array::from<float>({1, 2});
  CHECK(std::format("{} {:>8} {} {}", a.shape(), a.dtype(), a.device(), a) == "(2,)  float32 cpu [1. 2.]");
}
#endif
