// The kiln command: reads the command line, runs one command of the table, and turns what went wrong into a message and a
// status.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "completion.hpp"
#include "description.hpp"
#include "eval_command.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/explain.hpp"
#include "kiln/version.hpp"
#include "leftovers.hpp"
#include "option_words.hpp"
#include "options.hpp"
#include "output.hpp"
#include "usage.hpp"
#include "usage_error.hpp"

namespace {

using kiln::tool::kDone;
using kiln::tool::kFailed;
using kiln::tool::kUsage;

int report(int status, std::string_view message) {
  kiln::tool::print_error(message);
  return status;
}

/// On a terminal, for people: scripts have the message alone.
void advise(const std::exception& error) {
  if (isatty(STDERR_FILENO) == 0) return;
  const auto* const reworded = dynamic_cast<const kiln::tool::Reworded*>(&error);
  kiln::tool::say(
      fmt::format("kiln: help: kiln explain {}\n", (reworded != nullptr ? reworded->topic() : kiln::explain(error)).code));
}

int report_usage(std::string_view message, const CLI::App& command) {
  report(kUsage, message);
  kiln::tool::say(fmt::format("Try '{} --help'.\n", kiln::tool::full_name(command)));
  return kUsage;
}

/// Of "--where=" CLI11 would take the next word for the value: it becomes "--where" and an empty word. A flag takes none.
std::vector<std::string> with_empty_values_apart(const CLI::App& app, std::vector<std::string> words) {
  const auto end_of_options = std::find(words.begin(), words.end(), "--");
  const CLI::App* command = &app;
  std::vector<std::string> apart;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const bool empty_value =
        word < end_of_options && word->size() > 3 && word->starts_with("--") && word->find('=') == word->size() - 1;
    if (const CLI::App* const named = kiln::tool::command_named(*command, *word); named != nullptr) command = named;
    if (empty_value) word->pop_back();
    const CLI::Option* const option = empty_value ? command->get_option_no_throw(*word) : nullptr;
    apart.push_back(std::move(*word));
    if (empty_value && (option == nullptr || option->get_items_expected_max() > 0)) apart.emplace_back();
  }
  return apart;
}

std::vector<std::string> read_words(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words = with_empty_values_apart(app, {argv + std::min(argc, 1), argv + argc});
  if (!words.empty() && (words.front() == "eval" || words.front() == "tune"))
    words = kiln::tool::EvalCommand::protect(std::move(words));
  // "kiln help eval" is "kiln eval --help", and so with the commands of a command.
  const CLI::App* command = &app;
  for (auto word = words.begin(); word != words.end() && command != nullptr; ++word) {
    if (*word == "help" && !kiln::tool::command_names(*command).empty()) {
      words.erase(word);
      words.emplace_back("--help");
      break;
    }
    command = kiln::tool::command_named(*command, *word);
  }
  return words;
}

/// Of "kiln evil --help" there is no help.
bool names_no_command(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  return !left.empty() && !left.front().starts_with('-') && !kiln::tool::command_names(command).empty();
}

int run(int argc, char** argv) {
  CLI::App app("kiln: NumPy-style universal functions from C++ strings, compiled at run time");
  app.name("kiln");
  kiln::tool::set_usage(app, "kiln COMMAND [OPTIONS]");
  app.set_version_flag("--version", "kiln " KILN_VERSION);
  app.footer(
      "'kiln COMMAND --help' has every option of a command, with examples.\n"
      "Exit status: 0 done; 1 something failed, or what was looked for is not there; 2 the command line is wrong;\n"
      "128 + N a signal ended it: 130 Ctrl-C, 143 SIGTERM.");
  bool describe = false;
  app.add_flag("--describe", describe)->group("");  // hidden: for scripts/cli_pages.py
  const kiln::tool::CommandSet commands(app, kiln::tool::commands());
  if (argc > 1 && std::string_view(argv[1]) == "__complete") return kiln::tool::complete(app, {argv + 2, argv + argc});
  try {
    // CLI11 takes its arguments last one first.
    std::vector<std::string> words = read_words(app, argc, argv);
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
    kiln::tool::Command* const command = commands.chosen();
    if (describe) {
      kiln::tool::print_json(kiln::tool::describe(app));
      return kDone;
    }
    if (command == nullptr) {
      kiln::tool::print(kiln::tool::help_of(app));
      return kDone;
    }
    return command->run();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0 && !names_no_command(kiln::tool::deepest(app))) {  // --help, --version
      std::ostringstream text;
      const int status = app.exit(error, text, text);
      kiln::tool::print(text.view());
      return status;
    }
    return report_usage(kiln::tool::explain(app, error), kiln::tool::deepest(app));
  } catch (const kiln::tool::UsageError& error) {
    return report_usage(error.what(), kiln::tool::deepest(app));
  }
}

}  // namespace

int main(int argc, char** argv) {
  kiln::tool::hold_standard_descriptors();
  kiln::tool::clean_up_on_signals();
  try {
    kiln::cache::set_log(kiln::tool::print_warning);
    return run(argc, argv);
  } catch (const kiln::CompileError& error) {
    // The diagnostics begin lines of their own, NAME:LINE:COLUMN first, for tools that look for that.
    report(kFailed, fmt::format("the kernel does not compile\n{}", error.what()));
    advise(error);
    return kFailed;
  } catch (const std::bad_alloc&) {
    return report(kFailed, "out of memory");
  } catch (const std::exception& error) {
    report(kFailed, error.what());
    advise(error);
    return kFailed;
  }
}
