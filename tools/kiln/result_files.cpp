#include "result_files.hpp"

#include <fmt/format.h>
#include <unistd.h>  // access

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "kiln/error.hpp"
#include "kiln/npy.hpp"
#include "operand.hpp"
#include "output_file.hpp"
#include "temporary_folder.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;
namespace {

fs::path checked_target(const std::string& name) {
  std::error_code fault;
  if (name.empty()) throw UsageError("the name of an output file is empty");
  if (is_standard_stream(name)) return name;
  if (fs::is_directory(name, fault)) throw IoError(fmt::format("cannot write \"{}\": it is a folder", name));
  fs::path target = target_of(name);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, fault)) {
    throw IoError(fmt::format("cannot write \"{}\": there is no folder \"{}\"", name, folder.string()));
  }
  if (access(folder.c_str(), W_OK) != 0 && !is_stream(target)) {
    throw IoError(fmt::format("cannot write \"{}\": the folder \"{}\" may not be written to", name, folder.string()));
  }
  return target;
}

void write_stream(const fs::path& target, const fs::path& source) {
  std::ifstream content(source, std::ios::binary);
  std::ofstream file;
  if (!is_standard_stream(target.string())) file.open(target, std::ios::binary | std::ios::app);
  std::ostream& stream = is_standard_stream(target.string()) ? std::cout : file;
  stream << content.rdbuf();
  stream.flush();
  if (!stream) {
    throw IoError(fmt::format("cannot write to {}",
                              is_standard_stream(target.string()) ? "standard output" : "\"" + target.string() + "\""));
  }
}

}  // namespace

ResultFiles::ResultFiles(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    fs::path target = checked_target(name);
    if (std::find(targets_.begin(), targets_.end(), target) != targets_.end()) {
      throw UsageError(fmt::format("two outputs would go to \"{}\": give each its own -o", name));
    }
    targets_.push_back(std::move(target));
  }
}

void ResultFiles::write(std::span<const Array> arrays) const {
  PendingFiles pending;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!is_stream(targets_[i])) save_npy(pending.add(targets_[i]), arrays[i]);
  }
  std::optional<TemporaryFolder> folder;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!is_stream(targets_[i])) continue;
    if (!folder) folder.emplace();
    const fs::path copy = folder->path() / fmt::format("{}.npy", i);
    save_npy(copy, arrays[i]);
    write_stream(targets_[i], copy);
  }
  pending.publish();
}

}  // namespace kiln::tool
