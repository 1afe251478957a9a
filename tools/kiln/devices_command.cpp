#include "devices_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kiln/compilers.hpp"
#include "kiln/device.hpp"
#include "kiln/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "units.hpp"

namespace kiln::tool {
namespace {

std::string or_dash(std::int64_t value, const std::function<std::string(std::int64_t)>& text) {
  return value > 0 ? text(value) : "-";
}

const char* kind_name(DeviceKind kind) {
  return kind == DeviceKind::cpu ? "cpu" : kind == DeviceKind::cuda ? "cuda" : "hip";
}

/// Without the paths that were tried.
std::string in_short(const std::string& reason) {
  const std::size_t places = reason.find(": tried");
  const std::size_t first = std::min(reason.find("), ", places), reason.find("; ", places));
  return reason.substr(0, first != std::string::npos && reason[first] == ';' ? first : places);
}

/// "cuda kernels: by NVRTC 13.0 (/usr/lib/…), not by Clang: …". Without `verbose` the paths that were tried are left out.
std::string compilers_text(bool verbose) {
  std::map<DeviceKind, std::string> lines;
  for (const bool taken : {true, false}) {
    for (const CompilerInfo& info : compilers()) {
      if (info.taken != taken) continue;
      std::string& line = lines[info.kind];
      if (line.empty()) line = fmt::format("{} kernels: {}", kind_name(info.kind), taken ? "" : "nobody compiles them");
      if (taken) {
        line += fmt::format("{} {} ({})", info.name, info.version, info.file);
        continue;
      }
      const std::string reason = verbose ? info.reason : in_short(info.reason);
      line += fmt::format("; not {}{}: {}", info.name, info.version.empty() ? "" : " " + info.version, reason);
    }
  }
  std::string text;
  for (const auto& [kind, line] : lines) text += printable(line) + "\n";
  return text;
}

/// Devices that do not answer have a line of their own below the others, with the reason.
std::string text_of(const std::vector<Device>& devices) {
  Table table({{.title = "DEVICE"},
               {.title = "NAME", .least = 12},
               {.title = "TARGET"},
               {.title = "RUNTIME"},
               {.title = "MEMORY", .right = true},
               {.title = "UNITS", .right = true},
               {.title = "WARP", .right = true},
               {.title = "BLOCK", .right = true},
               {.title = "GRID", .right = true},
               {.title = "SHARED", .right = true},
               {.title = "CACHE", .right = true}});
  const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  const auto size = [](std::int64_t value) { return bytes_text(static_cast<std::uint64_t>(value)); };
  std::string silent;
  for (const Device& device : devices) {
    try {
      const DeviceInfo info = device.info();
      table.add({to_string(device), info.name, info.target, info.runtime, or_dash(info.memory_bytes, size),
                 or_dash(info.multiprocessors, number), or_dash(info.warp_size, number),
                 or_dash(info.max_threads_per_block, number), or_dash(info.max_grid_blocks, number),
                 or_dash(info.shared_bytes_per_block, size), or_dash(info.l2_bytes, size)});
    } catch (const Error& error) {
      silent += printable(fmt::format("{}  {}", to_string(device), error.what())) + "\n";
    }
  }
  return table.text(Terminal::standard_output()) + silent;
}

}  // namespace

DevicesCommand::DevicesCommand(CLI::App& app) {
  set_usage(app, "kiln devices [OPTIONS]");
  add_flag(app, "--json", json_, "Print JSON, in bytes and counts, with why a vendor has no device here, and the compilers");
  add_flag(app, "-v,--verbose", verbose_, "Say why a vendor has no device here, and where compilers were looked for");
  set_footer(
      app,
      R"(Columns: TARGET is what kernels are compiled for. UNITS are multiprocessors, on a CPU threads. WARP is the threads of a warp or
wavefront. BLOCK is the most threads of a block, GRID the most blocks of a launch. SHARED is the shared memory of a block, CACHE
the last level's. Below them: who compiles the kernels of each kind of device, and why not the others. Any DEVICE can be given to `kiln eval --device` and to KILN_DEVICE.)");
}

int DevicesCommand::run() {
  if (json_) {
    print_reply({{"command", "devices"}});
    return kDone;
  }
  std::string text = text_of(Device::all()) + compilers_text(verbose_);
  if (verbose_) {
    const auto reply = reply_of({{"command", "devices"}});
    for (const auto& [vendor, reason] : reply.at("unavailable").items())
      text += printable(fmt::format("no {} device: {}", vendor, reason.get<std::string>())) + "\n";
  }
  print(text);
  return kDone;
}

}  // namespace kiln::tool
