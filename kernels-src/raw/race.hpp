// What a raw kernel on the CPU that is compiled to find races reports of its accesses. The library and the kernels include this
// file, behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
#pragma once

namespace kiln::kinds {

// A bit each: an access that is neither reads.
inline constexpr int32 kRaceWrites = 1;
inline constexpr int32 kRaceAtomic = 2;
inline constexpr int32 kRaceFills = 4;  // `value` is one byte, of which it writes as many

inline constexpr int32 kRaceRank = 8;  // extents of a variable that are named

// Where the user's texts access memory.
struct RacePlace {
  const char* file;
  int32 line;
  int32 column;
};

// A variable of the user's texts that outlives a thread: its name, and its elements where it is an array.
struct RaceVariable {
  const char* name;
  void* address;
  int64 bytes;
  int64 item_bytes;
  int32 shared;  // 1: KILN_SHARED, each block's own
  int32 rank;
  int64 extent[kRaceRank];
};

// Exported as kiln_race. What finds races is the library's; a pass of the compiler
// (lib/clang/passes/reported_accesses.cpp) calls access() in front of each access to memory that other threads may see,
// and fills the tables.
struct RaceTable {
  void* checker;  // of the launch that runs
  // `value`: the bytes that it writes; null where they are not known.
  void (*access)(void* checker, void* address, int64 bytes, const void* value, int32 use, int32 place);
  void (*barrier)(void* checker, int32 line, int32 column, const char* file);
  const RacePlace* places;
  const RaceVariable* variables;
  int64 variable_count;
};

}  // namespace kiln::kinds
