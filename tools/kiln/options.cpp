#include "options.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

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
  command.add_option(names, to, help)->type_name(type);
}

void add_text_with_default(CLI::App& command, const std::string& names, std::string& to, const std::string& help,
                           const std::string& type) {
  command.add_option(names, to, help)->type_name(type)->capture_default_str();
}

void add_number(CLI::App& command, const std::string& names, int& to, const std::string& help, const std::string& type,
                int least, int most) {
  command.add_option(names, to, help)->type_name(type)->check(CLI::Range(least, most));
}

void add_words(CLI::App& command, const std::string& name, std::vector<std::string>& to, const std::string& help,
               const std::string& type) {
  command.add_option(name, to, help)->type_name(type);
}

void add_list(CLI::App& command, const std::string& names, std::vector<std::string>& to, const std::string& help,
              const std::string& type) {
  command.add_option(names, to, help)->expected(1)->allow_extra_args(false)->take_all()->type_name(type);
}

void add_comma_list(CLI::App& command, const std::string& names, std::vector<std::string>& to, const std::string& help,
                    const std::string& type) {
  command.add_option(names, to, help)->expected(1)->allow_extra_args(false)->take_all()->type_name(type)->delimiter(',');
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
