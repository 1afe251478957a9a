#include "tuned_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "table.hpp"
#include "terminal.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string time_text(double milliseconds) {
  return milliseconds < 1 ? fmt::format("{:.2f} us", milliseconds * 1000) : fmt::format("{:.3f} ms", milliseconds);
}

double ratio(double milliseconds, double model) {
  return model > 0 ? milliseconds / model : 1;
}

std::string table_of(const Json& candidates, std::size_t best) {
  Table table({{.title = "BLOCK", .right = true},
               {.title = "ELEMENTS", .right = true},
               {.title = "TIME", .right = true},
               {.title = "RATIO", .right = true},
               {.title = "", .least = 12}});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Json& each = candidates[i];
    const bool timed = each.contains("ms");
    const double ms = timed ? each["ms"].get<double>() : 0;
    std::string note = timed ? "" : each.at("why_not").get<std::string>();
    if (i == 0) note = "cost model";
    if (i == best) note += note.empty() ? "best" : ", best";
    table.add({each.at("block").dump(), each.at("elements_per_thread").dump(), timed ? time_text(ms) : "-",
               timed ? fmt::format("{:.2f}", ratio(ms, candidates[0].value("ms", 0.0))) : "-", std::move(note)});
  }
  return table.text(Terminal::standard_output());
}

const char* plural(std::int64_t count, const char* one, const char* several) {
  return count == 1 ? one : several;
}

}  // namespace

std::string tuned_text(const Json& shape) {
  const std::string where =
      printable(fmt::format("with {} elements; {}, {}", shape.at("elements").dump(), shape.at("device").get<std::string>(),
                            shape.at("driver").get<std::string>()));
  if (shape.at("model").get<bool>()) return fmt::format("the cost model's shape is the best {}", where);
  const auto accesses = shape.at("accesses").get<std::int64_t>();
  return fmt::format("blocks of {} threads, {} {} a thread: {:.2f} of the cost model's time {}", shape.at("block").dump(),
                     accesses, plural(accesses, "access", "accesses"),
                     ratio(shape.at("ms").get<double>(), shape.at("model_ms").get<double>()), where);
}

std::string tune_text(const Json& report, const std::string& directory) {
  const auto kernel = report.at("kernel").get<std::string>();
  if (report.contains("why_not"))
    return printable(fmt::format("nothing to tune for \"{}\": {}", kernel, report["why_not"].get<std::string>())) + "\n";
  const auto best = report.at("best").get<std::size_t>();
  const Json& candidates = report.at("candidates");
  std::string text = printable(fmt::format("{}, {}: \"{}\" ({}) with {} elements", report.at("device").get<std::string>(),
                                           report.at("driver").get<std::string>(), kernel, report.at("id").get<std::string>(),
                                           report.at("elements").dump())) +
                     "\n" + table_of(candidates, best);
  const auto elements = candidates.at(best).at("elements_per_thread").get<std::int64_t>();
  text += best == 0 ? std::string("the cost model's shape stays")
                    : fmt::format("blocks of {} threads, {} {} a thread from now on", candidates.at(best).at("block").dump(),
                                  elements, plural(elements, "element", "elements"));
  text += report.at("kept").get<bool>() ? fmt::format("; kept in {}", printable(directory))
                                        : "; not kept: the cache has no directory to write in";
  return text + "\n";
}

}  // namespace kiln::tool
