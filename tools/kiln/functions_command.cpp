#include "functions_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "options.hpp"
#include "output.hpp"
#include "standard_function.hpp"

namespace kiln::tool {
namespace {

using Functions = std::vector<const math::FunctionInfo*>;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
  }
  return lines;
}

std::string counts(const math::FunctionInfo& info) {
  return fmt::format("{} -> {}", info.nin, info.nout);
}

std::string table(const Functions& functions) {
  std::size_t width = 0;
  for (const math::FunctionInfo* info : functions) width = std::max(width, info->name.size());
  std::string text;
  std::string_view group;
  for (const math::FunctionInfo* info : functions) {
    if (info->group != group) text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", info->group);
    group = info->group;
    text += fmt::format("  {:<{}}  {}  {}\n", info->name, width, counts(*info), info->description);
  }
  return text;
}

std::string in_full(const Functions& functions) {
  std::string text;
  for (const math::FunctionInfo* info : functions) {
    text +=
        fmt::format("{}{} ({}), {}: {}\n", text.empty() ? "" : "\n", info->name, info->group, counts(*info), info->description);
    for (const std::string_view loop : lines_of(info->loops)) text += fmt::format("  {}\n", loop);
  }
  return text;
}

}  // namespace

FunctionsCommand::FunctionsCommand(CLI::App& app) {
  set_usage(app, "kiln functions [OPTIONS] [NAME...]");
  add_words(app, "names", names_, "Say which loops these have", "FUNCTION");
  add_flag(app, "--json", json_, "Print JSON, with every loop");
  set_footer(app,
             "With NAMEs the loops of these functions are printed, in the order in which a call looks for one.\n"
             "Any NAME can stand for a kernel: kiln eval hypot a.npy b.npy");
}

int FunctionsCommand::run() {
  Functions functions;
  for (const std::string& name : names_) functions.push_back(&standard_function(name));
  if (names_.empty()) {
    for (const math::FunctionInfo& info : math::functions()) functions.push_back(&info);
  }
  if (json_) {
    nlohmann::ordered_json request{{"command", "functions"}};
    if (!names_.empty()) request["names"] = names_;
    print_reply(request);
  } else {
    print(names_.empty() ? table(functions) : in_full(functions));
  }
  return kDone;
}

}  // namespace kiln::tool
