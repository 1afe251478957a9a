#include "options.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "usage_error.hpp"

namespace kiln::tool {
namespace {

/// The layout of --help: a usage line of our own, above CLI11's list of options.
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(std::string usage) : usage_(std::move(usage)) { column_width(32); }
  std::string make_usage(const CLI::App*, std::string) const override { return "\n" + usage_ + "\n"; }
  /// The words after the options are explained at length below them.
  std::string make_positionals(const CLI::App*) const override { return ""; }

 private:
  std::string usage_;
};

/// An option with a value. An empty one is most likely a variable that a script did not set: were it taken for no value at
/// all, the command would do something else than what was asked.
template <class To>
CLI::Option* add_option(CLI::App& command, const std::string& names, To& to, const std::string& help, const std::string& type) {
  CLI::Option* const option = command.add_option(names, to, help)->type_name(type);
  if (option->get_positional()) return option;
  return option->check([option](const std::string& text) {
    if (text.empty()) throw UsageError(option->get_name() + " has an empty value");
    return std::string();
  });
}

}  // namespace

void set_usage(CLI::App& command, std::string usage) {
  command.formatter(std::make_shared<HelpText>("Usage: " + std::move(usage)));
}

void set_footer(CLI::App& command, std::string text) {
  command.footer(std::move(text));
}

std::string help_of(const CLI::App& command) {
  return command.help();
}

void add_flag(CLI::App& command, const std::string& names, bool& to, const std::string& help) {
  command.add_flag(names, to, help);
}

void add_text(CLI::App& command, const std::string& names, std::string& to, const std::string& help, const std::string& type) {
  add_option(command, names, to, help, type);
}

void add_text_that_may_be_empty(CLI::App& command, const std::string& names, std::string& to, const std::string& help,
                                const std::string& type) {
  command.add_option(names, to, help)->type_name(type);
}

void add_text_with_default(CLI::App& command, const std::string& names, std::string& to, const std::string& help,
                           const std::string& type) {
  add_option(command, names, to, help, type)->capture_default_str();
}

void add_number(CLI::App& command, const std::string& names, int& to, const std::string& help, const std::string& type,
                int least, int most) {
  add_option(command, names, to, help, type)->check(CLI::Range(least, most));
}

void add_words(CLI::App& command, const std::string& name, std::vector<std::string>& to, const std::string& help,
               const std::string& type) {
  add_option(command, name, to, help, type);
}

void add_list(CLI::App& command, const std::string& names, std::vector<std::string>& to, const std::string& help,
              const std::string& type) {
  add_option(command, names, to, help, type)->expected(1)->allow_extra_args(false)->take_all();
}

void add_comma_list(CLI::App& command, const std::string& names, std::vector<std::string>& to, const std::string& help,
                    const std::string& type) {
  add_option(command, names, to, help, type)->expected(1)->allow_extra_args(false)->take_all()->delimiter(',');
}

void take_off_blanks(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->transform(CLI::Validator(
        [](std::string& text) {
          if (text.starts_with(" -")) text.erase(0, 1);
          return std::string();
        },
        "", ""));
  }
}

}  // namespace kiln::tool
