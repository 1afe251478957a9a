#include "gufunc/usual_call.hpp"

#include "gufunc/call.hpp"

namespace kiln::gufunc {
namespace {

constexpr const char* kItems = "1024";
/// More than what is a constant of kernels.
constexpr const char* kSize = "64";

}  // namespace

call::Description usual_call(const detail::GufuncImpl& gufunc, const ufunc::Loop& loop) {
  const signature::Layout& layout = gufunc.layout();
  const auto text_of = [&](std::size_t operand, DType dtype) {
    std::string text = std::string(name(dtype)) + "[" + kItems;
    for (const std::size_t dimension : layout.of(operand)) {
      text += ", " + (layout.dimensions[dimension].size ? layout.dimensions[dimension].name : kSize);
    }
    return text + "]";
  };
  call::Description call{.loop = ufunc::loop_text(loop)};
  for (std::size_t k = 0; k < gufunc.nin(); ++k) {
    const bool constant = (gufunc.constants() >> k & 1U) != 0;
    call.inputs.push_back(constant ? std::string(name(loop.inputs[k])) : text_of(k, loop.inputs[k]));
  }
  // Sizes that neither inputs nor rules tell are those of .out.
  bool known = true;
  for (std::size_t o = 0; o < gufunc.nout(); ++o) {
    for (const std::size_t d : layout.outputs[o]) known = known && (layout.dimensions[d].size || layout.in_inputs(d));
  }
  for (std::size_t o = 0; o < gufunc.nout() && !known && gufunc.definition().sizes.empty(); ++o) {
    call.out.push_back(text_of(gufunc.nin() + o, loop.outputs[o]));
  }
  return call;
}

program::Planned plan(const detail::GufuncImpl& gufunc, const call::Description& call, DeviceKind kind, bool render) {
  const call::StandIns given(call, kind);
  GufuncOptions options;
  options.out = given.out;
  options.where = given.where;
  options.axes = call.axes;
  if (call.axis) options.axis = call.axis->front();
  options.keepdims = call.keepdims;
  options.casting = call.loop.empty() ? Casting::same_kind : Casting::unsafe;
  options.signature = call.loop;
  return ufunc::planned(Call(gufunc, given.args, options), kind, render, !call.any_sizes);
}

}  // namespace kiln::gufunc
