#include "kiln/command.hpp"

#include <fmt/format.h>

#include <vector>

#include "command/commands.hpp"
#include "manifest/document.hpp"

namespace kiln {
namespace command {

std::vector<std::string> words(const manifest::Node& request, std::string_view member) {
  std::vector<std::string> list;
  const auto given = request.find(member);
  if (!given) return list;
  for (const manifest::Node& each : given->list()) list.push_back(each.word());
  return list;
}

std::shared_ptr<const detail::ManifestImpl> kernels_of(const manifest::Node& request) {
  const manifest::Node given = request.at("manifest");
  if (given.has("file")) {
    given.check_members({"file"});
    return manifest::read_document(given.at("file").word());
  }
  const std::string text = given.json().is_string() ? given.json().get<std::string>() : given.json().dump();
  return std::make_shared<detail::ManifestImpl>(manifest::parse_document(text, "manifest", {}));
}

namespace {

const Command& find(const manifest::Node& request) {
  const manifest::Node node = request.at("command");
  const std::string name = node.word();
  std::string names;
  for (const std::span<const Command> commands : {cache_commands(), kernel_commands(), device_commands(), profile_commands()}) {
    for (const Command& command : commands) {
      if (command.name == name) return command;
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", command.name);
    }
  }
  node.fail(fmt::format("unknown command \"{}\"; the commands are {}", name, names));
}

}  // namespace
}  // namespace command

std::string run_command(std::string_view request, const Cache& cache) {
  const std::string name = "request";
  const manifest::Json json = manifest::parse_json(request, name);
  const manifest::Node node(json, name);
  const command::Command& command = command::find(node);
  std::vector<std::string_view> members{"command"};
  for (const std::string_view member : command.members) {
    if (!member.empty()) members.push_back(member);
  }
  node.check_members(members);
  return command::text_of(command.run(node, cache));
}

}  // namespace kiln
