// An explicit stream of the CPU: one thread that does what it is given, in order.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "device/backend.hpp"

namespace kiln::backend::cpu {

class CpuQueue : public Queue {
 public:
  /// DeviceError where no thread can be had.
  CpuQueue();
  /// Waits for all work; a failure that nobody asked for is lost. In a forked child, where the thread does not exist, nothing
  /// is waited for. The thread itself may call it: the work then goes on behind its back.
  ~CpuQueue() override;

  enum class After : std::uint8_t {
    success,  ///< skipped once something before it has failed
    anything  ///< runs in any case: releasing memory
  };

  /// Appends work. In a forked child it runs here and now.
  void post(std::function<void()> work, After after = After::success);

  void run(std::function<void()> work) override { post(std::move(work)); }

  /// Waits until everything posted before is done; throws the first failure since the last call, once.
  void synchronize() override;

  /// Waits like synchronize(), and leaves a failure for it.
  void wait() noexcept;

 private:
  struct Task {
    std::function<void()> work;
    After after;
  };
  /// The thread's as well: the last task may hold what holds the queue, which is then destroyed by its own thread.
  struct State {
    std::mutex mutex;
    std::condition_variable more;
    std::condition_variable idle;
    std::deque<Task> tasks;
    bool busy = false;
    bool ending = false;
    std::exception_ptr failure;
    void work_off();
  };
  [[nodiscard]] bool in_child() const noexcept;

  pid_t owner_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::unique_ptr<std::thread> thread_;
};

}  // namespace kiln::backend::cpu
