// The operands of a call: what is refused, what overlaps, how they would lie elsewhere.
#include "call/operands.hpp"

#include <doctest/doctest.h>

#include "kiln/error.hpp"

namespace {

using namespace kiln;

class Two : public call::Callee {
 public:
  [[nodiscard]] std::string what() const override { return "two"; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override {
    return (operand < 2 ? "input " : "output ") + std::to_string(operand % 2);
  }
  [[nodiscard]] std::string forms() const override { return "its loops are f(a, b)"; }
};

const Two kTwo;
const Stream kDefault;
const DType kFloats[] = {DType::float32, DType::float32};
const std::string kLoop = "f(a, b)";

template <class Fail>
std::string message(const Fail& fail) {
  try {
    fail();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refused(std::vector<Arg> args, const Array& where, std::vector<Array> out) {
  return message([&] { const call::Operands operands(kTwo, {args, where, out, kDefault}, 2, 2); });
}

Array floats(std::int64_t n) {
  return Array::zeros({n}, DType::float32);
}

}  // namespace

TEST_CASE("call: arguments, masks and outputs that are refused") {
  const Array a = floats(3);
  CHECK(refused({a}, {}, {}) == "two takes 2 arguments, 1 given; its loops are f(a, b)");
  CHECK(refused({a, Array()}, {}, {}) == "two: input 1 is an empty Array handle, not an array");
  CHECK(refused({a, 1.0F}, a, {}) ==
        "two: cannot cast .where from float32 to bool; give a bool array, such as the result of a comparison");
  CHECK(refused({a, a}, {}, {a}) == "two has 2 outputs, .out names 1 array");
  CHECK(refused({a, a}, {}, {Array(), Array()}) ==
        "two: output 0 is an empty Array handle, not an array, and so are the others; leave .out away for fresh results");
  CHECK(refused({a, 1.0F}, {}, {Array(), a}) == "no error");
  CHECK(message([&] {
          const Arg args[] = {a, a};
          const Array mask = Array::zeros({3}, DType::bool_);
          const call::Operands operands(kTwo, {args, mask, {}, kDefault}, 2, 2, 28);
        }) == "two: .where makes more operands than the 32 that a kernel takes; use fewer operands");
}

TEST_CASE("call: casts, scalars that do not fit, and integers that the kernel narrows") {
  const Arg args[] = {floats(3), 300};
  const Array out[] = {Array::zeros({3}, DType::int32), Array()};
  call::Operands operands(kTwo, {args, call::kNoMask, out, kDefault}, 2, 2);
  CHECK(message([&] { operands.check_casts({kFloats, kFloats, kLoop}, Casting::same_kind); }) ==
        "two: cannot cast output 0 from float32 to the out array's int32 under casting \"same_kind\" for the loop f(a, b)");
  CHECK(message([&] { operands.check_casts({kFloats, kFloats, kLoop}, Casting::unsafe); }) == "no error");
  const DType bytes[] = {DType::float32, DType::uint8};
  operands.set_types({bytes, kFloats, kLoop});
  const std::string unfit = "two: the integer 300 given as input 1 does not fit in uint8, the dtype of the loop f(a, b)";
  CHECK(message([&] { operands.convert_scalars({bytes, kFloats, kLoop}, Casting::same_kind); }) == unfit);
  operands.set_types({kFloats, kFloats, kLoop});
  operands.convert_scalars({kFloats, kFloats, kLoop}, Casting::same_kind);
  CHECK(*static_cast<const float*>(operands.value(1)) == 300.0F);
  const std::pair<std::size_t, DType> narrowed[] = {{1, DType::uint8}};
  CHECK(message([&] { operands.convert_scalars({kFloats, kFloats, kLoop, narrowed}, Casting::same_kind); }) == unfit);
  CHECK(operands.storage_dtypes() == std::vector{DType::float32, DType::float32, DType::int32, DType::float32});
}

TEST_CASE("call: inputs that outputs overwrite are told, and replaced by copies") {
  const Array all = floats(8);
  const Array front = all[{Slice{.start = 0, .stop = 4}}];
  const Array middle = all[{Slice{.start = 2, .stop = 6}}];
  const Arg args[] = {front, middle};
  const Array out[] = {middle, Array()};
  call::Operands operands(kTwo, {args, call::kNoMask, out, kDefault}, 2, 2);
  operands.set_types({kFloats, kFloats, kLoop});
  std::vector<std::string> report;
  CHECK(operands.overlapping_inputs(true, &report) == 1);
  CHECK(report == std::vector<std::string>{"input 0 overlaps output 0 and is copied first"});
  CHECK(operands.aliased());
  // A body in an order of its own may not even have the same window.
  CHECK(operands.overlapping_inputs(false) == 3);
  CHECK_FALSE(operands.aliased());
  operands.separate(true, false);
  CHECK(operands.rep(0) != front.rep().get());
  CHECK(operands.rep(1) == middle.rep().get());
  CHECK(operands.overlapping_inputs(true) == 0);
  const Array both[] = {front, middle};
  call::Operands meeting(kTwo, {args, call::kNoMask, both, kDefault}, 2, 2);
  CHECK(message([&] { meeting.overlapping_inputs(true); }) ==
        "two: output 0 and output 1 share memory; give outputs that do not overlap");
}

TEST_CASE("call: on a GPU host arrays would be packed, and outputs made anew unless they keep what they have") {
  const Array columns = Array::zeros({3, 4}, DType::float32).transpose();
  const Array mask = Array::zeros({4, 3}, DType::bool_);
  const Arg args[] = {columns[{Slice{}, Slice{.step = 2}}], 2.0F};
  const Array out[] = {columns, Array()};
  call::Operands operands(kTwo, {args, mask, out, kDefault}, 2, 2);
  operands.set_types({kFloats, kFloats, kLoop});
  CHECK(operands.count() == 5);
  CHECK(operands.name_of(2) == ".where");
  CHECK(operands.name_of(4) == "output 1");
  const auto gpu = operands.as_on(DeviceKind::cuda, false);
  REQUIRE(gpu.operands.size() == 5);
  CHECK(gpu.operands[0].rep->strides == Strides{8, 4});
  CHECK(gpu.operands[1].scalar != nullptr);
  CHECK(gpu.operands[3].rep->strides == Strides{12, 4});
  CHECK(gpu.operands[4].rep == nullptr);
  CHECK(operands.as_on(DeviceKind::cuda, true).operands[3].rep->strides == Strides{4, 16});
  const auto cpu = operands.as_on(DeviceKind::cpu, false);
  CHECK(cpu.operands[0].rep == args[0].array().rep().get());
  CHECK(cpu.operands[3].rep == columns.rep().get());
}
