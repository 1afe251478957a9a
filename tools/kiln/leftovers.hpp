// What would stay behind where a signal ends the process: Ctrl-C, a pipe that nobody reads any longer, a limit on files.
#pragma once

#include <csignal>

namespace kiln::tool {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove what is registered before they end the process, unless it was started
/// with them ignored (SIGPIPE: also then). SIGXFSZ ends nothing: a write beyond the limit (ulimit -f) fails with EFBIG.
void clean_up_on_signals();

/// Registers a folder, with all that is in it, as long as this object is there. Beyond 32 at a time they are not registered.
class Leftover {
 public:
  /// `folder` must stay as it is until the end of this object.
  explicit Leftover(const char* folder) noexcept;
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  int slot_ = -1;
};

/// Holds those signals back for this thread, as long as it is there: between making a folder and registering it.
class SignalsHeld {
 public:
  SignalsHeld() noexcept;
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace kiln::tool
