// Tells gdb, by its interface for compilers at run time, and where KILN_PERF_MAP asks for it perf, which kernels lie where.
#pragma once

#include <memory>
#include <string>

#include "device/cpu/symbol_file.hpp"

namespace kiln::backend::cpu {

/// Whether KILN_PERF_MAP is 1.
[[nodiscard]] bool perf_map_is_wanted();

/// The names of one kernel's code, published as long as it lives. Thread-safe. Callers hold a ForkGate.
class CodeNames {
 public:
  CodeNames(const std::string& kernel, const CodeSymbols& symbols, bool in_perf_map = perf_map_is_wanted());
  ~CodeNames();
  CodeNames(const CodeNames&) = delete;
  CodeNames& operator=(const CodeNames&) = delete;

 private:
  struct Entry;
  std::unique_ptr<Entry> entry_;
};

}  // namespace kiln::backend::cpu
