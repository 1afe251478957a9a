#include "fft/call.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "call/operands.hpp"
#include "call/window.hpp"
#include "device/backend.hpp"
#include "device/capture.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"
#include "shared/float_environment.hpp"

namespace kiln::fft {
namespace {

class Named final : public call::Callee {
 public:
  explicit Named(const char* name) : name_(name) {}
  [[nodiscard]] std::string what() const override { return name_; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override { return operand == 0 ? "the input" : ".out"; }
  [[nodiscard]] std::string forms() const override { return ""; }

 private:
  const char* name_;
};

void check_out(const call::Operands& operands, const Transform& transform, DType dtype) {
  operands.check_output(1, transform.out_shape);
  if (can_cast(transform.result_dtype, dtype, Casting::same_kind)) return;
  throw TypeError(operands.what() + ": .out is " + std::string(name(dtype)) + ", the result is " +
                  std::string(name(transform.result_dtype)) + "; give an .out of that dtype");
}

}  // namespace

Array run(const Transform& transform, const Array& a, const Array& out, const call::Context& context) {
  const base::DefaultFloatEnvironment floats;
  backend::Capture::refuse(transform.name, "it is no kernel of kiln's; call it before or after the graph");
  const Named callee(transform.name);
  const Arg input(a);
  const ArrayArg given(out);
  call::Operands operands(callee, {{&input, 1}, call::kNoMask, {&given, out.valid() ? 1U : 0U}, context}, 1, 1);
  if (out.valid()) check_out(operands, transform, out.dtype());
  operands.place();
  operands.send();
  const Device& device = operands.at().device;
  const Array source = operands.array(0);
  const Array target = out.valid() ? operands.array(1) : operands.allocate(transform.out_shape, transform.result_dtype);
  const std::shared_ptr<const void> keep = operands.keep(backend::backend_for(device), {&target, 1});
  if (operands.at().gpu()) {
    run_on_gpu(transform, source, target, context.stream);
  } else if (backend::Queue* const queue = operands.at().queue; queue != nullptr) {
    queue->run([transform, source, target, device, keep] { run_on_cpu(transform, source, target, device); });
  } else {
    run_on_cpu(transform, source, target, device);
  }
  Array result = out.valid() ? out : target;
  operands.fetch({&result, 1});
  return result;
}

Array cut_to(const Array& a, const Shape& shape) {
  std::vector<Index> index(shape.size(), all);
  bool cuts = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (a.shape()[axis] <= shape[axis]) continue;
    index[axis] = Slice{0, shape[axis]};
    cuts = true;
  }
  return cuts ? a.slice(index) : a;
}

bool has_whole_strides(const Array& a) {
  const auto item = static_cast<std::int64_t>(itemsize(a.dtype()));
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (a.shape()[axis] > 1 && (a.strides()[axis] == 0 || a.strides()[axis] % item != 0)) return false;
  }
  return true;
}

bool is_same_window(const Array& a, const Array& b) {
  if (a.data() != b.data() || a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (a.shape()[axis] > 1 && a.strides()[axis] != b.strides()[axis]) return false;
  }
  return true;
}

Source source_of(const Transform& transform, const Array& a, const Array& target) {
  const bool shares = call::share_memory(*a.rep(), *target.rep());
  const Array part = cut_to(a, transform.in_shape);
  const bool usable = part.shape() == transform.in_shape && a.dtype() == transform.in_dtype && has_whole_strides(part);
  if (usable && (!shares || (transform.kind == FftKind::complex && is_same_window(part, target)))) return Source::as_it_is;
  return transform.kind == FftKind::complex && !shares ? Source::in_result : Source::copied;
}

}  // namespace kiln::fft
