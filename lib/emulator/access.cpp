// Every access of a kernel to memory: where it may go, and what it may meet there.
#include <algorithm>
#include <cstring>

#include "emulator/block.hpp"

namespace kiln::emulator {
namespace {

std::string hexadecimal(std::uint64_t value) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[value % 16]);
  while ((value /= 16) != 0);
  return "0x" + text;
}

const char* verb(Warp::Use use) {
  return use == Warp::Use::read ? "reads" : use == Warp::Use::write ? "writes" : "updates";
}

std::string array_text(const Allocation& found, std::uint64_t address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(found.address);
  const std::string what = found.name.empty() ? "an array of " + std::to_string(found.bytes) + " bytes" : found.name;
  const auto offset = static_cast<std::int64_t>(address - begin);
  return "byte " + std::to_string(offset) + " of " + what;
}

}  // namespace

char* Warp::memory(const Instruction& at, unsigned lane, std::uint64_t address, std::size_t bytes, Use use, const char* value) {
  if (address % bytes != 0) {
    fail(Fault::misaligned, at, lane,
         std::string(verb(use)) + " " + std::to_string(bytes) + " bytes at " + hexadecimal(address) +
             ", which is no multiple of " + std::to_string(bytes));
  }
  Space space = at.space;
  if (space == Space::generic) {
    switch (address & kWindowMask) {
      case kSharedWindow:
        space = Space::shared;
        break;
      case kLocalWindow:
        space = Space::local;
        break;
      case kParameterWindow:
        space = Space::parameter;
        break;
      default:
        space = Space::global;
    }
    if (space != Space::global) address &= ~kWindowMask;
  }
  switch (space) {
    case Space::shared:
      return shared(at, lane, address, bytes, use, value);
    case Space::local:
      return local(at, lane, address & ~kWindowMask, bytes);
    case Space::parameter:
      if (at.of_frame) {
        if (address + bytes > frame_->code.parameter_bytes)
          fail(Fault::illegal_address, at, lane, "is outside the parameters of a call");
        return frame_->parameter(lane, address);
      } else {
        std::vector<char>& parameters = block_.launch().parameters;
        const std::uint64_t offset = address & ~kWindowMask;
        if (offset > parameters.size() || parameters.size() - offset < bytes || use != Use::read) {
          fail(Fault::illegal_address, at, lane,
               std::string(verb(use)) + " byte " + std::to_string(offset) + " of the kernel's " +
                   std::to_string(parameters.size()) + " bytes of parameters");
        }
        return parameters.data() + offset;
      }
    default:
      return global(at, lane, address, bytes, use, value);
  }
}

char* Warp::local(const Instruction& at, unsigned lane, std::uint64_t offset, std::size_t bytes) {
  if (offset > local_bytes_ || local_bytes_ - offset < bytes) {
    fail(Fault::illegal_address, at, lane,
         "is at byte " + std::to_string(static_cast<std::int64_t>(offset)) + " of " + std::to_string(local_bytes_) +
             " bytes of local memory");
  }
  return local_.data() + std::size_t{lane} * local_bytes_ + offset;
}

char* Warp::shared(const Instruction& at, unsigned lane, std::uint64_t offset, std::size_t bytes, Use use, const char* value) {
  std::vector<char>& all = block_.shared();
  offset &= ~kWindowMask;
  if (offset > all.size() || all.size() - offset < bytes) {
    fail(Fault::illegal_address, at, lane,
         std::string(verb(use)) + " byte " + std::to_string(static_cast<std::int64_t>(offset)) + " of " +
             std::to_string(all.size()) + " bytes of shared memory");
  }
  note(block_.shared_shadow(), at, lane, offset, bytes, use, value, all.data() + offset, nullptr, offset);
  return all.data() + offset;
}

char* Warp::global(const Instruction& at, unsigned lane, std::uint64_t address, std::size_t bytes, Use use, const char* value) {
  if (last_ == nullptr || !last_->contains(address, bytes)) {
    Memory& memory = block_.launch().memory;
    last_ = memory.find(address, bytes);
    if (last_ == nullptr) {
      const Allocation* const nearest = memory.near(address);
      constexpr std::uint64_t kNear = std::uint64_t{1} << 30U;
      const bool is_near =
          nearest != nullptr && address - reinterpret_cast<std::uintptr_t>(nearest->address) < nearest->bytes + kNear;
      fail(Fault::illegal_address, at, lane,
           std::string(verb(use)) + " " + std::to_string(bytes) + " bytes at " + hexadecimal(address) +
               (is_near ? ", which is " + array_text(*nearest, address) : ", where there is no array"));
    }
  }
  if (last_->command != 0 && !block_.launch().is_before(last_->command)) {
    fail(Fault::launch_failed, at, lane,
         std::string(verb(use)) + " " + array_text(*last_, address) +
             ", whose allocation on another stream nothing orders before this launch");
  }
  if (last_->freed)
    fail(Fault::illegal_address, at, lane, std::string(verb(use)) + " " + array_text(*last_, address) + " that has been freed");
  if (last_->read_only && use != Use::read)
    fail(Fault::illegal_address, at, lane, std::string(verb(use)) + " " + array_text(*last_, address) + ", a constant");
  char* const memory = reinterpret_cast<char*>(address);  // NOLINT(performance-no-int-to-ptr): device memory is the host's
  note(*last_->shadow, at, lane, address - reinterpret_cast<std::uintptr_t>(last_->address), bytes, use, value, memory, last_,
       address);
  return memory;
}

// Two accesses of which one writes need an order: a barrier between, or what one thread released and the other acquired.
void Warp::note(Shadow& shadow, const Instruction& at, unsigned lane, std::uint64_t offset, std::size_t bytes, Use use,
                const char* value, const char* memory, const Allocation* array, std::uint64_t address) {
  Launch& launch = block_.launch();
  const std::uint32_t of_block = block_.number() * block_.threads();
  const Access own{launch.command, of_block + thread(lane), block_.epoch(), epochs[lane], releases[lane], at.statement};
  const bool strong = at.strong || use == Use::atomic;
  const auto range = shadow.cells(offset, bytes);

  const auto is_before = [&](const Access& other) {
    if (other.command == 0) return true;
    if (other.command != own.command) return launch.is_before(other.command);
    if (other.thread == own.thread) return true;
    const std::uint32_t block = other.thread / block_.threads();
    if (block == block_.number()) {
      if (other.epoch < own.epoch) return true;
      const bool same_warp = (other.thread - of_block) / kLanes == index_;
      if (same_warp && other.warp_epoch < own.warp_epoch) return true;
    }
    return block_.knows(other);
  };
  const auto found = [&](const Access& other, const char* did) {
    const std::string where =
        array != nullptr ? array_text(*array, address) : "byte " + std::to_string(offset) + " of shared memory";
    if (other.command != own.command) {
      fail(Fault::launch_failed, at, lane,
           std::string(verb(use)) + " " + where + ", which " + launch.describe(other.command) + " " + did +
               " on a stream that nothing orders before this launch: wait for it with an event or synchronize");
    }
    const std::uint32_t other_block = other.thread / block_.threads();
    const std::uint32_t number = other.thread % block_.threads();
    const Extent& size = launch.block;
    std::string who = "thread (" + std::to_string(number % size[0]) + ", " + std::to_string(number / size[0] % size[1]) + ", " +
                      std::to_string(number / size[0] / size[1]) + ")";
    if (other_block != block_.number()) {
      const Extent& grid = launch.grid;
      who += " of block (" + std::to_string(other_block % grid[0]) + ", " + std::to_string(other_block / grid[0] % grid[1]) +
             ", " + std::to_string(other_block / grid[0] / grid[1]) + ")";
    }
    const std::string place = launch.program.place_of_statement(other.place);
    fail(Fault::launch_failed, at, lane,
         std::string(verb(use)) + " " + where + " in a race with " + who + ", which " + did + " it" +
             (place.empty() ? "" : " at " + place) +
             (other_block == block_.number() ? ": no barrier stands between" : ": nothing orders the two"));
  };

  const std::size_t granule = shadow.granule();
  // Compilers load vectors whose last elements nobody uses.
  const bool any_written =
      at.count > 1 && std::any_of(range.first, range.first + range.count, [](const Cell& cell) { return cell.written; });
  const auto writes_the_same = [&](std::size_t k) {
    return use == Use::write && value != nullptr && std::memcmp(value + k * granule, memory + k * granule, granule) == 0;
  };
  for (std::size_t k = 0; k < range.count; ++k) {
    Cell& cell = range.first[k];
    if (use != Use::write && !cell.written && array == nullptr && !any_written) {
      fail(Fault::launch_failed, at, lane,
           "reads byte " + std::to_string(offset + k * granule) + " of shared memory, which nothing has written");
    }
    const bool write_is_own = cell.write.command == own.command && cell.write.thread == own.thread;
    // One read of what atomic operations change meanwhile gives a value from before or after: loops of compare and swap begin
    // so.
    const bool by_atomics = cell.write_strong && cell.write.command == own.command && (strong || use == Use::read);
    if (!write_is_own && !by_atomics && !is_before(cell.write)) {
      // Who writes what is there already takes nothing from anybody.
      const bool same = cell.write.command == own.command && writes_the_same(k);
      if (!same) found(cell.write, cell.write_strong ? "updates" : use == Use::read ? "has written" : "writes");
    }
    const auto is_own = [&](const Access& other) { return other.command == own.command && other.thread == own.thread; };
    if (use == Use::read) {
      if (!is_own(cell.read) && !is_before(cell.read) && (cell.earlier_read.command == 0 || is_before(cell.earlier_read))) {
        cell.earlier_read = cell.read;
      }
      cell.read = own;
      continue;
    }
    for (const Access& reader : {cell.read, cell.earlier_read}) {
      if (is_own(reader) || (strong && reader.command == own.command) || is_before(reader)) continue;
      if (reader.command != own.command || !writes_the_same(k)) found(reader, "reads");
    }
    cell.write = own;
    cell.write_strong = strong;
    cell.written = true;
    if (use == Use::atomic) {
      cell.read = own;
      cell.earlier_read = {};
    }
  }
}

}  // namespace kiln::emulator
