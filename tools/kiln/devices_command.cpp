#include "devices_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "help_text.hpp"
#include "kiln/device.hpp"
#include "kiln/error.hpp"

namespace kiln::tool {
namespace {

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string or_dash(std::int64_t value, const std::function<std::string(std::int64_t)>& text) {
  return value > 0 ? text(value) : "-";
}

/// Why a vendor has no device here: its name → one line. Vendors with a device are absent.
std::map<std::string, std::string> unavailable() {
  std::map<std::string, std::string> reasons;
  const auto probe = [&](const char* vendor, Device (*open)(int)) {
    try {
      static_cast<void>(open(0));
    } catch (const Error& error) {
      reasons[vendor] = error.what();
    }
  };
  probe("cuda", &Device::cuda);
  probe("hip", &Device::hip);
  return reasons;
}

using Row = std::vector<std::string>;

Row table_row(const Device& device) try {
  const DeviceInfo info = device.info();
  const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  return {to_string(device),
          info.name,
          info.target,
          info.runtime,
          or_dash(info.memory_bytes, bytes_text),
          or_dash(info.multiprocessors, number),
          or_dash(info.warp_size, number),
          or_dash(info.max_threads_per_block, number),
          or_dash(info.max_grid_blocks, number),
          or_dash(info.shared_bytes_per_block, bytes_text),
          or_dash(info.l2_bytes, bytes_text)};
} catch (const Error& error) {
  return {to_string(device), error.what()};
}

std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    // A row that is an error has no further columns to line up.
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const Device& device) {
  nlohmann::ordered_json json{{"device", to_string(device)}, {"index", device.index()}};
  json["kind"] = device.is_cpu() ? "cpu" : device.kind() == DeviceKind::cuda ? "cuda" : "hip";
  try {
    const DeviceInfo info = device.info();
    json["name"] = info.name;
    json["target"] = info.target;
    json["runtime"] = info.runtime;
    json["memory_bytes"] = info.memory_bytes;
    json["multiprocessors"] = info.multiprocessors;
    json["threads_per_multiprocessor"] = info.threads_per_multiprocessor;
    json["warp_size"] = info.warp_size;
    json["max_threads_per_block"] = info.max_threads_per_block;
    json["max_grid_blocks"] = info.max_grid_blocks;
    json["shared_bytes_per_block"] = info.shared_bytes_per_block;
    json["l2_bytes"] = info.l2_bytes;
  } catch (const Error& error) {
    json["error"] = error.what();
  }
  return json;
}

void print_json(const std::vector<Device>& devices) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Device& device : devices) list.push_back(to_json(device));
  const nlohmann::ordered_json json{
      {"devices", std::move(list)}, {"best", to_string(Device::best())}, {"unavailable", unavailable()}};
  // Names come from drivers and need not be UTF-8.
  std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

void print_table(const std::vector<Device>& devices) {
  std::vector<Row> rows{{"DEVICE", "NAME", "TARGET", "RUNTIME", "MEMORY", "UNITS", "WARP", "BLOCK", "GRID", "SHARED", "CACHE"}};
  for (const Device& device : devices) rows.push_back(table_row(device));
  std::cout << table(rows);
}

}  // namespace

DevicesCommand::DevicesCommand(CLI::App& app) {
  set_usage(app, "kiln devices [OPTIONS]");
  app.add_flag("--json", json_, "Print JSON, in bytes and counts, with why a vendor has no device here");
  app.add_flag("-v,--verbose", verbose_, "Say why a vendor has no device here");
  app.footer(
      R"(Columns: TARGET what kernels are compiled for, UNITS multiprocessors (on a CPU threads), WARP threads in a warp or
wavefront, BLOCK threads in a block at most, GRID blocks in a launch at most, SHARED shared memory of a block, CACHE the
last level. Any DEVICE can be given to `kiln eval --device` and to KILN_DEVICE.)");
}

int DevicesCommand::run() {
  const std::vector<Device> devices = Device::all();
  if (json_) {
    print_json(devices);
  } else {
    print_table(devices);
    if (verbose_) {
      for (const auto& [vendor, reason] : unavailable()) std::cout << fmt::format("no {} device: {}\n", vendor, reason);
    }
  }
  if (!std::cout.flush()) throw IoError("cannot write to standard output");
  return kDone;
}

}  // namespace kiln::tool
