// What a kernel that is compiled for debugging leaves behind: its first fault, and what its body printed. The library and the
// kernels include this file, behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
#pragma once

namespace kiln::kinds {

enum class FaultKind : uint32 {
  none,
  bounds,
  division,
  shift,
  conversion,
  nan,
  assertion,
  status,
  crash,
  race,
  barrier,
  array,
  shared
};

// What a body that crashed did.
enum class CrashKind : int64 {
  instruction,     // none that may run
  no_memory,       // an access to what is no memory of the program's
  guarded_memory,  // to memory that is not to be accessed so
  no_address,      // to none that a program can have
  stack_full,
  stack_overwritten  // in front of its variables
};

inline constexpr int32 kFaultRank = 8;         // indices of one access that are kept
inline constexpr int32 kFaultChars = 128;      // of a condition, or a type, with its NUL
inline constexpr int64 kPrintBytes = 1 << 18;  // what one launch may print

// Where in the loop or the grid a body ran. -1: it has no such number.
struct FaultPlace {
  int64 item;
  int32 block[3];
  int32 thread[3];
};

struct Fault {
  FaultKind kind;
  int32 argument;  // of the kernel, inputs before outputs
  int32 rank;
  int32 bits;                // of the integer that was shifted; of a crash the signal
  int64 index[kFaultRank];   // of the access; [0]: that of an array, the dividend, by how much was shifted, a status, an
                             // address, or the bytes of shared memory that are asked for; [1]: a CrashKind
  int64 extent[kFaultRank];  // of the view, or the std::array; of shared memory the bytes that are left
  float64 value;             // what was converted
  FaultPlace place;
  int32 line;
  int32 column;
  char file[kFaultChars];  // "/" or "%" in text: the operator
  char text[kFaultChars];  // of an array its type, of a std::array none, of a race the name of what is no argument
  char to[kFaultChars];    // the type that was converted to, or of a race the file of the other access
  // Of a race: what the two do (0: read, 1: write, 2: update), and the other's thread and line. Of a barrier: who is missing.
  int32 use;
  int32 other_use;
  FaultPlace other;
  int32 other_line;
  int32 other_column;
};

// One print(): behind it its values, and the format.
struct PrintRecord {
  uint32 bytes;  // of all of it, a multiple of 8; 0: there was no room, here and behind
  uint32 values;
  FaultPlace place;
  uint32 format_bytes;
  uint32 padding;
};
enum class PrintKind : uint32 { boolean, integer, natural, single, real, complex_single, complex_real };
struct PrintValue {
  PrintKind kind;
  uint32 padding;
  uint64 bits[2];  // a number's, or of both parts
};

// All zeros before a launch. Exported as kiln_faults; the host reads it after the launch and clears what it read.
struct FaultBuffer {
  uint32 claimed;  // 1: a thread has the first fault. The emulator reads it here
  uint32 count;    // of all faults
  uint32 stop;     // 1, by the host: loops of bodies are to end; 2: one did (lib/clang/passes/stoppable_loops.cpp)
  uint32 dropped;  // prints without room
  uint64 printed;  // bytes that prints asked for
  Fault first;
  // What faulting accesses read, and what they write.
  alignas(16) unsigned char zeros[16];
  alignas(16) unsigned char sink[16];
  alignas(16) unsigned char prints[kPrintBytes];
};

}  // namespace kiln::kinds
