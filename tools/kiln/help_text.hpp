// The layout of --help: a usage line of our own, above CLI11's list of options.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace kiln::tool {

class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(std::string usage) : usage_(std::move(usage)) { column_width(32); }
  std::string make_usage(const CLI::App*, std::string) const override { return "\n" + usage_ + "\n"; }
  /// The words after the options are explained at length below them.
  std::string make_positionals(const CLI::App*) const override { return ""; }

 private:
  std::string usage_;
};

inline void set_usage(CLI::App& command, std::string usage) {
  command.formatter(std::make_shared<HelpText>("Usage: " + std::move(usage)));
}

}  // namespace kiln::tool
