// Whether calls tune what they run: by KILN_TUNE=1 all of them, in kiln::tune() the one that it makes.
#pragma once

#include <atomic>
#include <string>

#include "kiln/tune_report.hpp"

namespace kiln::backend {
class StopRequest;
}  // namespace kiln::backend

namespace kiln::autotune {

/// How many ask for it; one more until the environment was asked.
inline constinit std::atomic<int> asking{1};
/// One look at a number. True: ask by_environment() and Session::of().
[[nodiscard]] inline bool maybe_wanted() noexcept {
  return asking.load(std::memory_order_relaxed) != 0;
}

/// While it lives, the thread's calls of that function tune what they run and report it there, also what was tuned before.
class Session {
 public:
  /// `function`: the implementation that calls of it name; it makes calls of others, to copy.
  Session(TuneReport& report, const void* function) noexcept;
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// The thread's, if it is of that function; else null.
  [[nodiscard]] static Session* of(const void* function) noexcept;
  [[nodiscard]] TuneReport& report() const noexcept { return report_; }

 private:
  TuneReport& report_;
  const void* function_;
  Session* outer_;
};

/// Whether KILN_TUNE asks for it. Reads it at the first use.
[[nodiscard]] bool by_environment() noexcept;
/// Returns why nothing can be measured in this thread's call, whatever it runs; empty: it can. `stop` is what may end the call.
[[nodiscard]] std::string why_not_now(const backend::StopRequest* stop);
/// Says why a call that was to be tuned is not: in the session's report, else in a line of the log for each kernel's name and
/// reason.
void not_tuned(Session* session, const std::string& kernel, const std::string& why);

}  // namespace kiln::autotune
