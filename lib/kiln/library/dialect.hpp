// What differs between CUDA and HIP besides the names of their calls, as data. The one implementation reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/device.hpp"

namespace kiln::backend::gpu {

/// Where a vendor's library is looked for.
struct LibrarySearch {
  const char* variable;                  ///< environment variable that names a file outright
  std::span<const char* const> sonames;  ///< newest first
  std::span<const char* const> home_variables;
  std::span<const char* const> homes;    ///< where the vendor's installer puts it
  std::span<const char* const> folders;  ///< below a home
  /// Below a folder of Python's packages (python_packages.hpp): where pip puts it.
  std::span<const char* const> packages;
  /// Drivers: the loader's choice first, as it may be in the process already, and two of them do not get on. Compilers: files
  /// first, whose version is read without loading them.
  bool loader_first;
};

/// A vendor's program that disassembles a file; found in PATH and in the `bin` folder of the compiler library's homes.
struct DisassemblerProgram {
  const char* name;
  std::span<const char* const> arguments;  ///< before the file
};

/// Numbers of device attributes. Those of y and z follow x's.
struct AttributeNumbers {
  int multiprocessors, threads_per_multiprocessor, warp_size, threads_per_block, block_x, grid_x, shared_per_block,
      shared_per_block_on_request, l2_bytes, memory_pools;
  int capability_major, capability_minor;
};

enum class ContextModel { primary_context, set_device };

struct Dialect {
  DeviceKind kind;
  const char* prefix;         ///< of device names: "cuda" in "cuda:0"
  const char* runtime;        ///< "CUDA"
  const char* compiler;       ///< "NVRTC"
  const char* driver_advice;  ///< ends the error for a missing driver
  const char* compiler_advice;
  LibrarySearch driver;
  LibrarySearch compiler_library;
  const char* fft;         ///< "cuFFT"
  const char* fft_prefix;  ///< of its statuses' names: "CUFFT_"
  const char* fft_advice;
  LibrarySearch fft_library;
  bool names_by_argument;  ///< the error-text getter writes to an argument (else it returns the text)
  ContextModel context;
  AttributeNumbers attribute;
  std::int64_t max_dispatch_threads;  ///< along an axis; 0: as many as blocks allow
  int minimum_compiler;               ///< major * 100 + minor: kernels are C++20
  bool compiler_locks;                ///< the compiler is not re-entrant: one compile at a time
  bool driver_limits_compiler;        ///< a compiler of a newer major than the driver's makes code that the driver refuses
  const char* report_option;          ///< makes the compiler's log tell of spills; empty: the machine code does
  std::span<const DisassemblerProgram> disassemblers;  ///< best first; none: LLVM's is used
  const char* disassembler_advice;
  bool tries_pools;             ///< memory pools may be there in name alone
  bool ends_with_exit;          ///< the runtime is gone before objects in static storage are
  unsigned register_read_only;  ///< flag that page-locks memory which the process cannot write; 0: there is none
  bool load_log;                ///< loading a module can tell what its JIT compiler could not do

  std::span<const char* const> option_variables;  ///< environment variables whose text the compiler adds to its options
};

/// How many vendors there are, and the number of one: what is kept for each stands in arrays.
inline constexpr std::size_t kVendors = 2;
[[nodiscard]] std::size_t vendor_number(DeviceKind kind) noexcept;

[[nodiscard]] const Dialect& dialect_of(DeviceKind kind);

}  // namespace kiln::backend::gpu
