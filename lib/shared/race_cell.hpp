// What threads did last to some bytes of memory, and which next access races with it: for debug mode on the CPU and for
// emulated GPUs.
#pragma once

#include <cstdint>

namespace kiln::race {

enum class Use : std::uint8_t { read, write, update };

/// How an earlier access stands to one that is made now.
enum class Order : std::uint8_t {
  before,        ///< it is ordered before it, or there was none
  none,          ///< nothing orders the two, which are of one launch
  none_outside,  ///< nothing orders it, which is of another launch
};

/// The last accesses of some bytes next to each other. An Access has a member `atomic`; its default is no access.
template <class Access>
struct Cell {
  Access write;
  Access earlier_write;  ///< of another thread, and not ordered before `write`: both wrote the same, or atomically
  Access read;
  Access earlier_read;  ///< of another thread, and not ordered before `read`

  /// Notes an access, and calls races(other, use) for each earlier one that races with it: nothing orders the two, one of them
  /// writes, and not both are atomic operations of one launch. No race: a read of what such operations change, with which loops
  /// of compare and swap begin. `order_of(other)` is an Order.
  template <class OrderOf, class Races>
  void note(const Access& own, bool writes, const OrderOf& order_of, const Races& races) {
    const Order written = order_of(write);
    const Order written_earlier = order_of(earlier_write);
    const auto meet_writer = [&](const Access& writer, Order order) {
      if (order == Order::before || (writer.atomic && (own.atomic || !writes) && order == Order::none)) return;
      races(writer, writer.atomic ? Use::update : Use::write);
    };
    meet_writer(write, written);
    meet_writer(earlier_write, written_earlier);
    if (!writes) {
      if (order_of(read) != Order::before && order_of(earlier_read) == Order::before) earlier_read = read;
      read = own;
      return;
    }
    for (const Access* const reader : {&read, &earlier_read}) {
      const Order order = order_of(*reader);
      if (order != Order::before && !(own.atomic && order == Order::none)) races(*reader, Use::read);
    }
    if (written != Order::before && written_earlier == Order::before) earlier_write = write;
    write = own;
  }
};

}  // namespace kiln::race
