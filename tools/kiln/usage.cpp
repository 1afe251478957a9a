#include "usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kiln::tool {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string guess = nearest(word, names);
  return guess.empty() ? "" : fmt::format("; did you mean \"{}\"?", guess);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (letter == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

const CLI::App& deepest(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest(*chosen.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

const CLI::App* command_named(const CLI::App& app, const std::string& word) {
  const auto commands = app.get_subcommands([&](const CLI::App* command) { return command->check_name(word); });
  return commands.empty() ? nullptr : commands.front();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& name : names) {
    // A beginning of the name is a likelier slip than any other: "dev" means "devices".
    const bool beginning = word.size() >= 3 && name.starts_with(word);
    const std::size_t distance = beginning ? 0 : edit_distance(word, name);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = name;
  }
  return best;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest(app);
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) return error.what();
  const std::string& word = left.front();
  const std::vector<std::string> names = command_names(command);
  if (word.size() > 1 && word.starts_with('-')) {
    return fmt::format("unknown option \"{}\" of {}{}", word, full_name(command), did_you_mean(word, option_names(command)));
  }
  if (names.empty()) return fmt::format("{} does not know what to do with \"{}\"", full_name(command), word);
  return fmt::format("unknown command \"{}\": the commands of {} are {}{}", word, full_name(command), listed(names),
                     did_you_mean(word, names));
}

}  // namespace kiln::tool
