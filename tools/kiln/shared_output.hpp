// Output files that the ranks of a job write together: each its rows. The ranks meet in a folder beside the first file, which
// they all see.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "leftovers.hpp"
#include "output_file.hpp"
#include "ranks.hpp"

namespace kiln::tool {

/// What each rank does: construct, compute, write(). One that fails ends the others.
class SharedOutput {
 public:
  /// Says to the others that this rank is there. UsageError where there is no file, or one is a stream; IoError.
  SharedOutput(const std::vector<std::string>& names, RankPlace place);
  /// Says to the others that it failed, unless it has written.
  ~SharedOutput();
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  /// Writes this rank's rows of each file, of which there are `rows`. Rank 0 makes the files, waits for the others and puts the
  /// files in place. IoError, with the rank, where another one failed, died, or does not come.
  void write(std::span<const Array> parts, Rows own, std::int64_t rows);
  /// What the others are to hear if this rank fails.
  void set_error(const std::string& text) { error_ = text; }

 private:
  enum class State { absent, working, done, failed, dead };
  struct Peer {
    State state = State::absent;
    std::string text;
  };

  [[nodiscard]] std::filesystem::path mark_of(int rank) const;
  [[nodiscard]] Peer look_at(int rank) const;
  void say(const std::string& text) const;
  /// Waits until `ready`, as long as that rank works.
  template <class Ready>
  void wait_for(int rank, const Ready& ready) const;
  void make_files(std::span<const Array> parts, std::int64_t rows);
  void write_rows(std::span<const Array> parts, Rows own) const;
  void remove_marks() const;

  const RankPlace place_;
  std::vector<OutputTarget> targets_;
  std::filesystem::path folder_;
  int mark_ = -1;
  std::string error_ = "it ended early";
  bool written_ = false;
  PendingFiles pending_;
};

}  // namespace kiln::tool
