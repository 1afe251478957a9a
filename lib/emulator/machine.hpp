// The emulated device: memory, modules, and streams whose commands run later than they are given, in an order that a seed
// chooses among those that CUDA allows.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/memory.hpp"
#include "emulator/run/launch.hpp"
#include "emulator/status.hpp"

namespace kiln::emulator {

/// What differs between the devices that can be emulated.
struct Limits {
  int capability = 90;  ///< 90 for sm_90
  int shared_on_request = 232'448;
  int threads_per_multiprocessor = 2048;
};
/// Nothing for a name that is no "sm_75" … "sm_121".
[[nodiscard]] std::optional<Limits> limits_of(std::string_view target);

/// Of each stream, the last command that is known to be done.
using Clock = std::map<std::uint32_t, std::uint32_t>;

struct Kernel {
  std::shared_ptr<Program> program;
  const Code* code = nullptr;
  int dynamic_shared_allowed = 0;
};

/// Not thread-safe: the driver's lock is held.
class Machine {
 public:
  Machine(Limits limits, std::uint64_t seed, std::size_t bytes);

  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
  [[nodiscard]] Memory& memory() noexcept { return memory_; }
  [[nodiscard]] int fault() const noexcept { return fault_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] std::uint64_t instructions() const noexcept { return instructions_; }

  // Streams: 0 is the default one, with which all others that are blocking keep in step.
  [[nodiscard]] std::uint32_t make_stream(bool blocking);
  [[nodiscard]] bool has_stream(std::uint64_t stream) const { return streams_.count(static_cast<std::uint32_t>(stream)) != 0; }
  void destroy_stream(std::uint32_t stream);
  void synchronize(std::uint32_t stream);
  void synchronize();
  /// Some commands run now, or none.
  void progress();

  [[nodiscard]] std::uint32_t make_event();
  [[nodiscard]] bool has_event(std::uint64_t event) const { return events_.count(static_cast<std::uint32_t>(event)) != 0; }
  void destroy_event(std::uint32_t event) { events_.erase(event); }
  void record(std::uint32_t event, std::uint32_t stream);
  void wait(std::uint32_t stream, std::uint32_t event);
  [[nodiscard]] bool is_done(std::uint32_t event);
  void synchronize_event(std::uint32_t event);
  /// In milliseconds: instructions at one a nanosecond.
  [[nodiscard]] float elapsed(std::uint32_t start, std::uint32_t end) const;

  /// 0 where there is no room.
  [[nodiscard]] std::uint64_t allocate(std::size_t bytes, std::optional<std::uint32_t> stream);
  int free(std::uint64_t address, std::optional<std::uint32_t> stream);
  /// Page-locked memory of the host is read, or written, when the copy runs.
  int copy_to_device(std::uint64_t to, const void* from, std::size_t bytes, std::uint32_t stream, bool page_locked = false);
  int copy_to_host(void* to, std::uint64_t from, std::size_t bytes, std::uint32_t stream, bool page_locked = false);
  int copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes, std::uint32_t stream);

  [[nodiscard]] std::shared_ptr<Program> load(std::string ptx);
  void unload(const Program& program);
  int launch(const Kernel& kernel, const Extent& grid, const Extent& block, std::uint32_t shared, std::uint32_t stream,
             void** parameters);

 private:
  struct Command {
    std::uint32_t number = 0;
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> after;
    Clock before;
    std::function<void(const Command&)> work;
  };
  struct Stream {
    std::deque<Command> pending;
    std::uint32_t last = 0;  ///< command
    Clock clock;             ///< behind its last command
    bool blocking = true;
  };
  struct Event {
    std::uint32_t command = 0;
    Clock clock;
    std::uint64_t time = 0;
  };
  struct Done {
    std::uint32_t stream = 0;
    std::shared_ptr<const std::string> what;
  };

  Command& enqueue(std::uint32_t stream, std::string what, std::function<void(const Command&)> work);
  void run(Stream& stream);
  /// Some command that may; nothing where none may.
  void run_any();
  [[nodiscard]] bool can_run(const Stream& stream) const;
  void run_until(std::uint32_t command);
  [[nodiscard]] bool is_before(const Command& command, std::uint32_t other) const;
  [[nodiscard]] std::string describe(std::uint32_t command) const;
  /// A copy's marks in the shadow. Throws KernelFault.
  void touch(const Command& command, std::uint64_t address, std::size_t bytes, bool writes);
  std::uint64_t random();

  Limits limits_;
  std::uint64_t seed_;
  std::uint64_t random_;
  Memory memory_;
  std::map<std::uint32_t, Stream> streams_;
  std::map<std::uint32_t, Event> events_;
  std::set<std::uint32_t> waiting_;  ///< commands that are not done
  std::vector<Done> commands_;       ///< by number; [0] is none
  Clock host_;                       ///< what the host has waited for
  std::uint32_t next_stream_ = 3;    // 1 and 2 are CU_STREAM_LEGACY and CU_STREAM_PER_THREAD
  std::uint32_t next_event_ = 1;
  int fault_ = 0;
  std::string message_;
  std::uint64_t instructions_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace kiln::emulator
