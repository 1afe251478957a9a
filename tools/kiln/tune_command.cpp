#include "tune_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "device_option.hpp"
#include "file_kind.hpp"
#include "kernel_text.hpp"
#include "kiln/definition.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "kiln/npz.hpp"
#include "operand.hpp"
#include "option_words.hpp"
#include "options.hpp"
#include "output.hpp"
#include "standard_function.hpp"
#include "tuned_text.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTuneFooter =
    R"(KERNEL is as for `kiln eval`: a declaration with a body, or a function of the standard library. OPERAND is an array of the
sizes that calls will have: DTYPE:EXTENTS for one of made-up values (float32:4096,4096), a .npy file, or a number.

The kernel is run with each number of threads in a block, and of elements that a thread loads at once. Every program with this
cache uses the best from then on, for calls of about as many elements, on this device with this driver. Results are the same with each. KILN_TUNE=1 does the same for each kernel that a program runs.
Reductions, scans, generalized ufuncs and kernels by tiles keep their shapes.

Examples:
  kiln tune 'float32 axpy(float32 a, float32 x, float32 y) = a * x + y' 2.5 float32:16777216 float32:16777216
  kiln tune hypot float64:1000,1000 float64:1000
  kiln tune --file kernel.txt a.npy b.npy --device cuda:1 --json

Exit status: 0 done, also if there is nothing to tune (on a CPU, by tiles). 1: the kernel or an operand failed, or there is no
device to tune on. 2: the command line is wrong.)";

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

/// A number of a JSON text, or the name of one that JSON lacks.
Json real_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json scalar_json(const Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> Json {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::complex<double>>) {
          return {{"real", real_json(value.real())}, {"imag", real_json(value.imag())}};
        } else if constexpr (std::is_same_v<T, double>) {
          return real_json(value);
        } else {
          return value;
        }
      },
      scalar);
}

/// An operand of the request: DTYPE:EXTENTS, a number, or a file.
Json operand_json(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t colon = whole.find(':');
  for (int i = 0; colon != std::string_view::npos && i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (whole.substr(0, colon) != name(dtype)) continue;
    const Shape extents = read_extents(whole.substr(colon + 1), text);
    return {{"dtype", name(dtype)}, {"shape", std::vector<std::int64_t>(extents.begin(), extents.end())}};
  }
  if (is_standard_stream(text)) throw UsageError("an operand is a file, DTYPE:EXTENTS or a number; standard input is none");
  // Refuses what is no operand.
  const Operand operand = read_operand(text, /*in_place=*/true);
  if (const auto* const scalar = std::get_if<Scalar>(&operand)) return scalar_json(*scalar);
  const bool member = text.rfind(':') != std::string::npos && !std::filesystem::exists(text);
  if (member) return {{"file", text.substr(0, text.rfind(':'))}, {"array", text.substr(text.rfind(':') + 1)}};
  if (is_archive(text)) return {{"file", text}, {"array", npz_names(text).front()}};
  return {{"file", text}};
}

bool is_array(const Json& operand) {
  return operand.contains("dtype") || operand.contains("file");
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
    throw Reworded(error);
  }
}

Ufunc TuneCommand::standard(std::string_view name) const {
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

int TuneCommand::tune() const {
  if (words_.empty() && file_.empty()) throw UsageError("no kernel: give its text, or --file FILE");
  texts_.check();
  const Cache cache = choice_.writable(true);
  const std::string text = file_.empty() ? words_.front() : read_text_file(file_);
  const std::string_view word = without_blanks(text);
  const bool is_standard = is_function_name(word);
  const Ufunc f = is_standard ? standard(word) : vectorize(texts_.with(parse_kernel(text)));
  const std::vector<std::string> texts(words_.begin() + (file_.empty() ? 1 : 0), words_.end());
  if (texts.size() != static_cast<std::size_t>(f.nin())) {
    throw UsageError(
        fmt::format("\"{}\" takes {} operand{}, {} given: arrays as DTYPE:EXTENTS (float32:4096,4096), files or numbers",
                    f.name(), f.nin(), f.nin() == 1 ? "" : "s", texts.size()));
  }
  static_cast<void>(read_device(device_));
  Json operands = Json::array();
  for (const std::string& each : texts) operands.push_back(operand_json(each));
  if (std::none_of(operands.begin(), operands.end(), is_array))
    throw UsageError("numbers alone have no size to tune for: give an array as DTYPE:EXTENTS, or a file");
  Json request{{"command", "tune"}, {"operands", std::move(operands)}};
  request[is_standard ? "function" : "definition"] = is_standard ? f.name() : definition_text(f);
  if (device_ != "best") request["device"] = device_;
  if (choice_.json()) {
    print_reply(request, cache);
  } else {
    print(tune_text(reply_of(request, cache), cache.directory()));
  }
  return kDone;
}

}  // namespace kiln::tool
