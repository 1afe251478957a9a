#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>

#include "c/argument_error.hpp"
#include "c/array.hpp"
#include "c/call.hpp"
#include "c/guard.hpp"
#include "c/packed.hpp"
#include "c/text.hpp"
#include "call/arrays_of.hpp"

namespace kiln::c {
namespace {

/// The results of a call that makes some of its outputs.
class Results {
 public:
  Results(const kiln_arg* outputs, std::size_t count) : outputs_(outputs), arrays_(count) {
    for (std::size_t i = 0; i < count; ++i) arrays_.add();
  }
  [[nodiscard]] std::span<Array> arrays() noexcept { return arrays_.all(); }

  /// Stores handles on the arrays that were made. Stores none if there is no memory for all.
  void store(kiln_arg* outputs) {
    std::vector<std::unique_ptr<kiln_array, void (*)(kiln_array*)>> made;
    for (std::size_t i = 0; i < arrays_.all().size(); ++i) {
      if (outputs_[i].kind == KILN_NONE) made.emplace_back(make<kiln_array>(std::move(arrays_.all()[i])), release<kiln_array>);
    }
    auto next = made.begin();
    for (std::size_t i = 0; i < arrays_.all().size(); ++i) {
      if (outputs_[i].kind != KILN_NONE) continue;
      outputs[i] = kiln_arg{};
      outputs[i].kind = KILN_ARRAY;
      outputs[i].value.array = (next++)->release();
    }
  }

 private:
  const kiln_arg* outputs_;
  FixedList<Array, 8> arrays_;
};

void check_outputs(const std::string& name, int expected, const Call& call) {
  if (std::cmp_equal(call.nout, expected)) return;
  fail_type(fmt::format("{}: it has {} output{}, and the call {}; KILN_NONE makes a new array", name, expected,
                        expected == 1 ? "" : "s", call.nout));
}

/// Calls `run(results)`, where `results` is empty if all outputs are given.
template <class Run>
void with_results(const Call& call, Operands& operands, const Run& run) {
  if (!operands.fresh()) return run(std::span<Array>());
  Results results(call.outputs, call.nout);
  run(results.arrays());
  results.store(call.outputs);
}

/// Stores the one result of a method.
void store_result(const Call& call, Array result) {
  if (call.outputs[0].kind != KILN_NONE) return;
  kiln_array* const made = make<kiln_array>(std::move(result));
  call.outputs[0] = kiln_arg{};
  call.outputs[0].kind = KILN_ARRAY;
  call.outputs[0].value.array = made;
}

void call_itself(const Ufunc& f, const Call& call, const Options& options) {
  check_outputs(f.name(), f.nout(), call);
  Operands operands = operands_of(call, options);
  const CallOptions given = ufunc_options(f, operands, options);
  if (options.raw().chunked != 0) {
    const ChunkedUfunc chunks = chunked(f, options.chunks());
    return with_results(call, operands, [&](std::span<Array> results) { chunks.call(operands.inputs(), &given, results); });
  }
  with_results(call, operands, [&](std::span<Array> results) { f.call(operands.inputs(), &given, results); });
}

void require_inputs(const std::string& what, std::size_t expected, const Call& call) {
  if (call.nin == expected) return;
  fail_type(fmt::format("{}: it takes {} input{}, and the call has {}", what, expected, expected == 1 ? "" : "s", call.nin));
}

const ArrayArg& only_output(Operands& operands) {
  return operands.outputs()[0];
}

Array input_array(const Call& call, std::size_t i) {
  return array_of(call.inputs[i], i == 0 ? "inputs[0]" : "inputs[1]");
}

void call_outer(const Ufunc& f, const Call& call, const Options& options) {
  require_inputs(f.name() + ".outer", 2, call);
  Operands operands = operands_of(call, options);
  store_result(call, f.outer(operands.inputs()[0], operands.inputs()[1], ufunc_options(f, operands, options)));
}

void call_reduce(const Ufunc& f, const Call& call, const Options& options) {
  const std::string what = f.name() + ".reduce";
  options.allow(kWhere | kInitial | kDType | kKeepdims | kAxis | kLimits | kChunks, what.c_str());
  require_inputs(what, 1, call);
  Operands operands = operands_of(call, options);
  ReduceOptions given;
  options.fill_limits(given);
  options.fill_dtype(given);
  given.axis = options.axes(given.axis);
  given.keepdims = options.raw().keepdims != 0;
  given.initial = options.initial();
  given.where = operands.where();
  given.out = only_output(operands);
  const Array a = input_array(call, 0);
  if (options.raw().chunked != 0) {
    given.stop = {};
    return store_result(call, chunked(f, options.chunks()).reduce(a, given));
  }
  store_result(call, f.reduce(a, given));
}

AccumulateOptions along_one_axis(const char* what, Operands& operands, const Options& options, std::uint32_t more) {
  options.allow(kDType | kAxis | kLimits | more, what);
  AccumulateOptions given;
  options.fill_limits(given);
  options.fill_dtype(given);
  given.axis = options.one_axis(given.axis);
  given.out = only_output(operands);
  return given;
}

void call_accumulate(const Ufunc& f, const Call& call, const Options& options) {
  const std::string what = f.name() + ".accumulate";
  require_inputs(what, 1, call);
  Operands operands = operands_of(call, options);
  AccumulateOptions given = along_one_axis(what.c_str(), operands, options, kChunks);
  const Array a = input_array(call, 0);
  if (options.raw().chunked != 0) {
    given.stop = {};
    return store_result(call, chunked(f, options.chunks()).accumulate(a, given));
  }
  store_result(call, f.accumulate(a, given));
}

void call_reduceat(const Ufunc& f, const Call& call, const Options& options) {
  const std::string what = f.name() + ".reduceat";
  require_inputs(what, 2, call);
  Operands operands = operands_of(call, options);
  const AccumulateOptions given = along_one_axis(what.c_str(), operands, options, 0);
  store_result(call, f.reduceat(input_array(call, 0), input_array(call, 1), given));
}

void call_at(const Ufunc& f, const Call& call, const Options& options) {
  const std::string what = f.name() + ".at";
  options.allow(kLimits, what.c_str());
  const std::size_t others = f.nin() == 2 ? 1 : 0;
  if (call.nin <= others || call.nin > 64)
    fail_type(fmt::format("{}: its inputs are 1 to {} arrays of indices{}", what, 64 - others,
                          others == 1 ? ", and an operand" : ""));
  if (call.outputs[0].kind == KILN_NONE)
    throw ArgumentError(fmt::format("{}: outputs[0] is KILN_NONE: give the array that is changed", what), "outputs[0]");
  Operands operands = operands_of(call, options);
  AtOptions given;
  options.fill_limits(given);
  const Array a = array_of(call.outputs[0], "outputs[0]");
  std::vector<Array> indices;
  for (std::size_t i = 0; i < call.nin - others; ++i) indices.push_back(array_of(call.inputs[i], "inputs"));
  others == 1 ? f.at(a, indices, operands.inputs().back(), given) : f.at(a, indices, given);
}

void run(const Ufunc& f, const Call& call, const Options& options) {
  const std::uint32_t method = options.raw().method;
  if (method == KILN_CALL) return call_itself(f, call, options);
  check_outputs(f.name(), 1, call);
  switch (method) {
    case KILN_OUTER:
      return call_outer(f, call, options);
    case KILN_REDUCE:
      return call_reduce(f, call, options);
    case KILN_ACCUMULATE:
      return call_accumulate(f, call, options);
    case KILN_REDUCEAT:
      return call_reduceat(f, call, options);
    case KILN_AT:
      return call_at(f, call, options);
    default:
      throw ArgumentError(fmt::format("method: {} is no kiln_method", method), "method");
  }
}

void run(const Gufunc& f, const Call& call, const Options& options) {
  check_outputs(f.name(), f.nout(), call);
  Operands operands = operands_of(call, options);
  const GufuncOptions given = gufunc_options(f, operands, options);
  if (options.raw().chunked != 0) {
    const ChunkedGufunc chunks = chunked(f, options.chunks());
    return with_results(call, operands, [&](std::span<Array> results) { chunks.call(operands.inputs(), &given, results); });
  }
  with_results(call, operands, [&](std::span<Array> results) { f.call(operands.inputs(), &given, results); });
}

void run(const Reduction& f, const Call& call, const Options& options) {
  check_outputs(f.name(), f.nout(), call);
  Operands operands = operands_of(call, options);
  const ReductionOptions given = reduction_options(f, operands, options);
  if (options.raw().chunked != 0) {
    const ChunkedReduction chunks = chunked(f, options.chunks());
    return with_results(call, operands, [&](std::span<Array> results) { chunks.call(operands.inputs(), &given, results); });
  }
  with_results(call, operands, [&](std::span<Array> results) { f.call(operands.inputs(), &given, results); });
}

void run(const RawKernel& f, const Call& call, const Options& options) {
  check_outputs(f.name(), 0, call);
  Operands operands = operands_of(call, options);
  f.launch(launch_options(f, options), operands.inputs());
}

void run(const Transform& f, const Call& call, const Options& options) {
  check_outputs(f.name, 1, call);
  require_inputs(f.name, 1, call);
  Operands operands = operands_of(call, options);
  const Array out = call.outputs[0].kind == KILN_NONE ? Array() : array_of(call.outputs[0], "outputs[0]");
  store_result(call, run(f, input_array(call, 0), out, options));
}

void refuse_method(const kiln_function& function, const Options& options) {
  if (options.raw().method == KILN_CALL || std::holds_alternative<Ufunc>(function.function)) return;
  if (options.raw().method > KILN_AT)
    throw ArgumentError(fmt::format("method: {} is no kiln_method", options.raw().method), "method");
  throw ArgumentError("method: only a ufunc has methods beside KILN_CALL", "method");
}

}  // namespace

Operands operands_of(const Call& call, const Options& options) {
  return {call.outputs, call.nout, call.inputs, call.nin, options.where(), options.raw().stream};
}

CallOptions ufunc_options(const Ufunc& f, Operands& operands, const Options& options) {
  options.allow(kCasting | kWhere | kDType | kSignature | kSize | kLimits | kChunks, f.name().c_str());
  CallOptions given{.out = operands.out(), .where = operands.where()};
  options.fill_loop(given);
  if (options.raw().chunked != 0) given.stop = {};
  if (options.raw().has_size != 0) given.size = options.raw().size;
  return given;
}

GufuncOptions gufunc_options(const Gufunc& f, Operands& operands, const Options& options) {
  options.allow(kCasting | kWhere | kDType | kKeepdims | kAxis | kSignature | kCoreAxes | kLimits | kChunks, f.name().c_str());
  GufuncOptions given{.out = operands.out(), .where = operands.where()};
  options.fill_loop(given);
  if (options.raw().chunked != 0) given.stop = {};
  given.axes = options.core_axes();
  given.keepdims = options.raw().keepdims != 0;
  if (options.raw().axis_count != 0) given.axis = options.one_axis(-1);
  return given;
}

ReductionOptions reduction_options(const Reduction& f, Operands& operands, const Options& options) {
  options.allow(kCasting | kWhere | kInitial | kDType | kKeepdims | kAxis | kSignature | kLimits | kChunks, f.name().c_str());
  ReductionOptions given;
  options.fill_loop(given);
  if (options.raw().chunked != 0) given.stop = {};
  given.out = operands.out();
  given.where = operands.where();
  given.axis = options.axes(given.axis);
  given.keepdims = options.raw().keepdims != 0;
  given.initial = options.initial();
  return given;
}

LaunchOptions launch_options(const RawKernel& f, const Options& options) {
  options.allow(kSize | kGrid | kLimits, f.name().c_str());
  const kiln_call_options& o = options.raw();
  LaunchOptions given;
  options.fill_limits(given);
  const auto or_one = [](std::int64_t extent) { return extent == 0 ? 1 : extent; };
  if (o.grid[0] != 0 || o.grid[1] != 0 || o.grid[2] != 0) given.grid = {o.grid[0], or_one(o.grid[1]), or_one(o.grid[2])};
  given.block = {or_one(o.block[0]), or_one(o.block[1]), or_one(o.block[2])};
  given.shared_bytes = o.shared_bytes;
  if (o.has_size != 0) given.size = o.size;
  return given;
}

const kiln_function& function_of(const kiln_function* function, const Options& options) {
  const kiln_function& checked_function = checked(function, "function");
  refuse_method(checked_function, options);
  return checked_function;
}

}  // namespace kiln::c

using namespace kiln::c;

kiln_status kiln_call(const kiln_function* function, kiln_arg* outputs, size_t nout, const kiln_arg* inputs, size_t nin,
                      const kiln_call_options* options, kiln_error** error) noexcept {
  return guarded(error, [&] {
    const Options given(options);
    const kiln_function& f = function_of(function, given);
    const Call call{outputs, nout, inputs, nin};
    if (const auto* const ufunc = std::get_if<kiln::Ufunc>(&f.function)) {
      const std::uint32_t groups = given.groups();
      const std::uint32_t method = given.raw().method;
      if (method == KILN_CALL && groups == 0 && run_packed(*ufunc, call)) return;
      if (method == KILN_REDUCE && (groups & ~(kAxis | kKeepdims)) == 0 && reduce_packed(*ufunc, call, given.raw())) return;
    }
    std::visit([&](const auto& of) { run(of, call, given); }, f.function);
  });
}
