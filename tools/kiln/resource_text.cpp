#include "resource_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "table.hpp"
#include "tuned_text.hpp"

namespace kiln::tool {
namespace {

struct Measure {
  const char* member;  ///< in JSON
  const char* label;
  const char* title;  ///< of a column
  const char* unit;
  std::optional<std::int64_t> (*of)(const inspect::Resources&);
};

constexpr Measure kMeasures[] = {
    {"registers", "registers", "REGISTERS", "a thread", [](const inspect::Resources& r) { return r.registers; }},
    {"scalar_registers", "scalars", "SCALARS", "a wave", [](const inspect::Resources& r) { return r.scalar_registers; }},
    {"vector_bits", "vectors", "VECTOR", "bits", [](const inspect::Resources& r) { return r.vector_bits; }},
    {"spills", "spills", "SPILLS", "", [](const inspect::Resources& r) { return r.spills; }},
    {"local_bytes", "stack", "STACK", "bytes a thread", [](const inspect::Resources& r) { return r.local_bytes; }},
    {"shared_bytes", "shared", "SHARED", "bytes a block", [](const inspect::Resources& r) { return r.shared_bytes; }},
    {"constant_bytes", "constants", "CONSTANTS", "bytes", [](const inspect::Resources& r) { return r.constant_bytes; }},
    {"max_threads", "threads", "THREADS", "in a block at most", [](const inspect::Resources& r) { return r.max_threads; }},
    {"wave_size", "wave", "WAVE", "threads", [](const inspect::Resources& r) { return r.wave_size; }},
    {"code_bytes", "code", "CODE", "bytes", [](const inspect::Resources& r) { return std::optional(r.code_bytes); }},
};

std::string line(std::string_view label, std::string_view value) {
  return fmt::format("{:<11}{}\n", label, value);
}

std::string value_text(const Measure& measure, std::int64_t value) {
  if (std::string_view(measure.member) == "vector_bits" && value == 0) return "none: an element at a time";
  return fmt::format("{}{}{}", value, *measure.unit == '\0' ? "" : " ", measure.unit);
}

/// "it reads or writes what is volatile at steps:1:8".
std::string reason_text(const Diagnostic& reason) {
  if (reason.line == 0) return printable(reason.text);
  return fmt::format("{} at {}:{}:{}", printable(reason.text), printable(reason.file), reason.line, reason.column);
}

}  // namespace

std::string resource_lines(const Subject& subject, const inspect::Resources& resources) {
  const cache::Entry& entry = subject.contents.entry;
  std::string text = line("kernel", printable(entry.kernel)) + line("signature", printable(entry.signature));
  if (!subject.variant.empty()) text += line("variant", subject.variant);
  text += line("target", printable(entry.target)) + line("compiler", printable(entry.compiler)) + line("id", entry.id);
  for (const Measure& measure : kMeasures) {
    const auto value = measure.of(resources);
    if (!value) continue;
    const bool reason = std::string_view(measure.member) == "vector_bits" && resources.scalar_because;
    text +=
        line(measure.label, value_text(measure, *value) + (reason ? ", since " + reason_text(*resources.scalar_because) : ""));
  }
  for (const cache::TunedShape& shape : subject.contents.tuned) text += line("launch", tuned_text(shape));
  return text;
}

std::string resource_table(const std::vector<Subject>& subjects, const std::vector<inspect::Resources>& resources,
                           const Terminal& terminal) {
  std::vector<Table::Column> columns = {{.title = "KERNEL", .least = 10}, {.title = "SIGNATURE", .least = 12}};
  const bool variants =
      std::any_of(subjects.begin(), subjects.end(), [](const Subject& each) { return !each.variant.empty(); });
  if (variants) columns.push_back({.title = "VARIANT", .least = 8});
  columns.push_back({.title = "TARGET", .least = 8});
  columns.push_back({.title = "ID"});
  std::vector<const Measure*> known;
  for (const Measure& measure : kMeasures) {
    const auto has = [&](const inspect::Resources& each) { return measure.of(each).has_value(); };
    if (std::none_of(resources.begin(), resources.end(), has)) continue;
    known.push_back(&measure);
    columns.push_back({.title = measure.title, .right = true});
  }
  Table table(std::move(columns));
  constexpr std::size_t kIdDigits = 12;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const cache::Entry& entry = subjects[i].contents.entry;
    std::vector<std::string> cells = {entry.kernel, entry.signature};
    if (variants) cells.push_back(subjects[i].variant);
    cells.push_back(entry.target);
    cells.push_back(entry.id.substr(0, kIdDigits));
    for (const Measure* measure : known) {
      const auto value = measure->of(resources[i]);
      cells.push_back(value ? std::to_string(*value) : "-");
    }
    table.add(std::move(cells));
  }
  return table.text(terminal);
}

nlohmann::ordered_json to_json(const inspect::Resources& resources) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Measure& measure : kMeasures) {
    if (const auto value = measure.of(resources)) json[measure.member] = *value;
  }
  if (const auto& reason = resources.scalar_because) {
    json["scalar_because"] = {{"text", reason->text}};
    if (reason->line > 0) {
      json["scalar_because"].update({{"file", reason->file}, {"line", reason->line}, {"column", reason->column}});
    }
  }
  return json;
}

}  // namespace kiln::tool
