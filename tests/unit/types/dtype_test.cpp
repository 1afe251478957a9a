// Names, casting and promotion against the tables of NumPy and ml_dtypes.
#include <doctest/doctest.h>

#include "golden.hpp"
#include "kiln/dtype.hpp"
#include "kiln/error.hpp"

using namespace kiln;
using golden::message_of;

namespace {
bool same(std::string_view a, std::string_view b) {
  return a == b;
}
}  // namespace

TEST_CASE("can_cast and promote agree with NumPy on all pairs") {
  int pairs = 0;
  for (const std::string& line : golden::lines("dtypes.txt")) {
    if (line[0] == '#') continue;
    const auto words = golden::words(line);
    REQUIRE(words.size() == 8);
    const DType from = dtype_from_name(words[0]);
    const DType to = dtype_from_name(words[1]);
    CAPTURE(line);
    for (std::size_t rule = 0; rule < 5; ++rule)
      CHECK(can_cast(from, to, static_cast<Casting>(rule)) == (words[2 + rule] == "1"));
    CHECK(same(name(promote(from, to)), words[7]));
    ++pairs;
  }
  CHECK(pairs == kDTypeCount * kDTypeCount);
}

TEST_CASE("names, sizes and kinds") {
  CHECK(same(name(DType::bool_), "bool"));
  CHECK(same(name(DType::bfloat16), "bfloat16"));
  CHECK(itemsize(DType::bool_) == 1);
  CHECK(itemsize(DType::bfloat16) == 2);
  CHECK(itemsize(DType::complex64) == 8);
  CHECK(itemsize(DType::complex128) == 16);
  CHECK(kind(DType::bool_) == Kind::boolean);
  CHECK(kind(DType::uint8) == Kind::integer);
  CHECK(kind(DType::float16) == Kind::floating);
  CHECK(kind(DType::complex64) == Kind::complex);
  CHECK(is_signed(DType::int8));
  CHECK_FALSE(is_signed(DType::uint64));
  CHECK_FALSE(is_signed(DType::bool_));
  CHECK(is_signed(DType::float32));
  CHECK(same(name(Casting::same_kind), "same_kind"));
  CHECK(same(name(Casting::no), "no"));
  for (int i = 0; i < kDTypeCount; ++i) CHECK(dtype_from_name(name(static_cast<DType>(i))) == static_cast<DType>(i));
  CHECK(dtype_of<long> == DType::int64);
  CHECK(dtype_of<long long> == DType::int64);
  CHECK(dtype_of<const unsigned char> == DType::uint8);
}

TEST_CASE("an unknown name is answered with the nearest one") {
  const auto answer = [](std::string_view text) { return message_of<TypeError>([&] { (void)dtype_from_name(text); }); };
  CHECK(answer("flaot32") == "unknown dtype \"flaot32\": did you mean \"float32\"?");
  CHECK(answer("Float64") == "unknown dtype \"Float64\": did you mean \"float64\"?");
  CHECK(answer("int46") == "unknown dtype \"int46\": did you mean \"int16\"?");
  CHECK(answer("unit8") == "unknown dtype \"unit8\": did you mean \"uint8\"?");
  CHECK(answer("bfloat") == "unknown dtype \"bfloat\": did you mean \"bfloat16\"?");
  CHECK(answer("double") == "unknown dtype \"double\": did you mean \"float64\"?");
  CHECK(answer("f8") == "unknown dtype \"f8\": did you mean \"float64\"?");
  CHECK(answer("intp") == "unknown dtype \"intp\": did you mean \"int64\"?");
  CHECK(answer("float") == "unknown dtype \"float\": did you mean \"float32\"?");
  const std::string all =
      "the dtypes are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
      "complex64, complex128";
  CHECK(answer("banana") == "unknown dtype \"banana\": " + all);
  CHECK(answer("") == "unknown dtype \"\": " + all);
  CHECK(answer(std::string(1000, 'x')) == "unknown dtype \"" + std::string(40, 'x') + "…\": " + all);
}

TEST_CASE("shapes as text") {
  CHECK(to_string(Shape{}) == "()");
  CHECK(to_string(Shape{3}) == "(3,)");
  CHECK(to_string(Shape{2, -3}) == "(2, -3)");
}
