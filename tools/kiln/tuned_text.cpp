#include "tuned_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "table.hpp"
#include "terminal.hpp"

namespace kiln::tool {
namespace {

std::string time_text(double milliseconds) {
  return milliseconds < 1 ? fmt::format("{:.2f} us", milliseconds * 1000) : fmt::format("{:.3f} ms", milliseconds);
}

double ratio(double milliseconds, double model) {
  return model > 0 ? milliseconds / model : 1;
}

std::string table_of(const TuneReport& report) {
  Table table({{.title = "BLOCK", .right = true},
               {.title = "ELEMENTS", .right = true},
               {.title = "TIME", .right = true},
               {.title = "RATIO", .right = true},
               {.title = "", .least = 12}});
  for (std::size_t i = 0; i < report.candidates.size(); ++i) {
    const TuneCandidate& each = report.candidates[i];
    const bool timed = each.why_not.empty();
    std::string note = timed ? "" : each.why_not;
    if (i == 0) note = "cost model";
    if (i == report.best) note += note.empty() ? "best" : ", best";
    table.add(
        {fmt::format("{}", each.block), fmt::format("{}", each.elements_per_thread), timed ? time_text(each.milliseconds) : "-",
         timed ? fmt::format("{:.2f}", ratio(each.milliseconds, report.candidates[0].milliseconds)) : "-", std::move(note)});
  }
  return table.text(Terminal::standard_output());
}

}  // namespace

std::string tuned_text(const cache::TunedShape& shape) {
  const std::string where = printable(fmt::format("with {} elements; {}, {}", shape.elements, shape.device, shape.driver));
  if (shape.model) return fmt::format("the cost model's shape is the best {}", where);
  return fmt::format("blocks of {} threads, {} {} a thread: {:.2f} of the cost model's time {}", shape.block, shape.accesses,
                     shape.accesses == 1 ? "access" : "accesses", ratio(shape.milliseconds, shape.model_milliseconds), where);
}

nlohmann::ordered_json to_json(const cache::TunedShape& shape) {
  return {
      {"device", shape.device},     {"driver", shape.driver},   {"elements", shape.elements},           {"block", shape.block},
      {"accesses", shape.accesses}, {"ms", shape.milliseconds}, {"model_ms", shape.model_milliseconds}, {"model", shape.model},
      {"measured", shape.measured}};
}

std::string tune_text(const TuneReport& report, const std::string& kernel, const std::string& directory) {
  if (!report.why_not.empty()) return printable(fmt::format("nothing to tune for \"{}\": {}", kernel, report.why_not)) + "\n";
  std::string text = printable(fmt::format("{}, {}: \"{}\" ({}) with {} elements", report.device, report.driver, kernel,
                                           report.id, report.elements)) +
                     "\n" + table_of(report);
  const TuneCandidate& best = report.candidates[report.best];
  text += report.best == 0 ? std::string("the cost model's shape stays")
                           : fmt::format("blocks of {} threads, {} {} a thread from now on", best.block,
                                         best.elements_per_thread, best.elements_per_thread == 1 ? "element" : "elements");
  text +=
      report.kept ? fmt::format("; kept in {}", printable(directory)) : "; not kept: the cache has no directory to write in";
  return text + "\n";
}

nlohmann::ordered_json to_json(const TuneReport& report, const std::string& kernel) {
  nlohmann::ordered_json json{{"kernel", kernel}};
  if (!report.why_not.empty()) {
    json["why_not"] = report.why_not;
    return json;
  }
  auto candidates = nlohmann::ordered_json::array();
  for (const TuneCandidate& each : report.candidates) {
    nlohmann::ordered_json one{{"block", each.block}, {"elements_per_thread", each.elements_per_thread}};
    if (each.why_not.empty()) {
      one["ms"] = each.milliseconds;
    } else {
      one["why_not"] = each.why_not;
    }
    candidates.push_back(std::move(one));
  }
  json["id"] = report.id;
  json["device"] = report.device;
  json["driver"] = report.driver;
  json["elements"] = report.elements;
  json["candidates"] = std::move(candidates);
  json["best"] = report.best;
  json["kept"] = report.kept;
  return json;
}

}  // namespace kiln::tool
