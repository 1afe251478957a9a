#include "eval_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>
#include <variant>

#include "chunk_report.hpp"
#include "declaration.hpp"
#include "device_option.hpp"
#include "evaluation.hpp"
#include "kernel_text.hpp"
#include "kiln/profile.hpp"
#include "operand.hpp"
#include "option_words.hpp"
#include "options.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "result_files.hpp"
#include "scalar_text.hpp"
#include "shared_output.hpp"
#include "standard_function.hpp"
#include "terminal.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

constexpr const char* kEvalKernels =
    R"(KERNEL is a declaration with a body: an expression after '=', or C++ statements in braces.
  float32 hypot2(float32 a, float32 b) = sqrt(a*a + b*b)
  T clip(T x, T lo, T hi) where T: float32, float64 { if (x < lo) return lo; return x > hi ? hi : x; }
  (int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }
A number may be part of the kernel, which is then compiled for its value:
  int32 slot(int32 key, constant int32 buckets) = key % buckets
Types: )";

constexpr const char* kEvalOperands =
    R"( or a type variable (T),
which is taken from the operands. A name alone is a function of the standard library: hypot,
divmod, … ('kiln functions' lists them). With --layout it is a generalized ufunc, whose last parameters are outputs:
  void matmul(float32[:,:] A, float32[:,:] B, float32[:,:] C) { … }

OPERAND is a .npy file, '-' for one on standard input, an array of a .npz file (data.npz:x), or a number.
Numbers are 3, 0x10, -1, 2.5, 1e-3, true, 1+2j, nan, inf.
Numbers take the dtype of the arrays beside them, as in NumPy. Without arrays they take that of the kernel's parameters, or int64
and float64 for type variables and with --layout (--dtype chooses another).
Write ./3 for a file whose name is a number. Operands broadcast as in NumPy. Without -o the results are printed.

Examples:
  kiln eval 'float32 disc(float32 a, float32 b, float32 c) = sqrt(b*b - 4*a*c)' a.npy b.npy c.npy -o d.npy
  kiln eval 'T scale(T x, T k) = x * k' x.npy 2.5
  kiln eval '(int32 q, int32 r) divmod(int32 a, int32 b) { q = a / b; r = a % b; }' a.npy 7 -o q.npy -o r.npy
  kiln eval hypot a.npy b.npy -o c.npy
  kiln eval add x.npy --method reduce --axis -1 --keepdims -o sums.npy
  kiln eval 'T smax(T a, T b) = a > b ? a : b' x.npy --method accumulate
  kiln eval divide a.npy b.npy --where valid.npy -o q.npy
  kiln eval --layout '(n)->(n)' 'void cumsum(T[:] x, T[:] y) { T s = 0; for (index i = 0; i < n; ++i) y(i) = s += x(i); }' x.npy
  kiln eval 'float32 f(float32 x) = sqrt(x)' huge.npy -o roots.npy --chunk 64M --progress
  kiln eval --file kernel.txt a.npy b.npy -o out.npy --device cuda:0 --time
  kiln eval hypot a.npy b.npy -o c.npy --trace trace.json
  kiln eval 'float32 f(float32 x, float32 y) = sin(x) * cos(y)' row.npy column.npy -o waves.png --colormap viridis

Exit status: 0 done. 1: the kernel, an operand, a device or a result failed; no FILE was written but those that the message
names. 2: the command line is wrong.
KILN_CACHE_DIR is where compiled kernels are kept, KILN_DEVICE what 'best' means.)";

std::string eval_footer() {
  std::string types;
  for (std::size_t i = 0; i < kDTypeCount; ++i) types += fmt::format("{},{}", name(static_cast<DType>(i)), i == 8 ? "\n" : " ");
  types.pop_back();
  return kEvalKernels + types + kEvalOperands;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The axes of each input's core: "(m,n),(n)->(m)" has 2 and 1.
std::vector<std::size_t> core_axes(const Gufunc& gufunc) {
  std::vector<std::size_t> axes;
  const std::string& layout = gufunc.layout();
  for (std::size_t at = 0; axes.size() < static_cast<std::size_t>(gufunc.nin()); ++at) {
    const std::size_t open = layout.find('(', at);
    at = layout.find(')', open);
    const std::string_view inside = std::string_view(layout).substr(open + 1, at - open - 1);
    const bool none = inside.find_first_not_of(" \t") == std::string_view::npos;
    axes.push_back(none ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(inside, ',')));
  }
  return axes;
}

std::string colormap_list() {
  std::string list;
  for (const std::string_view name : colormap_names()) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

void print(std::span<const Array> results) {
  std::ostringstream text;
  for (const Array& result : results) text << result << '\n';
  tool::print(text.view());
}

}  // namespace

EvalCommand::EvalCommand(CLI::App& app) {
  set_usage(app, "kiln eval [OPTIONS] KERNEL OPERAND...\n       kiln eval [OPTIONS] --file FILE OPERAND...");
  set_footer(app, eval_footer());
  add_words(app, "words", words_, "The kernel's text, and what it is given", "KERNEL OPERAND");
  add_text(app, "-f,--file", file_, "Read the kernel from FILE; '-' is standard input", "FILE");
  add_list(app, "-o,--output", outputs_,
           "Write to FILE as .npy, as a picture for FILE.png, or to standard output for '-'; once for each output", "FILE");
  add_text(app, "--colormap", colormap_, "Of a picture: " + colormap_list() + "; NAME_r is its reverse", "NAME");
  add_text(app, "--range", range_,
           "Of a picture: the numbers at the colormap's ends, 0,1 (default: the least and the greatest number)", "LOW,HIGH");
  add_device_option(app, device_);
  add_flag(app, "-t,--time", time_, "Say on standard error what ran where, and how long each step took");
  add_text(app, "--timeout", timeout_, "End a call that takes longer than so many seconds (10, 0.5): nothing is written then",
           "SECONDS");
  add_text(app, "--chunk", chunk_,
           "Go through the files in chunks of about SIZE bytes of operands and results (64M), and never hold more in memory",
           "SIZE");
  add_flag(app, "--progress", progress_,
           "Show on standard error how far it is; in chunks, if need be of a size of kiln's choice");
  add_text(app, "--ranks", ranks_,
           "none: compute all, although mpirun started several of these. 1/4: be rank 1 of 4, without mpirun", "RANKS");
  add_text(app, "--trace", trace_,
           "Write what ran, when and for how long to FILE, for Perfetto (ui.perfetto.dev) or chrome://tracing", "FILE");
  texts_.add_to(app);
  add_text(app, "--casting", method_.casting, "Casts to allow: no, equiv, safe, same_kind (the default), unsafe", "RULE");
  add_text(app, "--dtype", method_.dtype, "Use the kernel's loop of this output dtype", "DTYPE");
  add_text(app, "--where", method_.where, "Compute only where the bools of the .npy FILE are true; the rest is zero", "FILE");
  add_text(app, "-m,--method", method_.method, "reduce, accumulate, reduceat or outer, instead of a call", "METHOD");
  add_text(app, "--axis", method_.axis,
           "Of a method: an axis (default 0), several with commas, all or none. With --layout: of the one core dimension",
           "AXIS");
  add_flag(app, "--keepdims", method_.keepdims, "Of reduce and with --layout: keep reduced axes, with extent 1");
  add_text(app, "--initial", method_.initial, "Of reduce: the number to start from", "NUMBER");
  add_text(app, "-l,--layout", layout_.layout,
           "The kernel is a generalized ufunc of these core dimensions: '(m,n),(n,p)->(m,p)'", "LAYOUT");
  add_text(app, "--each", layout_.each, "With --layout: run the body for every index of core dimensions: 'i:m, j:p'",
           "INDICES");
  add_text(app, "--group", layout_.group, "With --layout: give each item a team of threads: 'block', or their number",
           "THREADS");
  add_text(app, "--shared", layout_.shared, "With --group: arrays that a team shares: 'float32[n], index[lanes]'", "ARRAYS");
  add_text(app, "--sizes", layout_.sizes, "With --layout: sizes of dimensions that only outputs have: 'p = m + n - 1'",
           "RULES");
  add_text(app, "--axes", layout_.axes, "With --layout: the core axes of each operand: '0,1;1,2;0,1'", "AXES");
  take_off_blanks(app);  // which protect() puts there
}

std::vector<std::string> EvalCommand::protect(std::vector<std::string> arguments) {
  const auto is_number = [](const std::string& text) {
    try {
      return read_scalar(text).has_value();
    } catch (const UsageError&) {
      return true;  // an integer that is too large: reported where operands are read
    }
  };
  const auto end_of_options = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    const bool like_option = argument->size() > 1 && argument->starts_with('-');
    if (like_option && (argument > end_of_options || is_number(*argument))) argument->insert(0, " ");
  }
  if (end_of_options != arguments.end()) arguments.erase(end_of_options);
  return arguments;
}

std::vector<std::string> EvalCommand::operand_texts() const {
  return {words_.begin() + (file_.empty() ? 1 : 0), words_.end()};
}

PngOptions EvalCommand::colours() const {
  PngOptions colours{.colormap = colormap_};
  if (range_.empty()) return colours;
  const std::size_t comma = range_.find(',');
  const auto number = [&](std::string_view text) {
    const auto scalar = read_scalar(text);
    if (!scalar || std::holds_alternative<std::complex<double>>(*scalar)) {
      throw UsageError(fmt::format("--range \"{}\" is no two numbers, such as 0,1", range_));
    }
    return std::visit(
        []<class Number>(Number value) { return std::is_arithmetic_v<Number> ? static_cast<double>(std::real(value)) : 0; },
        *scalar);
  };
  colours.low = number(std::string_view(range_).substr(0, comma));
  colours.high = number(comma == std::string::npos ? "" : std::string_view(range_).substr(comma + 1));
  return colours;
}

void EvalCommand::check_standard_input(const std::vector<std::string>& operands) const {
  const auto readers = std::count_if(operands.begin(), operands.end(), is_standard_stream) +
                       (is_standard_stream(file_) ? 1 : 0) + (is_standard_stream(method_.where) ? 1 : 0) +
                       texts_.from_standard_input();
  if (readers > 1) throw UsageError("standard input ('-') can be read only once");
}

std::string EvalCommand::text() const {
  return file_.empty() ? words_.front() : read_text_file(file_);
}

void EvalCommand::check_counts(const Counts& counts, std::size_t operands) const {
  if (operands != counts.nin) {
    throw UsageError(fmt::format("\"{}\" takes {}, {} given", counts.name, plural(counts.nin, "operand"), operands));
  }
  if (!outputs_.empty() && outputs_.size() != counts.nout) {
    throw UsageError(fmt::format("\"{}\" has {}, but -o is given {}: once for each output, or not at all to print", counts.name,
                                 plural(counts.nout, "output"), plural(outputs_.size(), "time")));
  }
}

std::pair<Ufunc, std::string> EvalCommand::kernel(const std::vector<std::string>& operands) const {
  const std::string text = this->text();
  if (const std::string_view name = without_blanks(text); is_function_name(name)) {
    const math::FunctionInfo& function = standard_function(name);
    texts_.check_none(function.name);
    return {*math::find(function.name), ""};  // of many signatures: numbers keep their own dtypes
  }
  auto definition = texts_.with([&] {
    try {
      return parse_kernel(text);
    } catch (const SignatureError&) {
      if (const auto expression = explain_expression(text, operands)) throw Error(*expression);
      throw;
    }
  }());
  std::string signature = definition.signatures.front();
  return {vectorize(std::move(definition)), std::move(signature)};
}

EvaluationRequest EvalCommand::ufunc_request(std::vector<std::string> operands) const {
  layout_.check_without_layout();
  auto [ufunc, signature] = kernel(operands);
  const Method method(method_);
  check_counts({method.name(ufunc), method.operands(ufunc), method.results(ufunc)}, operands.size());
  if (in_chunks()) method.check_chunks();
  return {.call = [ufunc, method](std::span<const Arg> args, const CallOptions& more,
                                  const ChunkOptions* chunks) { return method.run(ufunc, args, more, chunks); },
          .result_specs = [ufunc, method](std::span<const Arg> args,
                                          const CallOptions& more) { return method.result_specs(ufunc, args, more); },
          .operand_texts = std::move(operands),
          .signature = method.dtype() ? "" : std::move(signature),
          .where = method.where(),
          .check_ranks = [method](std::span<const Arg> args) { method.check_ranks(args); }};
}

EvaluationRequest EvalCommand::gufunc_request(std::vector<std::string> operands) const {
  const GufuncCall call(layout_, method_);
  const Gufunc gufunc = guvectorize(texts_.with(call.definition(text())));
  check_counts({gufunc.name(), static_cast<std::size_t>(gufunc.nin()), static_cast<std::size_t>(gufunc.nout())},
               operands.size());
  return {.call = [gufunc, call](std::span<const Arg> args, const CallOptions& more,
                                 const ChunkOptions* chunks) { return call.run(gufunc, args, more, chunks); },
          .result_specs = [gufunc, call](std::span<const Arg> args,
                                         const CallOptions& more) { return call.result_specs(gufunc, args, more); },
          .operand_texts = std::move(operands),
          .signature = "",  // its scalars take their own dtypes
          .where = method_.where,
          .core_axes = core_axes(gufunc),
          .check_ranks = [call](std::span<const Arg>) { call.check_ranks(); }};
}

int EvalCommand::run() {
  // The result may go to standard output.
  set_print([](std::string_view text) { say(printable(std::string(text)) + "\n"); });
  try {
    evaluate_and_write();
  } catch (const CompileError& error) {
    throw in_option_words(error);
  } catch (const Error& error) {
    throw Reworded(error);
  }
  return kDone;
}

void EvalCommand::evaluate_and_write() {
  const auto place = rank_place(ranks_, [](const char* name) { return std::getenv(name); });
  if (!place) return evaluate_and_write(std::nullopt, nullptr);
  SharedOutput shared(outputs_, *place);
  try {
    evaluate_and_write(place, &shared);
  } catch (const std::exception& error) {
    shared.set_error(error.what());
    throw;
  }
}

void EvalCommand::evaluate_and_write(const std::optional<RankPlace>& place, SharedOutput* shared) {
  if (words_.empty() && file_.empty()) throw UsageError("no kernel: give its text, or --file FILE");
  std::vector<std::string> operands = operand_texts();
  check_standard_input(operands);
  texts_.check();
  EvaluationRequest request = layout_.layout.empty() ? ufunc_request(std::move(operands)) : gufunc_request(std::move(operands));
  request.device = read_device(device_);
  request.time = time_;
  if (!timeout_.empty()) request.timeout = read_seconds(timeout_);
  request.place = place;
  const bool first = !place || place->rank == 0;  // who speaks for all
  ResultFiles files(place ? std::vector<std::string>() : outputs_, place ? PngOptions() : colours());
  ChunkReport progress(progress_ && first);
  if (in_chunks()) {
    ChunkOptions how{.devices = {request.device}};
    if (!chunk_.empty()) {
      how.chunk_bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(read_bytes(chunk_), INT64_MAX));
      if (how.chunk_bytes == 0) throw UsageError("--chunk 0 has no room for anything: give a size such as 64M");
    }
    if (progress_) how.progress = [&](const ChunkProgress& now) { progress.show(now); };
    request.chunks = ChunkedRun{std::move(how), [&](std::span<const ResultSpec> specs) { return files.create(specs); }};
  }
  std::optional<Profile> profiled;
  if (!trace_.empty() && first) {
    if (output_target(trace_).stream) throw UsageError("--trace writes a file: give the name of one that is to be made");
    profiled = profile({.all_threads = true});
  }
  const Evaluation evaluation = evaluate(std::move(request));
  progress.clear();
  if (shared != nullptr) {
    shared->write(evaluation.results, evaluation.own, evaluation.rows);
  } else {
    outputs_.empty() ? print(evaluation.results) : files.write(evaluation.results);
  }
  if (profiled) profiled->write_trace(trace_);
  if (time_ && first) say(to_string(evaluation.report));
}

}  // namespace kiln::tool
