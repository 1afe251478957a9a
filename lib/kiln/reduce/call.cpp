#include "reduce/call.hpp"

#include <algorithm>

#include "array/named_axes.hpp"
#include "call/shapes.hpp"
#include "kiln/error.hpp"
#include "layout/broadcast.hpp"
#include "reduce/identity_literal.hpp"
#include "registry/registry.hpp"
#include "types/reason.hpp"
#include "ufunc/constants.hpp"

namespace kiln::reduce {

Options options_of(const ReduceOptions& options, const backend::StopRequest* stop) {
  return {.axis = options.axis,
          .keepdims = options.keepdims,
          .initial = options.initial,
          .where = options.where,
          .out = {&options.out, options.out.valid() ? 1U : 0U},
          .loop = {.dtype = options.dtype},
          .stream = options.stream,
          .device = options.device,
          .stop = stop};
}

Options options_of(const ReductionOptions& options, const backend::StopRequest* stop) {
  return {.axis = options.axis,
          .keepdims = options.keepdims,
          .initial = options.initial,
          .where = options.where,
          .out = options.out.list(),
          .loop = {options.casting, options.dtype, options.signature},
          .stream = options.stream,
          .device = options.device,
          .stop = stop};
}

Call::Call(const Target& target, std::span<const Arg> args, const Options& options,
           std::optional<std::span<const std::int64_t>> begins)
    : target_(target),
      options_(options),
      begins_(begins.value_or(std::span<const std::int64_t>())),
      operands_(target, {args, options.where, options.out, {options.stream, options.device, options.stop}}, target.nin(),
                target.nout(), std::size_t{target.indexed()} + std::size_t{target.has_beside()}) {
  if (begins) segments_.emplace();
}

Call::Call(const Target& target, std::span<const Arg> args, const Options& options, const kinds::SegmentLengths& segments)
    : Call(target, args, options) {
  segments_ = segments;
}

/// Everything that can be wrong, before anything is transferred or written.
void Call::check() {
  if (target_.raw_operands() != 0) check_given();
  operands_.place();
  plan_ = &target_.plan(operands_, options_.loop);
  const call::Types types = ufunc::types_of(plan_->loop);
  operands_.set_types(types);
  find_shape();
  name_axes();
  if (segmented()) check_segments();
  check_start();
  if (target_.texts() != nullptr) check_beside();
  for (std::size_t k = operands_.inputs(); k < operands_.count(); ++k) operands_.check_output(k, shape_);
  operands_.convert_scalars(types, options_.loop.casting);
  if (target_.constants() != 0) plan_ = &ufunc::for_constants(*plan_, operands_, target_.loops());
}

void Call::prepare(std::span<Array> results) {
  if (outputs_ > 0) operands_.separate(false, false);
  operands_.give(results);
  for (std::size_t o = 0; o < operands_.nout(); ++o) {
    if (operands_.is_given(o)) continue;
    results[o] = operands_.allocate(shape_, plan_->loop.outputs[o]);
    operands_.set_output(o, results[o].rep().get());
  }
}

void Call::run(std::span<Array> results) {
  check();
  prepare(results);
  if (outputs_ > 0 && !(target_.is_part() && options_.windows.empty())) {
    launch(results);
    if (ufunc::Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder);
  }
  operands_.fetch(results);
}

const ufunc::Loop& Call::plan(const std::optional<Device>& device) {
  operands_.plan(device);
  check();
  if (outputs_ == 0) call::fail_nothing(target_.what());
  return plan_->loop;
}

std::vector<program::Request> Call::requests() {
  std::vector<Array> results(operands_.nout());
  prepare(results);
  const DeviceKind kind = operands_.at().device.kind();
  const Part part{.shape = whole_, .segments_kept = segmented() && kind != DeviceKind::cpu};
  const ReductionClass how = class_of(part, Laid(*this, part, operands_.all()), kind);
  std::vector<program::Request> requests;
  for (const ufunc::Loop& loop : ufunc::for_all_values(plan_->loop)) {
    for (const ReductionClass& each : kinds::of_all_sizes(how, !target_.reorderable(), kind, target_.raw_count())) {
      requests.push_back(target_.request(loop, storage_of(operands_), each, kind));
    }
  }
  return requests;
}

cache::Contents Call::compiled() {
  plan();
  return program::compiled(requests().front(), *backend::backend_for(operands_.at().device).compiler());
}

void Call::find_shape() {
  call::broadcast_all([this] { return target_.what(); }, operands_.nin(),
                      [this](std::size_t k) { return operands_.is_raw(k) ? nullptr : operands_.rep(k); },
                      [this](std::size_t k) { return operands_.name_of(k); }, whole_);
  detail::checked_size(whole_);
  if (!operands_.masked()) return;
  const Shape& mask = operands_.rep(operands_.nin())->shape;
  if (layout::broadcasts_to(mask, whole_)) return;
  throw ShapeError(target_.what() + ": .where of shape " + to_string(mask) + " does not broadcast to the inputs' shape " +
                   to_string(whole_));
}

void Call::name_axes() {
  reduced_ = detail::named_axes([this] { return target_.what(); }, options_.axis, whole_);
  std::size_t several = 0;
  if (target_.is_part()) shape_.push_back(static_cast<std::int64_t>(options_.windows.size()));
  for (std::size_t d = 0; d < reduced_.size(); ++d) {
    if (reduced_[d] == 0) {
      shape_.push_back(whole_[d]);
      outputs_ *= whole_[d];
      continue;
    }
    ++several;
    elements_ *= whole_[d];
    if (options_.keepdims) shape_.push_back(1);
  }
  if (several > 1 && !target_.reorderable()) {
    throw Because<ShapeError>(
        Reason::order,
        target_.what() +
            ": the operation is not marked reorderable, so its order counts and it is reduced along one axis, not " +
            std::to_string(several) + "; name one axis, or set .reorderable or .identity in the definition");
  }
}

void Call::check_start() {
  if (options_.initial) {
    if (!target_.takes_initial()) {
      throw TypeError(target_.what() +
                      ": .initial is one number, and the accumulator of this reduction has members; leave .initial out");
    }
    initial_ = initial_value(target_.what(), *options_.initial, options_.stream, plan_->loop.outputs.front(), plan_->loop.text);
  }
  if (segmented()) return;
  // One that is prepended stands for elements that do not count even where .initial stands in front.
  const bool counts = !options_.initial || (operands_.masked() && target_.prepends_identity());
  const bool of_inputs = target_.texts() != nullptr && target_.texts()->identity_inputs != 0;
  if (target_.has_identity() && target_.takes_initial() && counts && !of_inputs) {
    check_identity(target_.loops().name(), target_.loops().definition().identity, plan_->loop.outputs.front(),
                   plan_->loop.text);
  }
  if (target_.has_identity() || options_.initial || target_.is_part() || options_.may_be_empty) return;
  const std::string give =
      std::string("; give ") + (target_.takes_initial() ? ".initial, or " : "") + ".identity in the definition";
  if (operands_.masked()) {
    throw Because<TypeError>(
        Reason::identity,
        target_.what() + ": the operation has no identity, which .where needs for where no element counts" + give);
  }
  if (elements_ == 0) {
    throw Because<ShapeError>(Reason::identity, target_.what() + ": nothing to reduce in inputs of shape " + to_string(whole_) +
                                                    ", and the operation has no identity" + give);
  }
}

Resolution Call::resolve() {
  check();
  Resolution resolution;
  operands_.describe(resolution, ufunc::types_of(plan_->loop), false);
  resolution.shape = shape_;
  if (outputs_ == 0 || elements_ == 0) {
    resolution.variant = "empty";
    return resolution;
  }
  const Laid laid(*this, {.shape = whole_}, operands_.all());
  const std::size_t rank = laid.rows.rank == 0 ? 0 : laid.layout.kept().size() + laid.layout.reduced().size();
  bool contiguous = true;
  for (std::size_t k = 0; k < operands_.nin() && !laid.layout.reduced().empty(); ++k) {
    const std::int64_t stride = laid.layout.strides(k)[rank - 1];
    contiguous = contiguous && (stride == 0 || stride == operands_.all()[k].itemsize);
  }
  const bool columns = !laid.layout.kept().empty() && laid.layout.columns_inside();
  resolution.variant = columns ? "columns" : contiguous ? "contiguous" : "strided";
  return resolution;
}

}  // namespace kiln::reduce
