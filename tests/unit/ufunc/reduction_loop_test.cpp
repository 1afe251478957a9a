// Which loop combines an array's elements.
#include "ufunc/reduction_loop.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kiln/error.hpp"

namespace {

using kiln::DType;
using namespace kiln::ufunc;

struct Given {
  std::vector<std::string> signatures;
  DType array;
  std::optional<DType> dtype = std::nullopt;
  bool widens_integers = false;
  bool identity = false;
  bool has_out = false;
};

std::string chosen(const Given& given) {
  std::vector<kiln::signature::TypeSignature> parsed;
  for (const std::string& text : given.signatures) parsed.push_back(kiln::signature::parse(text));
  const kiln::UfuncDefinition definition{.widens_integers = given.widens_integers};
  return choose_reduction_loop({.name = "f",
                                .method = "reduce",
                                .signatures = parsed,
                                .array = given.array,
                                .dtype = given.dtype,
                                .definition = &definition,
                                .has_out = given.has_out,
                                .identity = given.identity})
      .text;
}

}  // namespace

TEST_CASE("the loop of the array's dtype, or the first that takes it safely") {
  CHECK(chosen({{"T(T, T)"}, DType::int8}) == "int8(int8, int8)");
  CHECK(chosen({{"float32(float32, float32)", "float64(float64, float64)"}, DType::int32}) == "float64(float64, float64)");
  CHECK_THROWS_AS(chosen({{"float32(float32, float32)"}, DType::float64}), kiln::TypeError);
}

TEST_CASE("sums and products of small integers run in 64 bits") {
  const auto widened = [](DType dtype) { return chosen({{"T(T, T)"}, dtype, std::nullopt, true}); };
  CHECK(widened(DType::bool_) == "int64(int64, int64)");
  CHECK(widened(DType::int16) == "int64(int64, int64)");
  CHECK(widened(DType::uint32) == "uint64(uint64, uint64)");
  CHECK(widened(DType::uint64) == "uint64(uint64, uint64)");
  CHECK(widened(DType::float16) == "float16(float16, float16)");
  CHECK(chosen({{"T(T, T)"}, DType::int16, DType::int16, true}) == "int16(int16, int16)");
  const Given into{.signatures = {"T(T, T)"}, .array = DType::int16, .widens_integers = true, .has_out = true};
  CHECK(chosen(into) == "int16(int16, int16)");
}

TEST_CASE("a loop that gives another dtype leads to the one that gives what it takes") {
  CHECK(chosen({{"float64(T, T) where T: int32, int64", "float64(float64, float64)"}, DType::int32}) ==
        "float64(float64, float64)");
  // Truth of truths is truth, where there is an identity; `less` of results is not what was asked.
  CHECK(chosen({{"bool(T, T)"}, DType::float32, std::nullopt, false, true}) == "bool(bool, bool)");
  CHECK_THROWS_AS(chosen({{"bool(T, T)"}, DType::float32}), kiln::TypeError);
  CHECK(chosen({{"bool(T, T)"}, DType::bool_}) == "bool(bool, bool)");
  CHECK_THROWS_AS(chosen({{"float32(float32, int32)"}, DType::float32}), kiln::TypeError);
  CHECK_THROWS_AS(chosen({{"float32(float32, float32)"}, DType::float32, DType::float64}), kiln::TypeError);
}
