// A compiled kernel as the cache has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/compile_report.hpp"
#include "kiln/export.hpp"

namespace kiln::cache {

/// One stored kernel.
struct Entry {
  std::string id;                ///< hash of the key: 32 hex digits
  std::string kernel;            ///< name of the kernel
  std::string kind;              ///< "ufunc", "gufunc", "reduction" or "kernel"; informative
  std::string signature;         ///< signature of the loop: "float32(float32 a, float32 b)"
  std::string variant;           ///< difference to the loop's other kernels: "contiguous", "reduce (block)"; may be empty
  std::string target;            ///< "sm_90", "gfx90a:xnack-", "x86-64-v3"; the short form for this machine's CPU
  std::string compiler;          ///< "NVRTC 13.0.48"
  std::uint64_t bytes = 0;       ///< size of the file
  std::uint64_t code_bytes = 0;  ///< size of the machine code
  double compile_ms = 0;         ///< time of the compile; 0 for an entry from a bundle
  std::int64_t created = 0;      ///< seconds since 1970; 0 for an entry from a bundle
  std::int64_t used = 0;         ///< last use in seconds since 1970, to about ten minutes; 0 in a bundle
  std::uint64_t hits = 0;        ///< programs that found it in the directory, counted once in about ten minutes
  std::string tier;              ///< directory or bundle that holds the entry
};

/// A launch shape that was measured for a kernel on a device (kiln/tune.hpp). Calls use it if their number of elements is
/// between the same two powers of four.
struct TunedShape {
  std::string device;             ///< "NVIDIA H200, 132 multiprocessors"
  std::string driver;             ///< "CUDA 13.0"
  std::int64_t elements = 0;      ///< elements of the call that was measured
  int block = 0;                  ///< threads of a block
  int accesses = 0;               ///< accesses that a thread has in flight
  double milliseconds = 0;        ///< time of the kernel, median
  double model_milliseconds = 0;  ///< time with the cost model's shape
  bool model = false;             ///< true: the cost model's shape was the best
  std::int64_t measured = 0;      ///< time of the measurement, in seconds since 1970
};

/// An entry and everything that it holds.
struct Contents {
  Entry entry;                         ///< the entry, as in list()
  std::string body;                    ///< the user's text
  std::string key;                     ///< canonical JSON: everything that decided the machine code
  std::string source;                  ///< the whole translation unit, from the key
  std::string code;                    ///< machine code: cubin, code object or ELF object
  CompileReport report = {};           ///< the compiler's report on it
  std::vector<TunedShape> tuned = {};  ///< shapes for all devices, absent ones included
};

}  // namespace kiln::cache
