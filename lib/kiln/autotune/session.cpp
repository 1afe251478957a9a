#include "autotune/session.hpp"

#include <array>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "device/capture.hpp"
#include "device/stop_request.hpp"

namespace kiln::autotune {
namespace {

thread_local constinit Session* own = nullptr;

bool read_environment() {
  constexpr std::array<std::string_view, 2> kWords{"0", "1"};
  return base::env_word("KILN_TUNE", kWords, "launch shapes are not measured").value == "1";
}

}  // namespace

// Where it asks for nothing, later calls need not ask.
bool by_environment() noexcept {
  enum State : int { unknown, off, on };
  static constinit std::atomic<int> state{unknown};
  int known = state.load(std::memory_order_acquire);
  if (known != unknown) return known == on;
  const int read = read_environment() ? on : off;
  if (state.compare_exchange_strong(known, read) && read == off) asking.fetch_sub(1, std::memory_order_relaxed);
  return read == on;
}

Session::Session(TuneReport& report, const void* function) noexcept
    : report_(report), function_(function), outer_(std::exchange(own, this)) {
  asking.fetch_add(1, std::memory_order_relaxed);
}

Session::~Session() {
  own = outer_;
  asking.fetch_sub(1, std::memory_order_relaxed);
}

Session* Session::of(const void* function) noexcept {
  return own != nullptr && own->function_ == function ? own : nullptr;
}

std::string why_not_now(const backend::StopRequest* stop) {
  if (backend::Capture::current() != nullptr) return "it is recorded for a graph; make the call once outside of the capture";
  if (stop != nullptr) return "it may be stopped; make the call without .stop and .timeout";
  return {};
}

void not_tuned(Session* session, const std::string& kernel, const std::string& why) {
  if (session != nullptr) {
    session->report().why_not = why;
    return;
  }
  static constinit std::mutex mutex;
  static auto& reported = *new std::set<std::pair<std::string, std::string>>;  // calls run while the program exits
  constexpr std::size_t kMostLines = 1000;
  {
    const std::lock_guard lock(mutex);
    if (reported.size() >= kMostLines || !reported.emplace(kernel, why).second) return;
  }
  base::log_line("KILN_TUNE: " + kernel + " is not tuned: " + why);
}

}  // namespace kiln::autotune
