#include "emulator/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "emulator/ptx/lexer.hpp"
#include "shared/float_environment.hpp"

namespace kiln::emulator {
namespace {

constexpr std::uint32_t kMostThreads = 1024;
constexpr std::uint32_t kMostShared = 48U << 10U;  ///< unless more is asked for
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 31U;

void join(Clock& into, const Clock& other) {
  for (const auto& [stream, command] : other) {
    std::uint32_t& known = into[stream];
    known = std::max(known, command);
  }
}

}  // namespace

std::optional<Limits> limits_of(std::string_view target) {
  if (!target.starts_with("sm_")) return std::nullopt;
  const auto capability = number_in<int>(target.substr(3));
  // CUDA C++ Programming Guide, technical specifications per compute capability.
  switch (capability.value_or(0)) {
    case 75:
      return Limits{75, 65'536, 1024};
    case 80:
      return Limits{80, 166'912, 2048};
    case 86:
    case 89:
      return Limits{*capability, 101'376, 1536};
    case 90:
    case 100:
    case 103:
      return Limits{*capability, 232'448, 2048};
    case 120:
    case 121:
      return Limits{*capability, 101'376, 1536};
    default:
      return std::nullopt;
  }
}

Machine::Machine(Limits limits, std::uint64_t seed, std::size_t bytes)
    : limits_(limits), seed_(seed), random_(seed), memory_(bytes) {
  streams_[0];
  commands_.emplace_back();
}

std::uint64_t Machine::random() {
  random_ ^= random_ << 13U;  // xorshift64
  random_ ^= random_ >> 7U;
  random_ ^= random_ << 17U;
  return random_;
}

std::uint32_t Machine::make_stream(bool blocking) {
  streams_[next_stream_].blocking = blocking;
  return next_stream_++;
}

// What was given to it is done all the same.
void Machine::destroy_stream(std::uint32_t stream) {
  const std::uint32_t last = streams_[stream].last;
  run_until(last);
  streams_.erase(stream);
}

Machine::Command& Machine::enqueue(std::uint32_t number, std::string what, std::function<void(const Command&)> work) {
  Stream& stream = streams_[number];
  Command made;
  made.number = static_cast<std::uint32_t>(commands_.size());
  made.stream = number;
  made.work = std::move(work);
  made.before = stream.clock;
  join(made.before, host_);
  // The default stream waits for all blocking ones, and they for it.
  for (auto& [other, each] : streams_) {
    if (other == number || each.last == 0 || !each.blocking || !stream.blocking || (number != 0 && other != 0)) continue;
    made.after.push_back(each.last);
    join(made.before, each.clock);
  }
  commands_.push_back({number, std::make_shared<const std::string>(std::move(what))});
  waiting_.insert(made.number);
  stream.last = made.number;
  stream.clock = made.before;
  stream.clock[number] = made.number;
  stream.pending.push_back(std::move(made));
  return stream.pending.back();
}

bool Machine::can_run(const Stream& stream) const {
  if (stream.pending.empty()) return false;
  const auto& after = stream.pending.front().after;
  return std::none_of(after.begin(), after.end(), [&](std::uint32_t each) { return waiting_.count(each) != 0; });
}

void Machine::run(Stream& stream) {
  const Command command = std::move(stream.pending.front());
  stream.pending.pop_front();
  waiting_.erase(command.number);
  if (fault_ != 0) return;  // nothing runs behind a fault
  const base::DefaultFloatEnvironment floats;
  try {
    command.work(command);
  } catch (const KernelFault& fault) {
    fault_ = static_cast<int>(fault.fault());
    message_ = describe(command.number) + ": " + fault.what();
  }
}

void Machine::run_any() {
  auto at = std::next(streams_.begin(), static_cast<std::ptrdiff_t>(random() % streams_.size()));
  for (std::size_t k = 0; k < streams_.size(); ++k, ++at) {
    if (at == streams_.end()) at = streams_.begin();
    if (!can_run(at->second)) continue;
    run(at->second);
    return;
  }
}

void Machine::progress() {
  for (std::uint64_t left = random() % 4; left != 0; --left) run_any();
}

// Others may run before: which, the seed tells.
void Machine::run_until(std::uint32_t command) {
  while (waiting_.count(command) != 0) run_any();
}

void Machine::synchronize(std::uint32_t stream) {
  Stream& at = streams_[stream];
  run_until(at.last);
  join(host_, at.clock);
  if (stream != 0) return;
  for (auto& [number, each] : streams_) {
    if (!each.blocking) continue;
    run_until(each.last);
    join(host_, each.clock);
  }
}

void Machine::synchronize() {
  for (auto& [number, each] : streams_) {
    run_until(each.last);
    join(host_, each.clock);
  }
}

std::uint32_t Machine::make_event() {
  events_[next_event_];
  return next_event_++;
}

void Machine::record(std::uint32_t event, std::uint32_t stream) {
  Command& command = enqueue(stream, "an event", [this, event](const Command& own) {
    const auto found = events_.find(event);
    if (found != events_.end() && found->second.command == own.number) found->second.time = steps_;
  });
  events_[event] = {command.number, streams_[stream].clock, 0};
}

void Machine::wait(std::uint32_t stream, std::uint32_t event) {
  const Event& at = events_[event];
  if (at.command == 0) return;
  Command& command = enqueue(stream, "a wait", [](const Command&) {});
  command.after.push_back(at.command);
  join(command.before, at.clock);
  join(streams_[stream].clock, at.clock);
}

bool Machine::is_done(std::uint32_t event) {
  const Event& at = events_[event];
  if (waiting_.count(at.command) != 0) return false;
  join(host_, at.clock);
  return true;
}

void Machine::synchronize_event(std::uint32_t event) {
  run_until(events_[event].command);
  join(host_, events_[event].clock);
}

float Machine::elapsed(std::uint32_t start, std::uint32_t end) const {
  return static_cast<float>(static_cast<double>(events_.at(end).time - events_.at(start).time) * 1e-6);
}

bool Machine::is_before(const Command& command, std::uint32_t other) const {
  if (other == command.number) return true;
  const auto known = command.before.find(commands_[other].stream);
  return known != command.before.end() && known->second >= other;
}

std::string Machine::describe(std::uint32_t command) const {
  return *commands_[command].what;
}

std::uint64_t Machine::allocate(std::size_t bytes, std::optional<std::uint32_t> stream) {
  Allocation* const made = memory_.allocate(bytes);
  if (made == nullptr) return 0;
  if (stream) made->command = enqueue(*stream, "its allocation", [](const Command&) {}).number;
  return reinterpret_cast<std::uintptr_t>(made->address);
}

int Machine::free(std::uint64_t address, std::optional<std::uint32_t> stream) {
  Allocation* const found = memory_.find(address, 0);
  if (found == nullptr || reinterpret_cast<std::uintptr_t>(found->address) != address) return invalid_value;
  if (!stream) {
    synchronize();
    memory_.free(address);
    return fault_;
  }
  enqueue(*stream, "a release of memory", [this, address](const Command&) { memory_.free(address); });
  return success;
}

void Machine::touch(const Command& command, std::uint64_t address, std::size_t bytes, bool writes) {
  Allocation* const found = memory_.find(address, bytes);
  if (found == nullptr) throw KernelFault(Fault::illegal_address, "the array has been freed");
  const auto range = found->shadow->cells(address - reinterpret_cast<std::uintptr_t>(found->address), bytes);
  if (found->command != 0 && !is_before(command, found->command)) {
    throw KernelFault(Fault::launch_failed, "uses an array whose allocation, on another stream, nothing orders before it");
  }
  const Access own{.command = command.number, .thread = ~0U};
  const auto order_of = [&](const Access& other) {
    return other.command == 0 || is_before(command, other.command) ? race::Order::before : race::Order::none_outside;
  };
  for (std::size_t k = 0; k < range.count; ++k) {
    range.first[k].note(own, writes, order_of, [&](const Access& other, race::Use did) {
      throw KernelFault(Fault::launch_failed,
                        std::string(writes ? "writes" : "reads") + " what " + describe(other.command) +
                            (did == race::Use::read ? " reads" : " writes") +
                            " on a stream that nothing orders before it: wait for it with an event or synchronize");
    });
  }
}

int Machine::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes, std::uint32_t stream, bool page_locked) {
  if (memory_.find(to, bytes) == nullptr) return invalid_value;
  const auto* const begin = static_cast<const char*>(from);
  // Of memory that is not page-locked, the driver has its own copy when the call returns.
  std::shared_ptr<std::vector<char>> kept;
  if (!page_locked) kept = std::make_shared<std::vector<char>>(begin, begin + bytes);
  enqueue(stream, "a copy to the device", [this, to, begin, bytes, kept](const Command& command) {
    touch(command, to, bytes, true);
    std::memcpy(reinterpret_cast<char*>(to), kept ? kept->data() : begin, bytes);
  });
  return success;
}

int Machine::copy_to_host(void* to, std::uint64_t from, std::size_t bytes, std::uint32_t stream, bool page_locked) {
  if (memory_.find(from, bytes) == nullptr) return invalid_value;
  const Command& command = enqueue(stream, "a copy to the host", [this, to, from, bytes](const Command& own) {
    touch(own, from, bytes, false);
    std::memcpy(to, reinterpret_cast<const char*>(from), bytes);
  });
  if (page_locked) return success;
  const std::uint32_t number = command.number;
  // To memory that is not page-locked: the call returns when it is done.
  run_until(number);
  return fault_;
}

int Machine::copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes, std::uint32_t stream) {
  if (memory_.find(to, bytes) == nullptr || memory_.find(from, bytes) == nullptr) return invalid_value;
  enqueue(stream, "a copy on the device", [this, to, from, bytes](const Command& command) {
    touch(command, from, bytes, false);
    touch(command, to, bytes, true);
    std::memmove(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes);
  });
  return success;
}

std::shared_ptr<Program> Machine::load(std::string ptx) {
  return decode(parse(std::move(ptx)), memory_);
}

void Machine::unload(const Program& program) {
  synchronize();
  for (const std::uint64_t address : program.owned) memory_.free(address);
}

int Machine::launch(const Kernel& kernel, const Extent& grid, const Extent& block, std::uint32_t shared, std::uint32_t stream,
                    void** parameters) {
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 31U) - 1;
  if (threads == 0 || threads > kMostThreads || block[2] > 64 || blocks == 0 || blocks > kMostBlocks || grid[1] > 65'535 ||
      grid[2] > 65'535) {
    return invalid_value;
  }
  if (const int most = kernel.code->function->most_threads; most != 0 && threads > static_cast<std::uint64_t>(most))
    return out_of_resources;
  const std::uint64_t all_shared = std::uint64_t{kernel.program->static_shared} + shared;
  if (all_shared > kMostShared && shared > static_cast<std::uint32_t>(kernel.dynamic_shared_allowed)) return invalid_value;
  std::vector<char> bytes;
  for (std::size_t k = 0; k < kernel.code->parameters.size(); ++k) {
    const Parameter& parameter = kernel.code->parameters[k];
    bytes.resize(std::size_t{parameter.offset} + parameter.bytes);
    std::memcpy(bytes.data() + parameter.offset, parameters[k], parameter.bytes);
  }
  const std::string& name = kernel.program->kernel_name.empty() ? kernel.code->name : kernel.program->kernel_name;
  enqueue(stream, "kernel " + name, [this, kernel, grid, block, shared, bytes](const Command& command) {
    Launch launch{.program = *kernel.program,
                  .kernel = *kernel.code,
                  .grid = grid,
                  .block = block,
                  .dynamic_shared = shared,
                  .parameters = bytes,
                  .command = command.number,
                  .seed = seed_,
                  .most_steps = kMostSteps,
                  .memory = memory_,
                  .is_before = [&](std::uint32_t other) { return is_before(command, other); },
                  .describe = [this](std::uint32_t other) { return describe(other); }};
    struct Count {
      Machine& machine;
      Launch& launch;
      ~Count() {
        machine.instructions_ += launch.instructions;
        machine.steps_ += launch.steps;
      }
    } const count{*this, launch};
    emulator::run(launch);
  });
  return success;
}

}  // namespace kiln::emulator
