#include "description.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

Json option_json(const CLI::Option& option) {
  Json names = Json::array();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const bool flag = option.get_items_expected_max() == 0;
  return {{"names", std::move(names)},
          {"value", flag ? "" : option.get_type_name()},
          {"default", option.get_default_str()},
          {"help", option.get_description()}};
}

std::string usage_of(const CLI::App& app) {
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
  std::string usage = formatter == nullptr ? "" : formatter->make_usage(&app, app.get_name());
  const std::size_t begin = usage.find_first_not_of('\n');
  return begin == std::string::npos ? "" : usage.substr(begin, usage.find_last_not_of('\n') + 1 - begin);
}

}  // namespace

Json describe(const CLI::App& app) {
  Json options = Json::array();
  for (const CLI::Option* option : app.get_options()) {
    const bool hidden = option->get_group().empty();
    if (!option->get_positional() && !hidden) options.push_back(option_json(*option));
  }
  Json commands = Json::array();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(describe(*command));
  return {{"name", app.get_name()},     {"help", app.get_description()}, {"usage", usage_of(app)},
          {"footer", app.get_footer()}, {"options", std::move(options)}, {"commands", std::move(commands)}};
}

}  // namespace kiln::tool
