#include "environment_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string member_text(const Json& variable, const char* member) {
  return variable.at(member).get<std::string>();
}

/// Without its stop.
std::string first_sentence(const std::string& effect) {
  const std::size_t end = effect.find(". ");
  return effect.substr(0, end == std::string::npos ? effect.size() - 1 : end);
}

std::string set_line(const Json& variable) {
  return fmt::format("  {}={}\n", member_text(variable, "name"), printable(member_text(variable, "value")));
}

std::string variables_table(const Json& variables) {
  std::size_t width = 0;
  for (const Json& each : variables) width = std::max(width, member_text(each, "name").size());
  std::string text;
  std::string subject;
  std::string set;
  for (const Json& each : variables) {
    const std::string name = member_text(each, "name");
    if (member_text(each, "subject") != subject) {
      subject = member_text(each, "subject");
      text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", subject);
    }
    text += fmt::format("  {:<{}}  {}\n", name, width, first_sentence(member_text(each, "effect")));
    // Others are set in every process.
    if (name.starts_with("KILN_") && each.at("value").is_string()) set += set_line(each);
  }
  return text + (set.empty() ? "\nNone of KILN_… is set here.\n" : "\nSet here:\n" + set);
}

std::string variables_in_full(const Json& variables) {
  std::string text;
  for (const Json& each : variables) {
    text += fmt::format("{}{}: {}\n  {}\n  Values: {}\n", text.empty() ? "" : "\n", member_text(each, "name"),
                        member_text(each, "subject"), member_text(each, "effect"), member_text(each, "values"));
    if (const std::string otherwise = member_text(each, "default"); !otherwise.empty()) {
      text += fmt::format("  Default: {}\n", otherwise);
    }
    if (const std::string page = member_text(each, "page"); !page.empty()) text += fmt::format("  See docs/{}\n", page);
    text += each.at("value").is_string() ? "  Set here:" + set_line(each).substr(1) : "  Not set here\n";
  }
  return text;
}

}  // namespace

EnvironmentCommand::EnvironmentCommand(CLI::App& app) {
  set_usage(app, "kiln environment [OPTIONS] [NAME...]");
  add_words(app, "names", names_, "Say all about these", "VARIABLE");
  add_flag(app, "--json", json_, "Print JSON: all about each variable");
  set_footer(
      app,
      "Lists the environment variables that kiln reads, and the values of those that are set. With NAMEs it prints the values "
      "that each\n"
      "takes, and the default. A KILN_ variable that kiln does not read, but whose name is near to one that it reads, is a "
      "warning.\n\n"
      "Examples:\n  kiln environment\n  kiln environment KILN_DEVICE");
}

int EnvironmentCommand::run() {
  Json request{{"command", "environment"}};
  if (!names_.empty()) request["names"] = names_;
  const Json reply = reply_of(request);
  if (json_) {
    print_json(reply);
    return kDone;
  }
  const Json& variables = reply.at("variables");
  print(names_.empty() ? variables_table(variables) : variables_in_full(variables));
  for (const Json& each : reply.at("misspelled")) {
    print_warning(fmt::format("{} is no variable of kiln's and has no effect: did you mean {}?", member_text(each, "name"),
                              member_text(each, "meant")));
  }
  return kDone;
}

}  // namespace kiln::tool
