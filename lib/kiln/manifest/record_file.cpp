#include "manifest/record_file.hpp"

#include <cerrno>
#include <filesystem>

#include "base/file.hpp"
#include "base/output_target.hpp"
#include "cache/flight.hpp"
#include "kiln/error.hpp"

namespace kiln::manifest {

std::optional<std::string> add_to_file(const std::string& path, const KernelSet& kernels, std::chrono::milliseconds wait) {
  const base::OutputTarget target = base::output_target(path);
  // File systems without locks are written all the same: only two processes at the same instant would lose something.
  const cache::FlightAttempt turn = cache::take_flight(target.path + ".lock", wait);
  if (turn.state == cache::FlightState::timed_out) return "another process holds " + target.path + ".lock";
  base::FileError error;
  const std::optional<base::FileContents> present = base::read_file(path, {.limit = JsonLimits{}.bytes}, &error);
  if (!present && error.code != ENOENT) return error.text;
  KernelSet all = kernels;
  try {
    if (present && !present->bytes.empty()) {
      const std::string folder = std::filesystem::path(path).parent_path().string();
      for (const Entry& entry : parse_document(present->bytes, path, folder)) all.add(entry.json);
    }
  } catch (const Error& invalid) {
    return "the file that is there is no manifest, and is left alone: " + std::string(invalid.what());
  }
  const std::string text = document_text(all.kernels());
  if (present && present->bytes == text) return std::nullopt;
  if (!target.refusal.empty()) return target.refusal;
  if (const std::optional<base::FileError> failed =
          base::publish_file(target.path, text, {.permissions = target.permissions})) {
    return failed->text;
  }
  return std::nullopt;
}

}  // namespace kiln::manifest
