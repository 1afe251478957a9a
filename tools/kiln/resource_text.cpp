#include "resource_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "table.hpp"
#include "tuned_text.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Measure {
  const char* member;
  const char* label;
  const char* title;  ///< of a column
  const char* unit;
};

constexpr Measure kMeasures[] = {{"registers", "registers", "REGISTERS", "a thread"},
                                 {"scalar_registers", "scalars", "SCALARS", "a wave"},
                                 {"vector_bits", "vectors", "VECTOR", "bits"},
                                 {"spills", "spills", "SPILLS", ""},
                                 {"local_bytes", "stack", "STACK", "bytes a thread"},
                                 {"shared_bytes", "shared", "SHARED", "bytes a block"},
                                 {"constant_bytes", "constants", "CONSTANTS", "bytes"},
                                 {"max_threads", "threads", "THREADS", "in a block at most"},
                                 {"wave_size", "wave", "WAVE", "threads"},
                                 {"code_bytes", "code", "CODE", "bytes"}};

std::string line(std::string_view label, std::string_view value) {
  return fmt::format("{:<11}{}\n", label, value);
}

std::string value_text(const Measure& measure, std::int64_t value) {
  if (std::string_view(measure.member) == "vector_bits" && value == 0) return "none: an element at a time";
  return fmt::format("{}{}{}", value, *measure.unit == '\0' ? "" : " ", measure.unit);
}

/// "it reads or writes what is volatile at steps:1:8".
std::string reason_text(const Json& reason) {
  const std::string text = printable(reason.at("text").get<std::string>());
  if (!reason.contains("line")) return text;
  return fmt::format("{} at {}:{}:{}", text, printable(reason.at("file").get<std::string>()), reason.at("line").get<int>(),
                     reason.at("column").get<int>());
}

std::string word(const Json& kernel, const char* member) {
  return kernel.contains(member) ? kernel.at(member).get<std::string>() : std::string();
}

}  // namespace

std::string resource_lines(const Json& kernel) {
  std::string text;
  for (const char* const member : {"kernel", "signature", "variant", "target", "compiler", "id"}) {
    if (kernel.contains(member)) text += line(member, printable(word(kernel, member)));
  }
  const Json& resources = kernel.at("resources");
  for (const Measure& measure : kMeasures) {
    if (!resources.contains(measure.member)) continue;
    const bool reason = std::string_view(measure.member) == "vector_bits" && resources.contains("scalar_because");
    text += line(measure.label, value_text(measure, resources.at(measure.member).get<std::int64_t>()) +
                                    (reason ? ", since " + reason_text(resources.at("scalar_because")) : ""));
  }
  if (!kernel.contains("tuned")) return text;
  for (const Json& shape : kernel.at("tuned")) text += line("launch", tuned_text(shape));
  return text;
}

std::string resource_table(const std::vector<Json>& kernels, const Terminal& terminal) {
  std::vector<Table::Column> columns;
  columns.reserve(5 + std::size(kMeasures));
  columns.push_back({.title = "KERNEL", .least = 10});
  columns.push_back({.title = "SIGNATURE", .least = 12});
  const bool variants = std::any_of(kernels.begin(), kernels.end(), [](const Json& each) { return each.contains("variant"); });
  if (variants) columns.push_back({.title = "VARIANT", .least = 8});
  columns.push_back({.title = "TARGET", .least = 8});
  columns.push_back({.title = "ID"});
  std::vector<const char*> known;
  for (const Measure& measure : kMeasures) {
    const auto has = [&](const Json& each) { return each.at("resources").contains(measure.member); };
    if (std::none_of(kernels.begin(), kernels.end(), has)) continue;
    known.push_back(measure.member);
    columns.push_back({.title = measure.title, .right = true});
  }
  Table table(std::move(columns));
  constexpr std::size_t kIdDigits = 12;
  for (const Json& kernel : kernels) {
    std::vector<std::string> cells = {word(kernel, "kernel"), word(kernel, "signature")};
    if (variants) cells.push_back(word(kernel, "variant"));
    cells.push_back(word(kernel, "target"));
    cells.push_back(word(kernel, "id").substr(0, kIdDigits));
    const Json& resources = kernel.at("resources");
    for (const char* const member : known) cells.push_back(resources.contains(member) ? resources.at(member).dump() : "-");
    table.add(std::move(cells));
  }
  return table.text(terminal);
}

}  // namespace kiln::tool
