#include "ufunc/loops.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/message.hpp"

using kiln::Casting;
using kiln::DType;
using kiln::signature::parse;
using kiln::signature::TypeSignature;
using kiln::ufunc::Argument;
using kiln::ufunc::choose_loop;
using kiln::ufunc::effective_dtypes;
using kiln::ufunc::fixed_loops;
using kiln::ufunc::Loop;

namespace {

using kiln::test::message_of;

std::vector<TypeSignature> signatures(std::initializer_list<const char*> texts) {
  std::vector<TypeSignature> parsed;
  for (const char* text : texts) parsed.push_back(parse(text));
  return parsed;
}

Argument array(DType dtype) {
  return {dtype, false};
}
Argument weak(DType dtype) {
  return {dtype, true};
}

std::string chosen(const std::vector<TypeSignature>& loops, const std::vector<Argument>& arguments,
                   Casting casting = Casting::same_kind) {
  return choose_loop({.name = "f", .signatures = loops, .arguments = arguments, .casting = casting}).text;
}

}  // namespace

TEST_CASE("an exact loop wins over an earlier safe one") {
  const auto loops = signatures({"float64(float64 a, float64 b)", "float32(float32 a, float32 b)"});
  CHECK(chosen(loops, {array(DType::float32), array(DType::float32)}) == "float32(float32 a, float32 b)");
  CHECK(chosen(loops, {array(DType::float32), array(DType::float64)}) == "float64(float64 a, float64 b)");
}

TEST_CASE("without an exact loop the first safe one wins") {
  const auto loops = signatures({"float32(float32)", "float64(float64)"});
  CHECK(chosen(loops, {array(DType::int16)}) == "float32(float32)");
  CHECK(chosen(loops, {array(DType::int32)}) == "float64(float64)");
  CHECK(chosen(loops, {array(DType::float16)}) == "float32(float32)");
}

TEST_CASE("casting does not widen the search, it only checks") {
  const auto loops = signatures({"float32(float32 a)", "float64(float64 a)"});
  CHECK(message_of([&] { chosen(loops, {array(DType::complex64)}, Casting::unsafe); }) ==
        "f: no loop takes (complex64) by safe casts; its loops are float32(float32 a); float64(float64 a); convert an argument "
        "with astype(), or force a loop with .dtype or .signature");
  CHECK(
      message_of([&] { chosen(loops, {array(DType::int32)}, Casting::no); }) ==
      "f: cannot cast input 0 (a) from int32 to float64 under casting \"no\" for the loop float64(float64 a); convert it with "
      "astype(), or give .casting = Casting::safe");
  CHECK(chosen(loops, {array(DType::float32)}, Casting::no) == "float32(float32 a)");
}

TEST_CASE("bools alone are refused where they are no numbers, unless a loop is forced") {
  const auto loops = signatures({"int8(int8 a, int8 b)", "int64(int64 a, int64 b)"});
  const std::vector<Argument> bools{array(DType::bool_), weak(DType::bool_)};
  const kiln::UfuncDefinition strict{.bools_are_numbers = false};
  CHECK(chosen(loops, bools) == "int8(int8 a, int8 b)");
  CHECK(message_of([&] { choose_loop({.name = "f", .signatures = loops, .arguments = bools, .definition = &strict}); }) ==
        "f: bools are no numbers here, and no loop takes (bool, bool); convert an argument with astype(), force a loop with "
        ".dtype "
        "or .signature, or use a logical function");
  const auto text = [&](kiln::ufunc::LoopRequest request) {
    request.signatures = loops;
    request.definition = &strict;
    return choose_loop(request).text;
  };
  const std::vector<Argument> mixed{array(DType::bool_), array(DType::int8)};
  CHECK(text({.arguments = mixed}) == "int8(int8 a, int8 b)");
  CHECK(text({.arguments = bools, .dtype = DType::int64}) == "int64(int64 a, int64 b)");
  CHECK(text({.arguments = bools, .forced_signature = "int8, int8 -> int8"}) == "int8(int8 a, int8 b)");
  const auto exact = signatures({"int8(int8)", "bool(bool)"});
  const std::vector<Argument> one{array(DType::bool_)};
  CHECK(choose_loop({.signatures = exact, .arguments = one, .definition = &strict}).text == "bool(bool)");
}

TEST_CASE("open type variables bind by promotion") {
  const auto loops = signatures({"T(T a, T b)"});
  CHECK(chosen(loops, {array(DType::int32), array(DType::float32)}) == "float64(float64 a, float64 b)");
  CHECK(chosen(loops, {array(DType::uint8), array(DType::int8)}) == "int16(int16 a, int16 b)");
  CHECK(chosen(loops, {array(DType::bool_), array(DType::bool_)}) == "bool(bool a, bool b)");
  const Loop loop = choose_loop(
      {.name = "f", .signatures = loops, .arguments = std::vector<Argument>{array(DType::float16), array(DType::bfloat16)}});
  CHECK(loop.variables == std::vector<std::pair<std::string, DType>>{{"T", DType::float32}});
}

TEST_CASE("restricted type variables are tried in their order") {
  const auto loops = signatures({"T(T a, T b) where T: float32, float64"});
  CHECK(chosen(loops, {array(DType::int8), array(DType::int8)}) == "float32(float32 a, float32 b)");
  CHECK(chosen(loops, {array(DType::int64), array(DType::int8)}) == "float64(float64 a, float64 b)");
  CHECK(fixed_loops(loops).size() == 2);
  CHECK(fixed_loops(signatures({"T(T a)"})).empty());
  CHECK(fixed_loops(signatures({"T(T a, U b) where T: int8, int16, U: float32, float64"})).size() == 4);
}

// numpy 2: (np.zeros(1, A) + scalar).dtype
TEST_CASE("weak scalars take the arrays' dtype where their kind is not higher") {
  const auto effective = [](std::vector<Argument> arguments) { return effective_dtypes(arguments).back(); };
  CHECK(effective({array(DType::float32), weak(DType::float64)}) == DType::float32);
  CHECK(effective({array(DType::float32), weak(DType::int32)}) == DType::float32);
  CHECK(effective({array(DType::uint8), weak(DType::int64)}) == DType::uint8);
  CHECK(effective({array(DType::int32), weak(DType::float32)}) == DType::float64);
  CHECK(effective({array(DType::int8), weak(DType::float64)}) == DType::float64);
  CHECK(effective({array(DType::bool_), weak(DType::int32)}) == DType::int64);
  CHECK(effective({array(DType::float32), weak(DType::complex128)}) == DType::complex64);
  CHECK(effective({array(DType::float64), weak(DType::complex64)}) == DType::complex128);
  CHECK(effective({array(DType::int32), weak(DType::complex64)}) == DType::complex128);
  CHECK(effective({array(DType::float16), weak(DType::float64)}) == DType::float16);
  CHECK(effective({array(DType::complex64), weak(DType::int32)}) == DType::complex64);
  CHECK(effective({array(DType::float32), weak(DType::bool_)}) == DType::bool_);
  // scalars only: their C++ types decide
  CHECK(effective({weak(DType::int32), weak(DType::float32)}) == DType::float32);
}

TEST_CASE("a weak scalar fits a parameter of a higher kind than the array's it stands beside") {
  const auto loops = signatures({"float32(float32 x, int32 n, float32 a)"});
  CHECK(chosen(loops, {array(DType::float32), array(DType::int32), weak(DType::int32)}) ==
        "float32(float32 x, int32 n, float32 a)");
  CHECK(message_of([&] {
          chosen(loops, {array(DType::float32), weak(DType::float64), array(DType::float32)});
        }).starts_with("f: no loop takes (float32, float32, float32) by safe casts"));
}

TEST_CASE("a loop can be forced by the dtype of its outputs or by its signature") {
  const auto loops = signatures({"float32(float32 a)", "float64(float64 a)", "int64(float64 a)"});
  const std::vector<Argument> arguments{array(DType::float32)};
  const auto by_dtype = [&](DType dtype) {
    return choose_loop({.name = "f", .signatures = loops, .arguments = arguments, .dtype = dtype}).text;
  };
  CHECK(by_dtype(DType::float64) == "float64(float64 a)");
  CHECK(by_dtype(DType::int64) == "int64(float64 a)");
  CHECK(
      message_of([&] { by_dtype(DType::int8); }) ==
      "f: there is no loop with outputs of dtype int8; its loops are float32(float32 a); float64(float64 a); int64(float64 a)");
  const auto by_signature = [&](std::string_view text) {
    return choose_loop({.name = "f", .signatures = loops, .arguments = arguments, .forced_signature = text}).text;
  };
  CHECK(by_signature("float64 -> int64") == "int64(float64 a)");
  CHECK(by_signature("float64->float64") == "float64(float64 a)");
  CHECK(message_of([&] { by_signature("int8 -> int8"); }).starts_with("f: there is no loop \"int8 -> int8\"; its loops are"));
  CHECK(message_of([&] { by_signature("float64"); }).find("expected '->' after the inputs") != std::string::npos);
  CHECK(message_of([&] { by_signature("float64 -> nope"); }).find("nope") != std::string::npos);
  const auto open = signatures({"T(T a, T b)"});
  const std::vector<Argument> ints{array(DType::int32), array(DType::int32)};
  CHECK(choose_loop({.name = "f", .signatures = open, .arguments = ints, .dtype = DType::float64}).text ==
        "float64(float64 a, float64 b)");
  CHECK(message_of([&] {
          (void)choose_loop({.name = "f",
                             .signatures = open,
                             .arguments = std::vector<Argument>{array(DType::float64), array(DType::float64)},
                             .dtype = DType::int32});
        }) ==
        "f: cannot cast input 0 (a) from float64 to int32 under casting \"same_kind\" for the loop int32(int32 a, int32 b); "
        "convert it with astype(), or give .casting = Casting::unsafe");
}

TEST_CASE("what an error advises works") {
  const auto loops = signatures({"int32(int32 a, float32 b)", "int64(int64, float32)"});
  const auto advice = [&](const std::vector<Argument>& arguments, Casting casting) {
    const std::string text = message_of([&] { chosen(loops, arguments, casting); });
    return text.substr(text.rfind("; ") + 2);
  };
  const auto runs = [&](const std::vector<Argument>& arguments, Casting casting) {
    return message_of([&] {
             (void)choose_loop(
                 {.name = "f", .signatures = loops, .arguments = arguments, .dtype = DType::int32, .casting = casting});
           }) == "no error";
  };
  const std::string forced = "convert an argument with astype(), or force a loop with .dtype or .signature";
  const std::vector<Argument> close{array(DType::int32), array(DType::float64)};
  CHECK(advice(close, Casting::same_kind) == forced);
  CHECK(runs(close, Casting::same_kind));
  CHECK(advice(close, Casting::safe) == forced + " and .casting = Casting::same_kind");
  CHECK_FALSE(runs(close, Casting::safe));
  const std::vector<Argument> far{array(DType::float64), array(DType::float64)};
  CHECK(advice(far, Casting::same_kind) == forced + " and .casting = Casting::unsafe");
  CHECK_FALSE(runs(far, Casting::same_kind));
  CHECK(runs(far, Casting::unsafe));
  CHECK(advice(far, Casting::unsafe) == forced);

  // One input needs more than the other: what is named lets both through.
  CHECK(message_of([&] {
          (void)choose_loop({.name = "f",
                             .signatures = loops,
                             .arguments = std::vector<Argument>{array(DType::float64), array(DType::complex64)},
                             .dtype = DType::int32,
                             .casting = Casting::no});
        })
            .ends_with("from float64 to int32 under casting \"no\" for the loop int32(int32 a, float32 b); convert it with "
                       "astype(), or give .casting = Casting::unsafe"));

  // Where no option forces a loop, none is named; a reduction casts to its loop from anything.
  const auto by = [&](kiln::ufunc::LoopRequest request) {
    request.name = "f";
    const std::string text = message_of([&] { (void)choose_loop(request); });
    return text.substr(text.rfind("; ") + 2);
  };
  CHECK(by({.options = "", .signatures = loops, .arguments = far}) == "convert an argument with astype()");
  const auto uniform = signatures({"int32(int32 a, int32 b)"});
  CHECK(by({.options = ".dtype", .reduces = true, .signatures = uniform, .arguments = far}) ==
        "convert an argument with astype(), or force a loop with .dtype");
  CHECK(by({.options = ".dtype", .reduces = true, .signatures = loops, .arguments = far}) ==
        "convert an argument with astype()");
}
