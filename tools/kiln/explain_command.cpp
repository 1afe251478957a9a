#include "explain_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kiln/explain.hpp"
#include "options.hpp"
#include "output.hpp"

namespace kiln::tool {
namespace {

std::string table() {
  std::size_t width = 0;
  for (const ErrorTopic& topic : error_topics()) width = std::max(width, topic.code.size());
  std::string text;
  for (const ErrorTopic& topic : error_topics()) text += fmt::format("  {:<{}}  {}\n", topic.code, width, topic.title);
  return text;
}

std::string in_full(const ErrorTopic& topic) {
  return fmt::format("{}: {} ({})\n  {}\n  {}\n  For example: {}\n", topic.code, topic.title, topic.exception, topic.cause,
                     topic.remedy, topic.example);
}

}  // namespace

ExplainCommand::ExplainCommand(CLI::App& app) {
  set_usage(app, "kiln explain [OPTIONS] [CODE...]");
  add_words(app, "codes", codes_, "Say what these mean", "CODE");
  add_flag(app, "--json", json_, "Print JSON");
  set_footer(
      app,
      "Prints what errors mean, and how to correct the call. Without a CODE all codes are listed. On a terminal, and from "
      "Python 3.11 on, an\n"
      "error ends with its code.\n\n"
      "Examples:\n  kiln explain\n  kiln explain broadcast");
}

int ExplainCommand::run() {
  if (json_) {
    nlohmann::ordered_json request{{"command", "explain"}};
    if (!codes_.empty()) request["codes"] = codes_;
    print_reply(request);
    return kDone;
  }
  std::string text = codes_.empty() ? table() : "";
  for (const std::string& code : codes_) text += (text.empty() ? "" : "\n") + in_full(explain(code));
  print(text);
  return kDone;
}

}  // namespace kiln::tool
