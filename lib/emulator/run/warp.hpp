// 32 threads that run together as long as they branch alike.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/decode/code.hpp"
#include "emulator/kernel_fault.hpp"
#include "emulator/memory.hpp"

namespace kiln::emulator {

class Block;

/// A function's activation, of the lanes that called it together.
struct Frame {
  Frame(const Code& function, std::shared_ptr<Frame> caller, std::uint32_t local);

  const Code& code;
  std::shared_ptr<Frame> parent;
  const Call* call = nullptr;
  std::uint32_t return_pc = 0;
  std::uint32_t depth = 0;
  std::uint32_t local_base = 0;
  std::vector<std::uint64_t> registers;
  std::vector<Mask> predicates;
};

class Warp {
 public:
  Warp(Block& block, unsigned index, Mask lanes);

  /// Runs about so many instructions. False where nothing could be done: all lanes have ended, or wait.
  bool run(std::uint64_t steps);
  [[nodiscard]] Mask alive() const noexcept { return alive_; }
  [[nodiscard]] unsigned index() const noexcept { return index_; }
  [[nodiscard]] Block& block() noexcept { return block_; }

  // For handlers.
  [[nodiscard]] const std::uint64_t* in(const Row& row) const noexcept { return bases_[row.bank] + row.offset; }
  [[nodiscard]] std::uint64_t* out(const Row& row) noexcept { return bases_[row.bank] + row.offset; }
  [[nodiscard]] Mask predicate(const Predicate& predicate) const noexcept {
    const Mask value = predicates_[predicate.index];
    return predicate.negated ? ~value : value;
  }
  void set_predicate(std::uint32_t index, Mask value, Mask lanes) noexcept {
    if (index != 0) predicates_[index] = (predicates_[index] & ~lanes) | (value & lanes);
  }
  [[nodiscard]] Frame& frame() noexcept { return *frame_; }
  /// The lane's local memory from that offset of a frame on.
  [[nodiscard]] char* in_frame(const Frame& frame, unsigned lane, std::uint32_t offset) noexcept {
    return local_.data() + std::size_t{lane} * local_bytes_ + frame.local_base + offset;
  }
  /// Threads of the block before the lane.
  [[nodiscard]] unsigned thread(unsigned lane) const noexcept { return index_ * kLanes + lane; }
  /// Of the lane's thread, in the launch.
  [[nodiscard]] std::uint32_t number(unsigned lane) const noexcept;
  enum class Use : std::uint8_t { read, write, atomic };
  struct Request {
    const Instruction& at;
    unsigned lane;
    std::size_t bytes;
    Use use;
    const char* value = nullptr;  ///< what is written
  };
  /// The memory at an address of the instruction's space, checked. Throws KernelFault.
  [[nodiscard]] char* memory(const Request& request, std::uint64_t address);
  [[noreturn]] void fail(Fault fault, const Instruction& instruction, unsigned lane, const std::string& what) const;
  /// Carry flags, one for each lane.
  Mask carry = 0;
  /// Counts bar.warp.sync of each lane.
  std::array<std::uint32_t, kLanes> epochs{};
  Mask fenced = 0;  ///< lanes that a fence has passed
  [[nodiscard]] bool has_fenced(unsigned lane) const noexcept { return has_lane(fenced, lane); }
  /// Counts what each lane has released for others to acquire.
  std::array<std::uint32_t, kLanes> releases{};

  /// What the lane has done is known to who acquires the address.
  void release_at(std::uint64_t address, unsigned lane);

  /// Lanes that wait at barrier `number` go on; those of it get `result`, of bar.red.
  void release(std::uint32_t number, std::uint32_t result);
  /// What the lanes that wait are waiting for: for a report of a deadlock.
  [[nodiscard]] std::string waiting_text() const;

 private:
  enum class State : std::uint8_t { ready, at_barrier, at_sync };
  struct Group {
    std::shared_ptr<Frame> frame;
    std::uint32_t pc = 0;
    Mask mask = 0;
    State state = State::ready;
    std::uint32_t barrier = 0;
    std::uint64_t last_run = 0;
  };

  [[nodiscard]] std::size_t choose();
  [[nodiscard]] std::size_t merge(std::size_t chosen);
  void enter(Group& group);
  /// Runs the group until it ends, waits, splits, meets another one or the steps are used up.
  void advance(std::size_t chosen);
  /// What ends such a stretch: the lanes part from the group, call, return, end or wait.
  void leave(std::size_t chosen, const Instruction& instruction, Mask lanes);
  void branch_by_index(std::size_t chosen, const Instruction& instruction, Mask lanes);
  void arrive(std::size_t chosen, const Instruction& instruction);
  void end(std::size_t chosen, Mask lanes);
  void call(std::size_t chosen, const Instruction& instruction, Mask lanes);
  void give_back(std::size_t chosen, Mask lanes);
  [[nodiscard]] bool is_synchronized(const Instruction& instruction, Mask lanes) const;
  void complete_syncs();
  void part(std::size_t chosen, Mask lanes, std::shared_ptr<Frame> frame, std::uint32_t pc);
  void erase_empty_groups();
  void grow_local(std::uint32_t bytes);
  void set_specials();
  void set_special(Special which, std::uint64_t value);
  char* global(const Request& request, std::uint64_t address);
  char* shared(const Request& request, std::uint64_t offset);
  char* local(const Request& request, std::uint64_t offset);
  char* kernel_parameter(const Request& request, std::uint64_t offset);
  /// Where an access goes: to shared memory or an array.
  struct Place {
    Shadow& shadow;
    std::uint64_t offset;
    const char* memory;
    const Allocation* array = nullptr;
  };
  void note(const Request& request, const Place& place);
  [[nodiscard]] bool is_before(const Access& other, const Access& own) const;
  [[nodiscard]] bool follows_report() const noexcept;
  /// Returns where the access follows a report.
  void fail_unordered(const Request& request, const Place& place, const Access& other, race::Use use) const;

  Block& block_;
  unsigned index_;
  Mask started_;
  Mask alive_;
  std::vector<Group> groups_;
  std::array<std::uint64_t*, 3> bases_{};
  Mask* predicates_ = nullptr;
  Frame* frame_ = nullptr;
  std::vector<std::uint64_t> specials_;
  std::vector<char> local_;  ///< of each lane
  std::uint32_t local_bytes_ = 0;
  Allocation* last_ = nullptr;  ///< that was accessed
  std::uint64_t frees_ = 0;     ///< of the memory, then
  std::uint64_t steps_ = 0;
  std::uint64_t since_choice_ = 0;
  bool in_slice_ = false;  ///< the chosen group runs on past places where others wait
};

}  // namespace kiln::emulator
