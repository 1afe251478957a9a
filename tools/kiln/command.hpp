// What a command of kiln is, and the tables that name them: a row is all that main needs to know of one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace kiln::tool {

/// The exit statuses of every command.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

/// One command, made with the app that reads its options: its constructor adds them, and keeps what they were given.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;
  /// Does what was asked for and gives the exit status. UsageError for a command line that makes no sense (status 2),
  /// kiln::Error for work that failed (status 1).
  virtual int run() = 0;
};

struct CommandRow {
  const char* name;
  const char* help;  ///< one line
  std::unique_ptr<Command> (*make)(CLI::App& app);
};

template <typename T>
std::unique_ptr<Command> make_command(CLI::App& app) {
  return std::make_unique<T>(app);
}

/// The commands of a table, as subcommands of an app, of which a command line names at most one.
class CommandSet {
 public:
  CommandSet(CLI::App& parent, std::span<const CommandRow> rows);
  /// The one that the command line names; null where it names none.
  [[nodiscard]] Command* chosen() const;

 private:
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> commands_;
};

}  // namespace kiln::tool
