// One function of kiln::math as data: what a user would write to define it. The tables of them are the other files here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string_view>

#include "kiln/math.hpp"

namespace kiln::math::detail {

struct Entry {
  std::string_view name;
  std::string_view description;                ///< one line
  std::array<std::string_view, 4> signatures;  ///< the rest are empty
  std::string_view body;                       ///< statements
  std::string_view identity = {};              ///< of a reduction, as a C++ expression; empty where there is none
  bool reorderable = false;                    ///< without an identity: reductions may take the elements in any order
  bool widens_integers = false;                ///< reductions of bool and small integers run in 64 bits
  bool bools_are_numbers = true;               ///< false: a TypeError for bools alone, where no loop is asked for
};

/// Where the parsed ufunc of an entry stands once it was needed.
using Slot = std::atomic<const Ufunc*>;

/// A table with a title.
struct Group {
  std::string_view name;
  std::span<const Entry> entries;
  std::span<Slot> slots;
};

/// Finds an entry at compile time: a name that is not in the table does not compile.
template <std::size_t N>
consteval std::size_t index_of(const Entry (&entries)[N], std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (entries[i].name == name) return i;
  }
  throw "no such entry";
}

extern const Group kArithmetic;
extern const Group kDivision;
extern const Group kComparison;
extern const Group kLogic;
extern const Group kBits;
extern const Group kTrigonometry;
extern const Group kExponential;
extern const Group kRounding;
extern const Group kFloating;
extern const Group kComplex;

/// All of them, in the order in which tools list them.
std::span<const Group* const> groups() noexcept;

}  // namespace kiln::math::detail
