#include "interruption.hpp"

#include <atomic>

namespace kiln::tool {
namespace {

std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

Interruption::Interruption() {
  caught = 0;
  struct sigaction action = {};
  action.sa_handler = [](int number) { caught = number; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

int Interruption::signal() noexcept {
  return caught;
}

}  // namespace kiln::tool
