#include "result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "file_kind.hpp"
#include "kiln/error.hpp"
#include "kiln/npy.hpp"
#include "kiln/png.hpp"
#include "operand.hpp"
#include "output_file.hpp"
#include "temporary_folder.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;
namespace {

void write_stream(const OutputTarget& target, const fs::path& source) {
  std::ifstream content(source, std::ios::binary);
  std::ofstream file;
  if (!is_standard_stream(target.name)) file.open(target.path, std::ios::binary | std::ios::app);
  std::ostream& stream = is_standard_stream(target.name) ? std::cout : file;
  errno = 0;
  stream << content.rdbuf();
  stream.flush();
  if (!stream) throw IoError(fmt::format("cannot write to {}: {}", target.shown(), std::strerror(errno != 0 ? errno : EIO)));
}

/// What writes to a path, with the name that the user gave in what it says.
template <class Write>
auto in_users_words(const fs::path& path, const OutputTarget& target, const Write& write) {
  try {
    return write();
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string internal = fmt::format("\"{}\"", path.string());
    const std::size_t at = message.find(internal);
    if (at != std::string::npos) message.replace(at, internal.size(), target.shown());
    throw IoError(message);
  }
}

/// Streams may be written to one after the other, but a file would be replaced by the second; standard output is refused as
/// well, since a reader of .npy takes one array.
bool clash(const OutputTarget& one, const OutputTarget& other) {
  if (one.stream || other.stream) return is_standard_stream(one.name) && is_standard_stream(other.name);
  const auto identity = [](const fs::path& path) {
    std::error_code fault;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return fs::canonical(folder, fault) / path.filename();
  };
  return identity(one.path) == identity(other.path);
}

}  // namespace

ResultFiles::ResultFiles(const std::vector<std::string>& names, PngOptions colours) : colours_(std::move(colours)) {
  for (const std::string& name : names) {
    if (name.empty()) throw UsageError("the name of an output file is empty");
    OutputTarget target = output_target(name);
    if (const std::string other = target.stream ? "" : explain_output(name); !other.empty()) throw UsageError(other);
    for (const OutputTarget& other : targets_) {
      if (!clash(other, target)) continue;
      const std::string also = other.name == name ? "" : fmt::format(", which is \"{}\"", other.name);
      throw UsageError(fmt::format("two outputs would go to \"{}\"{}: give each its own -o", name, also));
    }
    targets_.push_back(std::move(target));
  }
  if (colours_ == PngOptions() || std::any_of(names.begin(), names.end(), is_picture)) return;
  throw UsageError(fmt::format("{} is for a picture: give -o FILE.png", colours_.colormap.empty() ? "--range" : "--colormap"));
}

void ResultFiles::save(const fs::path& path, const Array& array, const OutputTarget& target) const {
  in_users_words(path, target, [&] { is_picture(target.name) ? save_png(path, array, colours_) : save_npy(path, array); });
}

std::vector<Array> ResultFiles::create(std::span<const ResultSpec> specs) {
  for (std::size_t i = 0; i < std::min(specs.size(), targets_.size()); ++i) {
    const OutputTarget& target = targets_[i];
    created_.emplace_back();
    if (target.stream) continue;
    if (is_picture(target.name)) {
      throw UsageError(fmt::format(
          "{} is a picture, which is not written in chunks: leave out --chunk and --progress, or write .npy", target.shown()));
    }
    const fs::path& path = pending_.add(target);
    created_.back() =
        in_users_words(path, target, [&] { return create_npy(path, specs[i].shape, specs[i].dtype, specs[i].order); });
  }
  const bool any = std::any_of(created_.begin(), created_.end(), [](const Array& array) { return array.valid(); });
  return any ? created_ : std::vector<Array>();
}

void ResultFiles::write(std::span<const Array> arrays) {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].stream) continue;
    if (i < created_.size()) {
      flush_npy(created_[i]);
    } else {
      save(pending_.add(targets_[i]), arrays[i], targets_[i]);
    }
  }
  std::optional<TemporaryFolder> folder;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!targets_[i].stream) continue;
    if (!folder) folder.emplace();
    const fs::path copy = folder->path() / fmt::format("{}.npy", i);
    save(copy, arrays[i], targets_[i]);
    write_stream(targets_[i], copy);
  }
  pending_.publish();
}

}  // namespace kiln::tool
