// NumPy's functions that reduce arrays, by their names.
#include "kiln/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "c/argument_error.hpp"
#include "c/array.hpp"
#include "c/call_options.hpp"
#include "c/guard.hpp"
#include "c/operands.hpp"
#include "c/text.hpp"
#include "kiln/index.hpp"

namespace kiln::c {
namespace {

using Reduced = Array (*)(const Array&, const AxisOptions&);
using Spread = Array (*)(const Array&, const VarOptions&);
using Running = Array (*)(const Array&, const CumulativeOptions&);

/// One of the three is there.
struct Statistic {
  const char* name;
  Reduced reduced = nullptr;
  Spread spread = nullptr;
  Running running = nullptr;
};

Array all_of(const Array& a, const AxisOptions& options) {
  return kiln::all(a, options);
}

constexpr Statistic kStatistics[] = {{.name = "sum", .reduced = kiln::sum},        {.name = "prod", .reduced = kiln::prod},
                                     {.name = "min", .reduced = kiln::min},        {.name = "max", .reduced = kiln::max},
                                     {.name = "any", .reduced = kiln::any},        {.name = "all", .reduced = all_of},
                                     {.name = "mean", .reduced = kiln::mean},      {.name = "argmin", .reduced = kiln::argmin},
                                     {.name = "argmax", .reduced = kiln::argmax},  {.name = "var", .spread = kiln::var},
                                     {.name = "std", .spread = kiln::std},         {.name = "cumsum", .running = kiln::cumsum},
                                     {.name = "cumprod", .running = kiln::cumprod}};

const Statistic& statistic_of(const std::string& name) {
  const auto* const found = std::ranges::find_if(kStatistics, [&](const Statistic& each) { return name == each.name; });
  if (found != std::end(kStatistics)) return *found;
  std::string all;
  for (const Statistic& each : kStatistics) all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", each.name);
  throw ArgumentError(fmt::format("name: \"{}\" is no statistic; they are {}", name, all), "name");
}

/// Fills what all of the options have.
template <class T>
void fill(T& given, const Options& options, const std::string& name) {
  if (options.raw().device.type != 0) {
    throw ArgumentError(name + ": device: it is the array's, or the stream's; leave it out", "device");
  }
  if (options.raw().stream != nullptr) given.stream = checked(options.raw().stream, "kiln_call_options.stream").stream;
  options.fill_dtype(given);
}

Array result_of(const Statistic& of, const Array& a, double ddof, const Options& options) {
  const std::string name = of.name;
  options.allow(kDType | kAxis | kPlace | (of.running == nullptr ? kKeepdims : 0U), of.name);
  if (ddof != 0 && of.spread == nullptr)
    throw ArgumentError(name + ": ddof: \"var\" and \"std\" alone have it; give 0", "ddof");
  const bool keepdims = options.raw().keepdims != 0;
  if (of.running != nullptr) {
    CumulativeOptions given;
    fill(given, options, name);
    const std::size_t axes = options.raw().axis_count;
    if (axes != 0 && axes != KILN_ALL_AXES) given.axis = options.one_axis(0);
    return of.running(a, given);
  }
  if (of.spread != nullptr) {
    VarOptions given{.axis = options.axes(all_axes), .keepdims = keepdims, .ddof = ddof};
    fill(given, options, name);
    return of.spread(a, given);
  }
  AxisOptions given{.axis = options.axes(all_axes), .keepdims = keepdims};
  fill(given, options, name);
  return of.reduced(a, given);
}

}  // namespace
}  // namespace kiln::c

using namespace kiln::c;

kiln_status kiln_statistic(kiln_array** result, const char* name, size_t length, const kiln_arg* input, double ddof,
                           const kiln_call_options* options, kiln_error** error) noexcept {
  return guarded(error, result, [&] {
    kiln_array*& made = output(result, "result");
    const Statistic& of = statistic_of(string_of(name, length, "name"));
    if (input == nullptr) fail_null("input");
    const Options read(options);
    const Operands operands(nullptr, 0, input, 1, read.where(), read.raw().stream);
    made = make<kiln_array>(result_of(of, array_of(*input, "input"), ddof, read));
  });
}
