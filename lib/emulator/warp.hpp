// 32 threads that run together as far as they go the same way.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/code.hpp"
#include "emulator/finding.hpp"

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
  std::vector<char> parameters;  ///< code.parameter_bytes of each lane

  [[nodiscard]] char* parameter(unsigned lane, std::uint64_t offset) noexcept {
    return parameters.data() + std::size_t{lane} * code.parameter_bytes + offset;
  }
};

class Warp {
 public:
  Warp(Block& block, unsigned index, Mask lanes);

  /// Goes on for about so many instructions. False where nothing could be done: all lanes have ended, or wait.
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
  /// Threads of the block before the lane.
  [[nodiscard]] unsigned thread(unsigned lane) const noexcept { return index_ * kLanes + lane; }
  /// The memory of `bytes` bytes at an address of the instruction's space, checked. Throws Finding.
  enum class Use : std::uint8_t { read, write, atomic };
  [[nodiscard]] char* memory(const Instruction& instruction, unsigned lane, std::uint64_t address, std::size_t bytes, Use use,
                             const char* value = nullptr);
  [[noreturn]] void fail(Fault fault, const Instruction& instruction, unsigned lane, const std::string& what) const;
  /// Carry flags, one for each lane.
  Mask carry = 0;
  /// Counts bar.warp.sync of each lane.
  std::array<std::uint32_t, kLanes> epochs{};
  Mask fenced = 0;
  /// Counts what each lane has released for others to acquire.
  std::array<std::uint32_t, kLanes> releases{};

  /// What the lane has done is known to who acquires the address.
  void release_at(std::uint64_t address, unsigned lane);

  /// Lanes that wait at barrier `number` go on; those of it get `result`, of bar.red.
  void release(std::uint32_t number, std::uint32_t result);
  /// What the lanes that wait are waiting for: for a report of a deadlock.
  [[nodiscard]] std::string waiting_text() const;
  [[nodiscard]] bool has_waiting() const;

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
  /// Runs the group until it ends, waits, splits, meets another one or the steps are used.
  void advance(std::size_t chosen);
  void call(std::size_t chosen, const Instruction& instruction, Mask lanes);
  void give_back(std::size_t chosen, Mask lanes);
  void sync(std::size_t chosen, const Instruction& instruction);
  void complete_syncs();
  void end(std::size_t chosen, Mask lanes);
  void set_specials();
  char* global(const Instruction& instruction, unsigned lane, std::uint64_t address, std::size_t bytes, Use use,
               const char* value);
  char* shared(const Instruction& instruction, unsigned lane, std::uint64_t offset, std::size_t bytes, Use use,
               const char* value);
  char* local(const Instruction& instruction, unsigned lane, std::uint64_t offset, std::size_t bytes);
  void note(Shadow& shadow, const Instruction& instruction, unsigned lane, std::uint64_t offset, std::size_t bytes, Use use,
            const char* value, const char* memory, const Allocation* array, std::uint64_t address);

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
  std::uint64_t steps_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t since_choice_ = 0;
  bool in_turn_ = false;  ///< the chosen group goes on whatever stands below it
};

}  // namespace kiln::emulator
