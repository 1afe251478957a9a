#include "reduce/method.hpp"

#include "kernel/reduction/spec.hpp"
#include "kiln/ufunc.hpp"
#include "reduce/call.hpp"
#include "reduce/identity_probe.hpp"
#include "reduce/packed_reduce.hpp"
#include "ufunc/reduction_loop.hpp"

namespace kiln::reduce {

ufunc::Loop Method::choose(const call::Operands& operands, const ufunc::LoopOptions& options) const {
  ufunc::Loop loop = ufunc::choose_reduction_loop({.name = ufunc_.name(),
                                                   .method = ufunc::name(method_),
                                                   .signatures = ufunc_.signatures(),
                                                   .source = ufunc_.source(),
                                                   .array = operands.rep(0)->dtype,
                                                   .dtype = options.dtype,
                                                   .definition = &ufunc_.definition(),
                                                   .identity = has_identity()});
  operands.check_casts(ufunc::types_of(loop), Casting::same_kind);
  if (has_identity() && method_ == ufunc::Method::reduce) probe_identity(ufunc_, loop.outputs[0]);
  return loop;
}

program::Request Method::request(const ufunc::Loop& loop, kinds::ReductionSpec spec, DeviceKind kind) const {
  return ufunc_.request(loop, std::move(spec), kind);
}

// A segment begins with its first element, as NumPy has it.
kinds::ReductionSpec Method::spec_of(const ufunc::Loop& loop) const {
  return {.inputs = {{loop.inputs[0], loop.outputs[0]}},
          .outputs = {{loop.outputs[0], loop.outputs[0]}},
          .identity = has_identity() && method_ != ufunc::Method::reduceat,
          .ordered = !reorderable(),
          .part = is_part()};
}

void Method::report(ufunc::Recorder& recorder, Plan& plan, bool forced, call::Description call) const {
  call.method = ufunc::name(method_);
  // Kernels of parts do not know how results lie.
  if (is_part()) call.out.clear();
  if (forced) call.dtype = plan.loop.outputs[0];
  if (plan.reported.add(call)) recorder.used(ufunc_.definition_of(plan.loop), call);
}

Array reduce(const detail::UfuncImpl& ufunc, const Array& array, const ReduceOptions& options,
             const backend::StopRequest* stop) {
  PackedReduce packed(ufunc);
  const bool fits_packed = array.valid() && packed.take(*array.rep(), options);
  if (fits_packed) {
    if (Array result = packed.run(options.keepdims ? array.shape().size() : 0); result.valid()) return result;
  }
  const Arg arg(array);
  const Method method(ufunc);
  const Options view = options_of(options, stop);
  Array result;
  Call call(method, {&arg, 1}, view);
  call.run({&result, 1});
  if (fits_packed && call.variant() != nullptr) packed.remember(call.loop(), *call.variant());
  return result;
}

}  // namespace kiln::reduce
