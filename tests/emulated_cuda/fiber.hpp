// A stack of its own to run on: resumed by the thread that owns it, it runs until it pauses.
#pragma once

#include <cstddef>

namespace kiln_emulated {

class Fiber {
 public:
  /// Calls `entry` again and again on the fiber's stack; it pauses after each call.
  explicit Fiber(void (*entry)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it pauses. Not from a fiber.
  void resume();
  /// Back to whoever resumed the running fiber. From a signal handler, too: then the fiber must not be resumed.
  static void pause();
  /// The one that runs on this thread; null where none does.
  static Fiber* running();

 private:
  static void run();

  void (*entry_)();
  char* pages_;
  void* stack_ = nullptr;
  void* resumer_ = nullptr;
};

}  // namespace kiln_emulated
