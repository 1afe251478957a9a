#include "cache_show_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kiln/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "tuned_text.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

class Lines {
 public:
  explicit Lines(const Terminal& terminal) : terminal_(terminal) {}
  void heading(std::string_view text) { text_ += "\n" + terminal_.styled(text, Style::heading) + "\n"; }
  void field(std::string_view name, std::string_view value) {
    text_ += terminal_.styled(fmt::format("{:<11}", printable(name)), Style::faint) + " " + printable(value) + "\n";
  }
  void block(std::string_view text) {
    const std::string safe = printable(text, true);
    std::string_view left = safe;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      text_ += "  " + std::string(left.substr(0, end)) + "\n";
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const Terminal& terminal_;
  std::string text_;
};

std::string size_of_text(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  return fmt::format("{} {}, {}", lines, lines == 1 ? "line" : "lines", bytes_text(text.size()));
}

/// A field of the key in a line: texts of many lines by their size.
std::string summary(const Json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    return text.find('\n') == std::string::npos ? text : size_of_text(value);
  }
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const Json& item : value) {
    if (!text.empty()) text += ' ';
    if (item.is_array() && item.size() == 2) {  // a header: its name and its text
      text += fmt::format("{} ({})", summary(item[0]), size_of_text(item[1]));
    } else {
      text += summary(item);
    }
  }
  return text;
}

/// The reply of the command "cache.show".
std::string describe(const Json& entry) {
  const auto word = [&](const char* member) { return entry.at(member).get<std::string>(); };
  const auto bytes = [&](const char* member) { return bytes_text(entry.at(member).get<std::uint64_t>()); };
  const Terminal terminal = Terminal::standard_output();
  const std::int64_t today = now();
  Lines lines(terminal);
  for (const char* const member : {"id", "kernel", "kind", "signature"}) lines.field(member, word(member));
  if (!word("variant").empty()) lines.field("variant", word("variant"));
  for (const char* const member : {"target", "compiler"}) lines.field(member, word(member));
  lines.field("size", fmt::format("{}, of which machine code {}", bytes("bytes"), bytes("code_bytes")));
  lines.field("compiled in", milliseconds_text(entry.at("compile_ms").get<double>()));
  lines.field("created", date_text(entry.at("created").get<std::int64_t>()));
  const auto used = entry.at("used").get<std::int64_t>();
  lines.field("used", used == 0 ? "-" : fmt::format("{} ({})", date_text(used), ago_text(used, today)));
  lines.field("hits", entry.at("hits").dump());
  lines.field("in", word("tier"));
  if (entry.contains("tuned")) {
    for (const Json& shape : entry["tuned"]) lines.field("launch", tuned_text(shape));
  }
  lines.heading("Key: all that decided the machine code");
  if (const Json& key = entry.at("key"); key.is_object()) {
    for (const auto& [name, value] : key.items()) lines.field(name, summary(value));
  }
  lines.heading("Body");
  lines.block(word("body"));
  return lines.text();
}

}  // namespace

CacheShowCommand::CacheShowCommand(CLI::App& app) {
  set_usage(app, "kiln cache show [OPTIONS] ID");
  add_text(app, "ID", id_, "The first digits of an entry's id", "ID");
  choice_.add_to(app);
  set_footer(
      app,
      R"(ID is the beginning of an entry's id, as `kiln cache list` prints it: as many digits as distinguish it. With --json the key
is an object, and body and source are whole. `kiln inspect ID` shows the machine code.

Examples:
  kiln cache show 3f2a
  kiln cache show 3f2a --json | jq -r .source)");
}

int CacheShowCommand::run() {
  if (id_.empty()) throw UsageError("no id: give the first digits of one, as `kiln cache list` prints them");
  const bool hex = std::all_of(id_.begin(), id_.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
  if (!hex || id_.size() > 32) {
    throw UsageError(
        fmt::format("\"{}\" is no id: up to 32 hexadecimal digits, as `kiln cache list` prints them", printable(id_)));
  }
  std::transform(id_.begin(), id_.end(), id_.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const Cache cache = choice_.cache();
  if (!cache.find(id_)) throw CacheError(fmt::format("no entry's id begins with {}; `kiln cache list` has them all", id_));
  const Json request{{"command", "cache.show"}, {"id", id_}};
  if (choice_.json()) {
    print_reply(request, cache);
  } else {
    print(describe(reply_of(request, cache)));
  }
  return kDone;
}

}  // namespace kiln::tool
