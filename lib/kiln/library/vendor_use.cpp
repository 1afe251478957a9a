#include "library/vendor_use.hpp"
#include "base/fork.hpp"

#include <atomic>

#include "base/at_exit.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

std::atomic<int> uses{0};
std::atomic<bool> ended{false};

void wait_for_uses() {
  ended = true;
  if (base::forked()) return;  // they are in the parent
  for (int left = uses.load(); left > 0; left = uses.load()) uses.wait(left);
}

void leave() {
  --uses;
  uses.notify_all();
}

}  // namespace

VendorUse::VendorUse(const std::string& library) {
  // Behind what the library registered when it was opened, and so run before it.
  [[maybe_unused]] static const bool registered = (base::at_exit<wait_for_uses>(), true);
  ++uses;
  if (!ended.load()) return;
  leave();
  throw DeviceError(library +
                    " has ended with the process: compile before exit(), or register a handler of atexit() that compiles "
                    "behind the first compile");
}

VendorUse::~VendorUse() {
  // Behind what the library registered when it was first used.
  [[maybe_unused]] static const bool registered = (base::at_exit<wait_for_uses>(), true);
  leave();
}

}  // namespace kiln::backend::gpu
