#include "tune_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "device_option.hpp"
#include "kernel_text.hpp"
#include "kiln/tune.hpp"
#include "missing_devices.hpp"
#include "operand.hpp"
#include "option_words.hpp"
#include "options.hpp"
#include "output.hpp"
#include "standard_function.hpp"
#include "tuned_text.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

constexpr const char* kTuneFooter =
    R"(KERNEL is as for `kiln eval`: a declaration with a body, or a function of the standard library. OPERAND is an array of the
sizes that calls will have: DTYPE:EXTENTS for one of made-up values (float32:4096,4096), a .npy file, or a number.

The kernel is run with each number of threads in a block, and of elements that a thread loads at once, that there is; what is
best is used from then on by every program with this cache, for calls of about as many elements on this device with this
driver. Results are the same with each. KILN_TUNE=1 does the same for each kernel that a program runs.
Reductions, scans, generalized ufuncs and kernels by tiles keep their shapes.

Examples:
  kiln tune 'float32 axpy(float32 a, float32 x, float32 y) = a * x + y' 2.5 float32:16777216 float32:16777216
  kiln tune hypot float64:1000,1000 float64:1000
  kiln tune --file kernel.txt a.npy b.npy --device cuda:1 --json

Exit status: 0 done, also where there is nothing to tune (on a CPU, by tiles), 1 something failed: the kernel, an operand,
no device to tune on, 2 the command line is wrong.)";

/// "4096,4096". UsageError.
Shape read_extents(std::string_view text, const std::string& operand) {
  std::vector<std::int64_t> extents;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t extent = 0;
    const auto [rest, fault] = std::from_chars(text.data() + begin, text.data() + end, extent);
    if (fault != std::errc{} || rest != text.data() + end || extent < 1) {
      throw UsageError(fmt::format("operand \"{}\": extents are whole numbers from 1 on, as in float32:4096,4096", operand));
    }
    extents.push_back(extent);
    begin = end + 1;
  }
  return extents;
}

/// Values between 0 and 1 of floating and complex dtypes, small integers of others; never zero.
Array made_up(DType dtype, const Shape& shape) {
  constexpr int kValues = 97;  // no power of two: neighbours in memory differ in any layout
  std::vector<double> values(kValues);
  const bool whole = kind(dtype) <= Kind::integer;
  for (int i = 0; i < kValues; ++i) values[static_cast<std::size_t>(i)] = whole ? i % 20 + 1 : (i + 1.0) / kValues;
  const Array few = Array::from<double>(values).astype(dtype, Casting::unsafe);
  Array made = Array::empty(shape, dtype);
  const auto bytes = static_cast<std::size_t>(few.nbytes());
  const auto total = static_cast<std::size_t>(made.nbytes());
  for (std::size_t at = 0; at < total; at += bytes) {
    std::memcpy(static_cast<char*>(made.data()) + at, few.data(), std::min(bytes, total - at));
  }
  return made;
}

/// An operand of `kiln eval`, or DTYPE:EXTENTS.
Operand read_tuned_operand(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t colon = whole.find(':');
  for (int i = 0; colon != std::string_view::npos && i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (whole.substr(0, colon) == name(dtype)) return made_up(dtype, read_extents(whole.substr(colon + 1), text));
  }
  return read_operand(text);
}

/// The device; kiln::Error where the best one is a CPU since there is no other.
Device find_device(const std::string& text) {
  const Device device = read_device(text);
  if (text != "best" || !device.is_cpu() || Device::all().size() > 1) return device;
  std::string why;
  for (const auto& [vendor, reason] : missing_devices())
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", vendor, in_short(reason));
  throw DeviceError(fmt::format("no device to tune on: {}", why));
}

}  // namespace

TuneCommand::TuneCommand(CLI::App& app) {
  set_usage(app, "kiln tune [OPTIONS] KERNEL OPERAND...\n       kiln tune [OPTIONS] --file FILE OPERAND...");
  set_footer(app, kTuneFooter);
  add_words(app, "words", words_, "The kernel's text, and what it is run on", "KERNEL OPERAND");
  add_text(app, "-f,--file", file_, "Read the kernel from FILE; '-' is standard input", "FILE");
  add_device_option(app, device_);
  texts_.add_to(app);
  choice_.add_to(app);
  take_off_blanks(app);  // which EvalCommand::protect() puts there
}

int TuneCommand::run() {
  try {
    return tune();
  } catch (const CompileError& error) {
    throw in_option_words(error);
  } catch (const Error& error) {
    throw Error(in_option_words(error.what()));
  }
}

Ufunc TuneCommand::kernel(const Cache& cache) const {
  const std::string text = file_.empty() ? words_.front() : read_text_file(file_);
  if (const std::string_view name = without_blanks(text); is_function_name(name)) {
    const math::FunctionInfo& function = standard_function(name);
    texts_.check_none(function.name);
    if (!choice_.directory().empty()) {
      throw UsageError(
          fmt::format("--dir is for a kernel's text: the library's \"{}\" is kept in the process's cache; set "
                      "KILN_CACHE_DIR instead",
                      function.name));
    }
    return *math::find(function.name);
  }
  UfuncDefinition definition = texts_.with(parse_kernel(text));
  definition.compile.cache = cache;
  return vectorize(std::move(definition));
}

int TuneCommand::tune() const {
  if (words_.empty() && file_.empty()) throw UsageError("no kernel: give its text, or --file FILE");
  texts_.check();
  const Cache cache = choice_.writable(true);
  const Ufunc f = kernel(cache);
  const std::vector<std::string> texts(words_.begin() + (file_.empty() ? 1 : 0), words_.end());
  if (texts.size() != static_cast<std::size_t>(f.nin())) {
    throw UsageError(
        fmt::format("\"{}\" takes {} operand{}, {} given: arrays as DTYPE:EXTENTS (float32:4096,4096), files or numbers",
                    f.name(), f.nin(), f.nin() == 1 ? "" : "s", texts.size()));
  }
  const Device device = find_device(device_);
  std::vector<Operand> operands;
  for (const std::string& text : texts) operands.push_back(read_tuned_operand(text));
  std::vector<Arg> args;
  bool any_array = false;
  for (Operand& operand : operands) {
    if (auto* const array = std::get_if<Array>(&operand)) {
      *array = to_device(*array, device);
      args.emplace_back(*array);
      any_array = true;
    } else {
      args.push_back(to_arg(std::get<Scalar>(operand)));
    }
  }
  if (!any_array) throw UsageError("numbers alone have no size to tune for: give an array as DTYPE:EXTENTS, or a file");
  const TuneReport report = kiln::tune(f, args);
  if (choice_.json()) {
    print_json(to_json(report, f.name()));
  } else {
    print(tune_text(report, f.name(), cache.directory()));
  }
  return kDone;
}

}  // namespace kiln::tool
