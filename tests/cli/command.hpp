// Runs the kiln command as a user's shell would, and keeps what it printed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Result {
  int status = -1;  ///< the exit status; 128 + the signal's number where one ended it
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string input = {};                               ///< standard input
  std::map<std::string, std::string> environment = {};  ///< over this process's own
  std::string folder = {};                              ///< the working directory
  std::string out_path = {};                            ///< where standard output goes instead of Result::out
  std::string err_path = {};                            ///< the same of standard error
  std::vector<int> closed = {};                         ///< of standard input, output and error, by their numbers
  std::vector<std::string> under = {};                  ///< a program and its arguments that runs the command: gdb --args
  std::uint64_t file_limit = 0;                         ///< `ulimit -f` in bytes; 0: as here
};

Result run(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// A kernel for `kiln eval`.
inline const std::string kTwice = "float32 twice(float32 x) = 2 * x";

/// The path of a committed .npy file, by its name alone.
std::string sample(std::string_view name);

/// A folder of its own for one test; removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// How many entries it has.
  [[nodiscard]] std::size_t count() const;

 private:
  std::string path_;
};

/// A cache directory that can be used, but takes no entry, also for root: files stand where its folders go.
void make_blocked_cache(const std::string& directory);

std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);

/// Whether a program can be given a terminal; a case that is not run is reported. A container may have no /dev/pts.
bool have_terminals();

/// Whether the first line has words of the C++ interface, such as ".where" or "astype()", outside of quotes.
bool speaks_cpp(std::string_view message);

/// How often `part` stands in `text`.
std::size_t occurrences(std::string_view text, std::string_view part);
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace cli
