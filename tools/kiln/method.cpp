#include "method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "kiln/error.hpp"
#include "scalar_text.hpp"
#include "usage_error.hpp"

namespace kiln::tool {

namespace {

int axis_number(std::string_view text, std::string_view option) {
  int axis = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
  const bool number = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (number && error == std::errc::result_out_of_range) {
    throw UsageError(fmt::format("{} \"{}\" is out of range", option, text));
  }
  if (!number) {
    throw UsageError(option == "--axis"
                         ? fmt::format("--axis \"{}\" is not a number; give one axis, several with commas, all or none", text)
                         : fmt::format("{} \"{}\" is not a number; give axes as in \"0,1;1,2;0,1\"", option, text));
  }
  return axis;
}

Axes read_axes(std::string_view text) {
  if (text == "all") return all_axes;
  if (text == "none") return no_axes;
  return axis_numbers(text, "--axis");
}

Arg read_initial(std::string_view text) {
  const std::optional<Scalar> scalar = read_scalar(text);
  if (!scalar) throw UsageError(fmt::format("--initial \"{}\" is not a number", text));
  return to_arg(*scalar);
}

}  // namespace

std::vector<int> axis_numbers(std::string_view text, std::string_view option) {
  std::vector<int> axes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    axes.push_back(axis_number(text.substr(at, comma - at), option));
    at = comma + 1;
  }
  return axes;
}

Order order_like(std::span<const Arg> operands) {
  Order order = Order::c;
  for (const Arg& operand : operands) {
    if (!operand.is_array()) continue;
    if (operand.array().is_c_contiguous() || !operand.array().is_f_contiguous()) return Order::c;
    order = Order::fortran;
  }
  return order;
}

Casting casting_from_name(const std::string& text) {
  for (const Casting casting : kCastings) {
    if (text == name(casting)) return casting;
  }
  throw UsageError(fmt::format("unknown --casting \"{}\": no, equiv, safe, same_kind or unsafe", text));
}

DType read_dtype(const std::string& text) {
  try {
    return dtype_from_name(text);
  } catch (const TypeError& error) {
    throw UsageError(fmt::format("--dtype: {}", error.what()));
  }
}

Method::Method(const MethodOptions& options) {
  const std::string_view asked = options.method.empty() ? std::string_view("call") : options.method;
  const auto* const found =
      std::find_if(std::begin(kMethods), std::end(kMethods), [&](const MethodRow& row) { return row.name == asked; });
  if (found == std::end(kMethods)) {
    throw UsageError(
        fmt::format("unknown --method \"{}\": reduce, accumulate, reduceat or outer; without it the function is "
                    "called",
                    asked));
  }
  row_ = found;
  const struct {
    std::string_view option;
    bool given, taken;
  } checks[] = {{"--axis", !options.axis.empty(), row_->axis},
                {"--keepdims", options.keepdims, row_->keepdims},
                {"--initial", !options.initial.empty(), row_->initial},
                {"--where", !options.where.empty(), row_->where},
                {"--casting", !options.casting.empty(), row_->casting}};
  for (const auto& check : checks) {
    if (!check.given || check.taken) continue;
    throw UsageError(is_call() ? fmt::format("{} is for a method: give --method, too", check.option)
                               : fmt::format("--method {} has no {}", row_->name, check.option));
  }
  where_ = options.where;
  if (!options.casting.empty()) call_.casting = casting_from_name(options.casting);
  if (!options.dtype.empty()) call_.dtype = reduce_.dtype = read_dtype(options.dtype);
  if (!options.axis.empty()) reduce_.axis = read_axes(options.axis);
  if (!options.initial.empty()) reduce_.initial = read_initial(options.initial);
  reduce_.keepdims = options.keepdims;
  if (row_->axis && row_->name != "reduce" && reduce_.axis.list().size() != 1) {
    throw UsageError(fmt::format("--method {} works along one axis", row_->name));
  }
}

bool Method::is_call() const noexcept {
  return row_->name == "call";
}

std::size_t Method::operands(const Ufunc& ufunc) const {
  return row_->arrays > 0 ? row_->arrays : static_cast<std::size_t>(ufunc.nin());
}

std::size_t Method::results(const Ufunc& ufunc) const {
  return is_call() ? static_cast<std::size_t>(ufunc.nout()) : 1;
}

std::string Method::name(const Ufunc& ufunc) const {
  return is_call() ? ufunc.name() : fmt::format("{}.{}", ufunc.name(), row_->name);
}

const Array& Method::array(std::span<const Arg> operands, std::size_t index) const {
  if (!operands[index].is_array()) {
    throw UsageError(fmt::format("--method {} wants a .npy file where a number is given", row_->name));
  }
  return operands[index].array();
}

AccumulateOptions Method::along_axis(const CallOptions& more) const {
  AccumulateOptions options;
  options.axis = reduce_.axis.list().front();
  options.dtype = reduce_.dtype;
  if (!more.out.empty()) options.out = more.out.list().front();
  options.stream = more.stream;
  options.timeout = more.timeout;
  return options;
}

CallOptions Method::call_options(const CallOptions& more) const {
  CallOptions options = more;
  options.casting = call_.casting;
  options.dtype = call_.dtype;
  return options;
}

template <class Function>
std::vector<Array> Method::run_on(const Function& function, std::span<const Arg> operands, const CallOptions& more) const {
  if (row_->name == "accumulate") return {function.accumulate(array(operands, 0), along_axis(more))};
  if (is_call()) return function.outputs(operands, call_options(more));
  ReduceOptions options = reduce_;
  options.where = more.where;
  if (!more.out.empty()) options.out = more.out.list().front();
  options.stream = more.stream;
  options.timeout = more.timeout;
  return {function.reduce(array(operands, 0), options)};
}

std::vector<Array> Method::run(const Ufunc& ufunc, std::span<const Arg> operands, const CallOptions& more,
                               const ChunkOptions* chunks) const {
  if (chunks != nullptr) return run_on(chunked(ufunc, *chunks), operands, more);
  if (row_->name == "reduceat") return {ufunc.reduceat(array(operands, 0), array(operands, 1), along_axis(more))};
  if (row_->name == "outer") return {ufunc.outer(operands[0], operands[1], call_options(more))};
  return run_on(ufunc, operands, more);
}

void Method::check_chunks() const {
  if (row_->name != "reduceat" && row_->name != "outer") return;
  throw UsageError(fmt::format("--chunk and --progress are for calls, reduce and accumulate, not for --method {}", row_->name));
}

void Method::check_ranks(std::span<const Arg> operands) const {
  const auto refuse = [](const std::string& why) {
    throw UsageError(fmt::format("ranks divide the work along axis 0, and {}; run it by one rank, or with --ranks none", why));
  };
  if (is_call()) return;
  if (row_->name != "reduce" && row_->name != "accumulate") refuse(fmt::format("--method {} cannot be cut there", row_->name));
  const int ndim = array(operands, 0).ndim();
  if (reduce_.axis.is_all()) refuse("--axis all works along it");
  for (const int axis : reduce_.axis.list()) {
    if (axis == 0 || axis == -ndim) refuse(fmt::format("--method {} works along it: give another --axis", row_->name));
  }
}

std::vector<ResultSpec> Method::result_specs(const Ufunc& ufunc, std::span<const Arg> operands, const CallOptions& more) const {
  if (row_->name == "accumulate") {
    const Array& whole = array(operands, 0);
    if (whole.ndim() == 0) return {};
    // What nothing gives has the dtype of what all gives.
    return {{whole.shape(), ufunc.accumulate(whole[Slice{0, 0}], along_axis(more)).dtype(), order_like(operands)}};
  }
  if (!is_call()) return {};
  const Resolution resolution = ufunc.resolve(operands, call_options(more));
  std::vector<ResultSpec> specs;
  for (std::size_t o = operands.size(); o < resolution.dtypes.size(); ++o)
    specs.push_back({resolution.shape, resolution.dtypes[o], order_like(operands)});
  return specs;
}

}  // namespace kiln::tool
