#include "cache_verify_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "units.hpp"

namespace kiln::tool {
CacheVerifyCommand::CacheVerifyCommand(CLI::App& app) {
  set_usage(app, "kiln cache verify [OPTIONS]");
  add_flag(app, "--fix", fix_, "Remove damaged files, and those that dead processes left");
  choice_.add_to(app);
  set_footer(
      app,
      R"(Reads every file of the directory and compares its checksum. A damaged file is harmless to programs, which compile the
kernel again. Launch shapes of `kiln tune` that were measured with another driver or on a device that is not here are named, and
are no fault: they are not used. Status 1 where faults were found that were not repaired.

Examples:
  kiln cache verify
  kiln cache verify --fix)");
}

int CacheVerifyCommand::run() {
  const Cache cache = choice_.writable();
  if (choice_.json()) {
    const auto reply = print_reply({{"command", "cache.verify"}, {"fix", fix_}}, cache);
    const auto mended = [](const auto& fault) { return fault["mended"] == true; };
    return std::all_of(reply["faults"].begin(), reply["faults"].end(), mended) ? kDone : kFailed;
  }
  const cache::Verification found = cache.verify(fix_);
  const auto left = std::count_if(found.faults.begin(), found.faults.end(), [](const auto& fault) { return !fault.mended; });
  const Terminal terminal = Terminal::standard_output();
  std::string text;
  for (const auto& fault : found.faults) {
    text += fmt::format("{}: {}{}\n", printable(fault.path), terminal.styled(printable(fault.reason), Style::bad),
                        fault.mended ? "; removed" : "");
  }
  for (const auto& fault : found.not_used) {
    text += printable(fmt::format("{}: launch shapes that are not used here: {}", fault.path, fault.reason)) + "\n";
  }
  text +=
      fmt::format("{} ({}) {} sound", entries_text(found.entries), bytes_text(found.bytes), found.entries == 1 ? "is" : "are");
  if (!found.faults.empty()) {
    text += fmt::format(", {} {}", found.faults.size(), found.faults.size() == 1 ? "file is not" : "files are not");
  }
  if (found.tuned > 0) text += fmt::format(", {} with measured launch shapes", found.tuned);
  if (found.other_format > 0) text += fmt::format(", {} of another format", found.other_format);
  if (left > 0 && !fix_) text += "; `kiln cache verify --fix` removes what is not";
  if (left > 0 && fix_) text += fmt::format("; {} not removed", left);
  print(text + "\n");
  return left == 0 ? kDone : kFailed;
}

}  // namespace kiln::tool
