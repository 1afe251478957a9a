// The operands of a call: what is refused, what overlaps, how they would lie elsewhere.
#include "call/operands.hpp"
#include "support/message.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kiln;
using test::message_of;

class Two : public call::Callee {
 public:
  [[nodiscard]] std::string what() const override { return "two"; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override {
    return (operand < 2 ? "input " : "output ") + std::to_string(operand % 2);
  }
  [[nodiscard]] std::string forms() const override { return "its loops are f(a, b)"; }
};

const Two kTwo;
const Stream kStream;
const call::Context kDefault{kStream};
const DType kFloats[] = {DType::float32, DType::float32};
const std::string kLoop = "f(a, b)";

std::string refused(const std::vector<Arg>& args, const ArrayArg& where, const std::vector<ArrayArg>& out) {
  return message_of([&] { const call::Operands operands(kTwo, {args, where, out, kDefault}, 2, 2); });
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
  CHECK(message_of([&] {
          const Arg args[] = {a, a};
          const ArrayArg mask = Array::zeros({3}, DType::bool_);
          const call::Operands operands(kTwo, {args, mask, {}, kDefault}, 2, 2, 28);
        }) == "two: .where makes more operands than the 32 that a kernel takes; use fewer operands");
}

TEST_CASE("call: casts, scalars that do not fit, and integers that the kernel narrows") {
  const Arg args[] = {floats(3), 300};
  const ArrayArg out[] = {Array::zeros({3}, DType::int32), Array()};
  call::Operands operands(kTwo, {args, call::kNoMask, out, kDefault}, 2, 2);
  CHECK(message_of([&] { operands.check_casts({kFloats, kFloats, kLoop}, Casting::same_kind); }) ==
        "two: cannot cast output 0 from float32 to the out array's int32 under casting \"same_kind\" for the loop f(a, b); "
        "give one of float32");
  CHECK(message_of([&] { operands.check_casts({kFloats, kFloats, kLoop}, Casting::unsafe); }) == "no error");
  const DType bytes[] = {DType::float32, DType::uint8};
  operands.set_types({bytes, kFloats, kLoop});
  const std::string unfit = "two: the integer 300 given as input 1 does not fit in uint8, the dtype of the loop f(a, b)";
  CHECK(message_of([&] { operands.convert_scalars({bytes, kFloats, kLoop}, Casting::same_kind); }) == unfit);
  operands.set_types({kFloats, kFloats, kLoop});
  operands.convert_scalars({kFloats, kFloats, kLoop}, Casting::same_kind);
  CHECK(*static_cast<const float*>(operands.value(1)) == 300.0F);
  const std::pair<std::size_t, DType> narrowed[] = {{1, DType::uint8}};
  CHECK(message_of([&] { operands.convert_scalars({kFloats, kFloats, kLoop, narrowed}, Casting::same_kind); }) == unfit);
  CHECK(operands.storage_dtypes() == std::vector{DType::float32, DType::float32, DType::int32, DType::float32});
}

TEST_CASE("call: inputs that outputs overwrite are told, and replaced by copies") {
  const Array all = floats(8);
  const Array front = all[{Slice{.start = 0, .stop = 4}}];
  const Array middle = all[{Slice{.start = 2, .stop = 6}}];
  const Arg args[] = {front, middle};
  const ArrayArg out[] = {middle, Array()};
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
  const ArrayArg both[] = {front, middle};
  call::Operands meeting(kTwo, {args, call::kNoMask, both, kDefault}, 2, 2);
  CHECK(message_of([&] { meeting.overlapping_inputs(true); }) ==
        "two: output 0 and output 1 share memory; give outputs that do not overlap");
}

TEST_CASE("call: planned for a GPU, host arrays are packed there, and outputs made anew unless they keep what they have") {
  const Array columns = Array::zeros({3, 4}, DType::float32).transpose();
  const ArrayArg mask = Array::zeros({4, 3}, DType::bool_);
  const Arg args[] = {columns[{Slice{}, Slice{.step = 2}}], 2.0F};
  const ArrayArg out[] = {columns, Array()};
  for (const bool keeps : {false, true}) {
    call::Operands operands(kTwo, {args, mask, out, kDefault}, 2, 2);
    operands.plan(Device::of_kind(DeviceKind::cuda));
    operands.place();
    operands.set_types({kFloats, kFloats, kLoop});
    CHECK(operands.at().staged);
    operands.separate(true, keeps);
    REQUIRE(operands.count() == 5);
    CHECK(operands.name_of(2) == ".where");
    CHECK(operands.name_of(4) == "output 1");
    CHECK(operands.rep(0)->strides == Strides{8, 4});
    CHECK_FALSE(operands.rep(0)->on_host);
    CHECK(operands.is_scalar(1));
    CHECK(operands.rep(3)->strides == (keeps ? Strides{4, 16} : Strides{12, 4}));
    CHECK(operands.rep(4) == nullptr);
  }
  call::Operands here(kTwo, {args, mask, out, kDefault}, 2, 2);
  here.plan(Device::cpu());
  here.place();
  here.set_types({kFloats, kFloats, kLoop});
  here.separate(false, true);
  // In no memory, as the copy of what the output overwrites would lie.
  CHECK(here.rep(0)->strides == Strides{8, 4});
  CHECK(here.rep(0)->buffer == nullptr);
  CHECK(here.rep(3) == columns.rep().get());
}

TEST_CASE("call: what a manifest keeps of the operands, and the arrays that stand in for them") {
  const Array all = floats(8);
  const Array front = all[{Slice{.stop = 4}}];
  const Array middle = all[{Slice{.start = 2, .stop = 6}}];
  const Array columns = Array::zeros({3, 4}, DType::float32).transpose();
  const auto texts = [](std::span<const Arg> args, std::span<const ArrayArg> out) {
    call::Operands operands(kTwo, {args, call::kNoMask, out, kDefault}, 2, 2);
    operands.place();
    operands.set_types({kFloats, kFloats, kLoop});
    operands.separate(true, false);
    const call::Description made = operands.description();
    std::vector<std::string> all_texts = made.inputs;
    all_texts.insert(all_texts.end(), made.out.begin(), made.out.end());
    return all_texts;
  };
  const Arg plain[] = {columns, 2};
  CHECK(texts(plain, {}) == std::vector<std::string>{"float32[4, 3] strides [4, 16] host", "int32"});
  // One that is copied is told as the copy lies; one in the window of an input as that.
  const Arg meeting[] = {front, middle};
  const ArrayArg over[] = {middle, Array()};
  CHECK(texts(meeting, over) ==
        std::vector<std::string>{"float32[4]", "float32[4] offset 8 host", "float32[4] offset 8 of input 1 host", ""});

  const call::StandIns gpu({.inputs = {"float32[4, 3] strides [4, 16] host", "int8", "int16[2] offset 2"},
                            .where = "bool[]",
                            .out = {"", "float32[4, 3] of input 0"}},
                           DeviceKind::hip);
  REQUIRE(gpu.args.size() == 3);
  CHECK(gpu.args[0].array().strides() == Strides{4, 16});
  CHECK(gpu.args[0].array().is_host());
  CHECK_FALSE(gpu.args[1].is_array());
  CHECK(gpu.args[1].dtype() == DType::int8);
  CHECK(gpu.args[2].array().device().kind() == DeviceKind::hip);
  CHECK(reinterpret_cast<std::uintptr_t>(gpu.args[2].array().rep()->data) % 64 == 2);
  CHECK(gpu.where.array().shape().empty());
  CHECK_FALSE(gpu.out[0].valid());
  CHECK(gpu.out[1].array().rep()->data == gpu.args[0].array().rep()->data);
  CHECK(gpu.out[1].array().strides() == Strides{4, 16});
}

TEST_CASE("call: what is packed for a GPU shares no memory with the arrays of a manifest") {
  const call::Description described{.inputs = {"float32[4]", "float32[4]"},
                                    .out = {"float32[4]", "float32[4] strides [-8] host"}};
  const call::StandIns arrays(described, DeviceKind::cuda);
  call::Operands operands(kTwo, {arrays.args, arrays.where, arrays.out, kDefault}, 2, 2);
  operands.plan(Device::of_kind(DeviceKind::cuda));
  operands.place();
  operands.set_types({kFloats, kFloats, kLoop});
  operands.separate(true, true);
  CHECK(operands.overlapping_inputs(true) == 0);
}

TEST_CASE("call: operands of a manifest that are none") {
  const auto error = [](call::Description made) { return message_of([&] { const call::StandIns in(made, DeviceKind::cpu); }); };
  const std::string advice =
      " is no operand: write \"float32\" for a scalar, \"float32 = 0.5\" for a constant, \"float32[3, 4]\" for an array, with "
      "\"strides [4, 12]\" and \"offset "
      "4\" "
      "in bytes where it lies in another way";
  for (const char* text : {"float32[3", "float32[3,,4]", "float32[3] strides [4, 4]", "float32[x]", "float32 [3]",
                           "float32[3] hosts", "float32[3] offset", "float32[9999999999999999999]"}) {
    CHECK(error({.inputs = {text}}) == '"' + std::string(text) + '"' + advice);
  }
  CHECK(error({.inputs = {"float31[3]"}}).starts_with("unknown dtype \"float31\""));
  CHECK(error({.inputs = {"float32[-1]"}}).find("negative") != std::string::npos);
  CHECK(error({.inputs = {"float32[3] offset 64"}}) == "an offset is from 0 to 63 bytes");
  CHECK(error({.inputs = {"float32[3]"}, .where = "bool"}) == "the mask is an array: write its shape, as in \"float32[3, 4]\"");
  CHECK(error({.inputs = {"float32"}, .out = {"float32[3] of input 0"}}) == "there is no array \"input 0\"");
  CHECK(error({.inputs = {"float32[3]"}, .out = {"float64[3] of input 0"}}) ==
        "what is in the window of an input has its shape and an element of the same size");
  CHECK(error({.inputs = {"float32[1000000000000, 4]"}}) == "no error");
  CHECK(error({.inputs = {"float32[3] strides [9223372036854775807]"}}) ==
        "an array of shape (3,) with strides [9223372036854775807] is too large: up to 16 TiB can be planned");
}
