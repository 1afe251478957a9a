// Every access of a kernel to memory: where it may go, and what it may meet there.
#include <algorithm>
#include <cstring>

#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

std::uint64_t address_of(const char* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

std::string hexadecimal(std::uint64_t value) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[value % 16]);
  while ((value /= 16) != 0);
  return "0x" + text;
}

std::string verb(Warp::Use use) {
  return use == Warp::Use::read ? "reads " : use == Warp::Use::write ? "writes " : "updates ";
}

/// An offset that is below the beginning wraps.
std::string byte_text(std::uint64_t offset) {
  return "byte " + std::to_string(static_cast<std::int64_t>(offset)) + " of ";
}

std::string array_text(const Allocation& found, std::uint64_t address) {
  const std::string what = found.name.empty() ? "an array of " + std::to_string(found.bytes) + " bytes" : found.name;
  return byte_text(address - address_of(found.address)) + what;
}

}  // namespace

char* Warp::memory(const Request& request, std::uint64_t address) {
  const Instruction& at = request.at;
  if (address % request.bytes != 0) {
    fail(Fault::misaligned, at, request.lane,
         verb(request.use) + std::to_string(request.bytes) + " bytes at " + hexadecimal(address) +
             ", which is no multiple of " + std::to_string(request.bytes));
  }
  Space space = at.space;
  if (space == Space::generic) {
    const std::uint64_t window = address & kWindowMask;
    space = window == kSharedWindow      ? Space::shared
            : window == kLocalWindow     ? Space::local
            : window == kParameterWindow ? Space::parameter
                                         : Space::global;
  }
  if (space == Space::global || space == Space::constant) return global(request, address);
  const std::uint64_t offset = address & ~kWindowMask;
  if (space == Space::shared) return shared(request, offset);
  if (space == Space::local) return local(request, offset);
  return kernel_parameter(request, offset);
}

char* Warp::kernel_parameter(const Request& request, std::uint64_t offset) {
  std::vector<char>& parameters = block_.launch().parameters;
  if (offset > parameters.size() || parameters.size() - offset < request.bytes || request.use != Use::read) {
    fail(Fault::illegal_address, request.at, request.lane,
         verb(request.use) + byte_text(offset) + "the kernel's " + std::to_string(parameters.size()) + " bytes of parameters");
  }
  return parameters.data() + offset;
}

char* Warp::local(const Request& request, std::uint64_t offset) {
  if (offset > local_bytes_ || local_bytes_ - offset < request.bytes) {
    fail(Fault::illegal_address, request.at, request.lane,
         "is at " + byte_text(offset) + std::to_string(local_bytes_) + " bytes of local memory");
  }
  return local_.data() + std::size_t{request.lane} * local_bytes_ + offset;
}

char* Warp::shared(const Request& request, std::uint64_t offset) {
  std::vector<char>& all = block_.shared();
  if (offset > all.size() || all.size() - offset < request.bytes) {
    fail(Fault::illegal_address, request.at, request.lane,
         verb(request.use) + byte_text(offset) + std::to_string(all.size()) + " bytes of shared memory");
  }
  note(request, {block_.shared_shadow(), offset, all.data() + offset});
  return all.data() + offset;
}

char* Warp::global(const Request& request, std::uint64_t address) {
  const Instruction& at = request.at;
  Memory& memory = block_.launch().memory;
  if (last_ == nullptr || frees_ != memory.frees() || !last_->contains(address, request.bytes)) {
    last_ = memory.find(address, request.bytes);
    frees_ = memory.frees();
    if (last_ == nullptr) {
      const Allocation* const nearest = memory.near(address);
      constexpr std::uint64_t kNear = std::uint64_t{1} << 30U;
      const bool is_near = nearest != nullptr && address - address_of(nearest->address) < nearest->bytes + kNear;
      fail(Fault::illegal_address, at, request.lane,
           verb(request.use) + std::to_string(request.bytes) + " bytes at " + hexadecimal(address) +
               (is_near ? ", which is " + array_text(*nearest, address) : ", where there is no array"));
    }
  }
  if (last_->command != 0 && !block_.launch().is_before(last_->command)) {
    fail(Fault::launch_failed, at, request.lane,
         verb(request.use) + array_text(*last_, address) +
             ", whose allocation on another stream nothing orders before this launch");
  }
  if (last_->read_only && request.use != Use::read)
    fail(Fault::illegal_address, at, request.lane, verb(request.use) + array_text(*last_, address) + ", a constant");
  char* const bytes = reinterpret_cast<char*>(address);  // device memory is the host's
  if (!last_->shared_freely) note(request, {*last_->shadow, address - address_of(last_->address), bytes, last_});
  return bytes;
}

// Of another command: the streams' order. Of another thread: a barrier between, or what it released and this one acquired.
bool Warp::is_before(const Access& other, const Access& own) const {
  if (other.command == 0) return true;
  if (other.command != own.command) return block_.launch().is_before(other.command);
  if (other.thread == own.thread) return true;
  if (other.thread / block_.threads() == block_.number()) {
    if (other.epoch < own.epoch) return true;
    const bool same_warp = other.thread % block_.threads() / kLanes == index_;
    if (same_warp && other.warp_epoch < own.warp_epoch) return true;
  }
  return block_.knows(other);
}

// A kernel in debug mode goes on with other elements where an index was none, and its own report says more.
bool Warp::follows_report() const noexcept {
  return block_.launch().program.has_reported();
}

void Warp::fail_unordered(const Request& request, const Place& place, const Access& other, race::Use use) const {
  if (follows_report()) return;
  const char* const did = use == race::Use::read     ? "reads"
                          : use == race::Use::update ? "updates"
                          : request.use == Use::read ? "has written"
                                                     : "writes";
  const Launch& launch = block_.launch();
  const std::string what = verb(request.use) + (place.array != nullptr ? array_text(*place.array, address_of(place.memory))
                                                                       : byte_text(place.offset) + "shared memory");
  if (other.command != launch.command) {
    fail(Fault::launch_failed, request.at, request.lane,
         what + ", which " + launch.describe(other.command) + " " + did +
             " on a stream that nothing orders before this launch: wait for it with an event or synchronize");
  }
  const std::uint32_t block = other.thread / block_.threads();
  const bool is_own_block = block == block_.number();
  const std::string line = launch.program.place_of(other.place);
  fail(Fault::launch_failed, request.at, request.lane,
       what + " in a race with thread " + text_of(position_in(launch.block, other.thread % block_.threads())) +
           (is_own_block ? "" : " of block " + text_of(position_in(launch.grid, block))) + ", which " + did + " it" +
           (line.empty() ? "" : " at " + line) + (is_own_block ? ": no barrier stands between" : ": nothing orders the two"));
}

// Two accesses of which one writes need an order.
void Warp::note(const Request& request, const Place& place) {
  const auto& [at, lane, bytes, use, value] = request;
  const Access own{.command = block_.launch().command,
                   .thread = number(lane),
                   .epoch = block_.epoch(),
                   .warp_epoch = epochs[lane],
                   .releases = releases[lane],
                   .place = at.statement & 0x7fffffffU,
                   .atomic = at.strong || use == Use::atomic};
  const auto range = place.shadow.cells(place.offset, bytes);
  const std::size_t granule = place.shadow.granule();
  const auto is_written = [](const Cell& cell) { return cell.write.command != 0; };
  // Compilers load vectors whose last elements nobody uses.
  const bool any_written = at.count > 1 && std::any_of(range.first, range.first + range.count, is_written);
  const auto order_of = [&](const Access& other) {
    const bool is_own = other.thread == own.thread && other.command == own.command;
    if (other.command == 0 || is_own || is_before(other, own)) return race::Order::before;
    return other.command == own.command ? race::Order::none : race::Order::none_outside;
  };
  for (std::size_t k = 0; k < range.count; ++k) {
    Cell& cell = range.first[k];
    if (use != Use::write && !is_written(cell) && place.array == nullptr && !any_written && !follows_report()) {
      fail(Fault::launch_failed, at, lane,
           "reads " + byte_text(place.offset + k * granule) + "shared memory, which nothing has written");
    }
    cell.note(own, use != Use::read, order_of, [&](const Access& other, race::Use did) {
      // Who writes what is there already takes nothing from anybody.
      const bool same = use == Use::write && other.command == own.command &&
                        std::memcmp(value + k * granule, place.memory + k * granule, granule) == 0;
      if (!same) fail_unordered(request, place, other, did);
    });
  }
}

}  // namespace kiln::emulator
