// The way from a kernel's text to loaded machine code: memory, then disk, then the compiler. There is one compile per key,
// whatever the number of callers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "kernel/source.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/compile_report.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/profile.hpp"
#include "program/warnings.hpp"
#include "types/arithmetic.hpp"

namespace kiln::program {

/// Origin of machine code.
using Origin = KernelOrigin;
/// Origin of a loaded module.
struct History {
  Origin origin = Origin::compiled;
  std::optional<CompileStages> stages = std::nullopt;  ///< stages of a compile for this load
};

/// A kernel to build. Owns its texts.
struct Request {
  kinds::Source source;
  Arithmetic arithmetic = {};
  std::vector<backend::LinkPart> link = {};  ///< parts of .compile.link for all devices
  bool debug = false;
  std::chrono::milliseconds time_limit{0};  ///< limit of a compile; zero: the process's
  Cache cache = {};                         ///< cache for the kernel; the process's by default
  Warnings* warnings = nullptr;             ///< receives warnings about the texts; outlives the request
};

/// Returns a kernel for a target, rendered and with its includes resolved. Throws CompileError and IoError by the rules of
/// kinds::make_source().
[[nodiscard]] Request make_request(const CompileOptions& options, const codegen::UserText& text, const kinds::KernelSpec& spec,
                                   DeviceKind target, std::string signature, const char* kind, Warnings& warnings);

/// A planned call: its loop, and the requests that it would load, if they were asked for. Requests of calls with other sizes
/// and alignments follow.
struct Planned {
  std::string loop;
  std::vector<Request> requests = {};
};

struct Code {
  std::shared_ptr<const std::string> image;  ///< machine code; not null in results
  Origin origin = Origin::compiled;
  double compile_ms = 0;                                              ///< time of the compile, past or present
  bool kept = true;                                                   ///< false: compiled code that is not on the disk
  std::shared_ptr<const std::vector<Diagnostic>> warnings = nullptr;  ///< warnings about the user's texts; null: none
  CompileReport report = {};                                          ///< the compiler's report on the code
  std::optional<CompileStages> stages = std::nullopt;                 ///< stages of a compile for this caller

  [[nodiscard]] const std::string& bytes() const noexcept { return *image; }
};

/// Returns machine code from the cache or the compiler, without loading it. Throws CompileError.
Code build(const Request& request, const backend::Compiler& compiler);

/// Returns the kernel as an entry that the cache would list, compiled or found. Throws CompileError.
cache::Contents compiled(const Request& request, const backend::Compiler& compiler);

/// Returns the request's code as functions for other linkers, without caching it. Throws CompileError, and TypeError for a form
/// that the compiler does not make.
std::string device_code(Request request, const backend::Compiler& compiler, DeviceCodeForm form);

/// Returns the loaded kernel. The module is the same for the same key, device and cache while someone holds it or the cache has
/// room.
std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend);

/// One of several kernels, each of which can do the work of a call.
struct Loaded {
  std::shared_ptr<backend::Module> module;
  std::size_t which = 0;
};
/// Loads the first of `count` requests. If no compiler is available, loads the first other one that a cache has. If no cache
/// has any, throws DeviceError with the kernel's name and each cache's reason. Calls `request` for no more requests than
/// necessary.
Loaded load_any(std::size_t count, const std::function<Request(std::size_t)>& request, backend::Backend& backend);

}  // namespace kiln::program
