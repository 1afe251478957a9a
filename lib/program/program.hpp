// From a kernel's text to loaded machine code: memory, then disk, then the compiler, one compile per key however many ask.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "codegen/spec.hpp"
#include "kiln/cache.hpp"
#include "program/warnings.hpp"

namespace kiln::program {

/// Where machine code came from: "disk" is the cache's directory, "read_only" one of the tiers behind it.
enum class Origin : std::uint8_t { memory, disk, read_only, compiled };

/// What is to be built. Texts are the definition's; headers are resolved here.
struct Request {
  const codegen::UserText* text = nullptr;
  const codegen::KernelSpec* spec = nullptr;
  const std::map<std::string, std::string>* headers = nullptr;
  const std::vector<std::string>* include_dirs = nullptr;
  bool contract = false;
  bool fast_math = false;
  std::string signature;         // of the loop, for messages and the entry
  std::string kind = "ufunc";    // for the entry
  const Cache* cache = nullptr;  // null: the process's
  Warnings* warnings = nullptr;  // gets what is found in the texts
};

/// Of a definition of any kind and the texts of one of its kernels; refers to all of them.
template <class Definition>
Request request_for(const Definition& definition, const codegen::UserText& text, const codegen::KernelSpec& spec,
                    std::string signature, const char* kind, Warnings& warnings) {
  Request request;
  request.text = &text;
  request.spec = &spec;
  request.headers = &definition.headers;
  request.include_dirs = &definition.include_dirs;
  request.contract = definition.contract;
  request.fast_math = definition.fast_math;
  request.signature = std::move(signature);
  request.kind = kind;
  request.cache = &definition.cache;
  request.warnings = &warnings;
  return request;
}

struct Code {
  std::shared_ptr<const std::string> image;  ///< machine code; never null in what is returned
  Origin origin = Origin::compiled;
  double compile_ms = 0;                                              ///< what it took to compile, whenever that was
  bool kept = true;                                                   ///< of compiled code: on the disk as well
  std::shared_ptr<const std::vector<Diagnostic>> warnings = nullptr;  ///< of the user's texts; null: none

  [[nodiscard]] const std::string& bytes() const noexcept { return *image; }
};

/// Machine code from the cache or the compiler, without loading it. Throws CompileError.
Code build(const Request& request, const backend::Compiler& compiler);

/// The kernel as an entry that the cache would list, compiled or found. Throws CompileError.
cache::Contents compiled(const Request& request, const backend::Compiler& compiler);

/// The loaded kernel; the same module for the same key, device and cache, as long as someone holds it or the cache has room for
/// it.
std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend);

}  // namespace kiln::program
