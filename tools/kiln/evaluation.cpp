#include "evaluation.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "fixed_loop.hpp"
#include "operand.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

std::string describe(const Array& array) {
  return fmt::format("{} {}", name(array.dtype()), to_string(array.shape()));
}

std::string describe(std::span<const Array> arrays) {
  std::string text;
  for (const Array& array : arrays) text += (text.empty() ? "" : ", ") + describe(array);
  return text;
}

/// Calls again, into the same outputs, until enough was seen for a stable best time.
std::vector<double> time_repeats(const std::function<void()>& call) {
  constexpr double kEnoughMs = 300;
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kMost = 100;
  std::vector<double> times;
  double total = 0;
  while (times.size() < kFewest || (total < kEnoughMs && times.size() < kMost)) {
    Stopwatch watch;
    call();
    times.push_back(watch.lap());
    total += times.back();
  }
  return times;
}

/// The operands as a call takes them; an Arg refers to the array in its operand.
class Operands {
 public:
  Operands(const std::vector<std::string>& texts, bool in_place) : texts_(texts) {
    for (const std::string& text : texts) operands_.push_back(read_operand(text, in_place));
  }

  void place(const Device& device) {
    for (Operand& operand : operands_) {
      if (auto* array = std::get_if<Array>(&operand)) *array = to_device(*array, device);
    }
    device.synchronize();
  }
  [[nodiscard]] bool any_array() const {
    for (const Operand& operand : operands_) {
      if (std::holds_alternative<Array>(operand)) return true;
    }
    return false;
  }
  /// Where there is no array.
  [[nodiscard]] std::vector<Scalar> numbers() const {
    std::vector<Scalar> numbers;
    for (const Operand& operand : operands_) numbers.push_back(std::get<Scalar>(operand));
    return numbers;
  }
  /// The loop axes of an operand.
  [[nodiscard]] static std::size_t loop_axes(const Array& array, const std::vector<std::size_t>& core_axes, std::size_t i) {
    const std::size_t core = i < core_axes.size() ? core_axes[i] : 0;
    const auto ndim = static_cast<std::size_t>(array.ndim());
    return ndim > core ? ndim - core : 0;
  }
  /// How many rows the call has along axis 0 of its loop, and over how many axes it loops.
  struct Loop {
    std::size_t axes = 0;
    std::int64_t rows = 1;
  };
  [[nodiscard]] Loop loop(const std::vector<std::size_t>& core_axes, const Array* mask) const {
    Loop loop;
    const auto add = [&](const Array& array, std::size_t axes) {
      if (axes > loop.axes) loop = {axes, 1};
      if (axes == loop.axes && axes > 0 && array.shape()[0] != 1) loop.rows = array.shape()[0];
    };
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (const auto* array = std::get_if<Array>(&operands_[i])) add(*array, loop_axes(*array, core_axes, i));
    }
    if (mask != nullptr) add(*mask, static_cast<std::size_t>(mask->ndim()));
    return loop;
  }
  /// Leaves the rows of a range.
  void cut(const Loop& whole, const Rows& own, const std::vector<std::size_t>& core_axes) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      auto* const array = std::get_if<Array>(&operands_[i]);
      if (array != nullptr && loop_axes(*array, core_axes, i) == whole.axes) *array = rows_of(*array, own);
    }
  }
  [[nodiscard]] static Array rows_of(const Array& array, const Rows& own) {
    return array.shape()[0] == 1 && own.end - own.begin > 0 ? array : array[Slice{own.begin, own.end}];
  }
  /// `loop`: given where it was chosen beforehand.
  [[nodiscard]] std::vector<Arg> args(const std::optional<FixedLoop>& loop) const {
    std::vector<Arg> args;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (const auto* array = std::get_if<Array>(&operands_[i])) {
        args.emplace_back(*array);
      } else {
        const auto& scalar = std::get<Scalar>(operands_[i]);
        args.push_back(to_arg(loop ? loop->suited(scalar, i) : scalar));
      }
    }
    return args;
  }
  [[nodiscard]] std::string description() const {
    std::string text;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const auto* array = std::get_if<Array>(&operands_[i]);
      text += (i > 0 ? ", " : "") + (array != nullptr ? describe(*array) : texts_[i]);
    }
    return text;
  }
  [[nodiscard]] std::int64_t nbytes() const {
    std::int64_t bytes = 0;
    for (const Operand& operand : operands_) {
      if (const auto* array = std::get_if<Array>(&operand)) bytes += array->nbytes();
    }
    return bytes;
  }

 private:
  const std::vector<std::string>& texts_;
  std::vector<Operand> operands_;
};

/// The array of that file.
Array read_mask(const std::string& text, bool in_place) {
  const Operand operand = read_operand(text, in_place);
  const auto* const array = std::get_if<Array>(&operand);
  if (array == nullptr) throw UsageError(fmt::format("--where {} is a number; give a .npy file of bools", text));
  return *array;
}

}  // namespace

Evaluation evaluate(EvaluationRequest request) {
  Evaluation evaluation;
  TimeReport& report = evaluation.report;
  report.device = request.device;
  Stopwatch watch;
  request.device.synchronize();  // opens the driver
  report.open_ms = watch.lap();
  const bool chunked = request.chunks.has_value();
  const bool ranked = request.place.has_value();
  Operands operands(request.operand_texts, chunked || ranked);
  if (chunked && !operands.any_array()) throw UsageError("--chunk and --progress are for arrays: give a .npy file");
  std::optional<Array> mask;
  if (!request.where.empty()) mask = read_mask(request.where, chunked || ranked);
  if (ranked) {
    const auto loop = operands.loop(request.core_axes, mask ? &*mask : nullptr);
    if (loop.axes == 0) {
      throw UsageError("ranks divide the work along axis 0, and there is none; run it by one rank, or with --ranks none");
    }
    request.check_ranks(operands.args(std::nullopt));
    evaluation.rows = loop.rows;
    evaluation.own = rows_of(*request.place, loop.rows);
    operands.cut(loop, evaluation.own, request.core_axes);
    if (mask && static_cast<std::size_t>(mask->ndim()) == loop.axes) mask = Operands::rows_of(*mask, evaluation.own);
  }
  report.read_ms = watch.lap();
  if (!chunked) operands.place(request.device);
  report.to_device_ms = watch.lap();
  report.operands = operands.description();

  CallOptions options;
  options.timeout = request.timeout;
  if (mask) options.where = chunked ? *mask : to_device(*mask, request.device);
  std::optional<FixedLoop> loop;
  std::string loop_text;
  const bool numbers_only = !operands.any_array();
  if (numbers_only) {
    // Numbers alone belong to no device: a stream of it says where they are to run.
    options.stream = Stream(request.device);
    loop = fixed_loop(request.signature, operands.numbers());
    if (loop) loop_text = loop->text();
    options.signature = loop_text;
  }
  const std::vector<Arg> args = operands.args(loop);
  const auto call = [&] {
    std::vector<Array> results = request.call(args, options, chunked ? &request.chunks->how : nullptr);
    numbers_only ? options.stream.synchronize() : request.device.synchronize();
    return results;
  };
  if (chunked && !ranked) options.out = request.chunks->make_outputs(request.result_specs(args, options));
  report.before = cache::stats();
  watch.lap();
  const std::vector<Array> results = call();
  report.first_call_ms = watch.lap();
  report.after = cache::stats();
  report.results = describe(results);
  report.bytes = operands.nbytes();
  for (const Array& result : results) report.bytes += result.nbytes();
  if (request.time) {
    options.out = results;
    if (chunked) request.chunks->how.progress = nullptr;  // it has been shown
    report.repeats_ms = time_repeats([&] { static_cast<void>(call()); });
  }
  watch.lap();
  for (const Array& result : results) {
    evaluation.results.push_back(result.device().is_cpu() ? result : result.copy_to_host());
  }
  report.to_host_ms = watch.lap();
  return evaluation;
}

}  // namespace kiln::tool
