// From a kernel's text to loaded machine code: memory, then disk, then the compiler, one compile per key however many ask.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "codegen/spec.hpp"

namespace kiln::program {

enum class Origin : std::uint8_t { memory, disk, compiled };

/// What is to be built. Texts are the definition's; headers are resolved here.
struct Request {
  const codegen::UserText* text = nullptr;
  const codegen::ElementwiseSpec* spec = nullptr;
  const std::map<std::string, std::string>* headers = nullptr;
  const std::vector<std::string>* include_dirs = nullptr;
  const std::vector<std::string>* defines = nullptr;
  bool contract = false;
  bool fast_math = false;
  std::string signature;  // of the loop, for messages and the entry
};

struct Code {
  std::string bytes;
  Origin origin = Origin::compiled;
  double compile_ms = 0;
};

/// Machine code from disk or the compiler, without loading it. Throws CompileError.
Code build(const Request& request, const backend::Compiler& compiler);

/// The loaded kernel; the same module for the same key and device.
std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend);

/// Counts since the process started, for tests and tools.
struct Counts {
  std::uint64_t memory_hits, disk_hits, compiles;
  double compile_ms;
};
Counts counts() noexcept;

}  // namespace kiln::program
