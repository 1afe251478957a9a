// From a kernel's text to loaded machine code: memory, then disk, then the compiler, one compile per key however many ask.
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
#include "kiln/error.hpp"
#include "kiln/profile.hpp"
#include "program/warnings.hpp"

namespace kiln::program {

/// Where machine code came from.
using Origin = KernelOrigin;

/// What is to be built. Owns its texts.
struct Request {
  kinds::Source source;
  bool contract = false;
  bool fast_math = false;
  std::vector<backend::LinkPart> link = {};  ///< what .compile.link holds, for all devices
  bool debug = false;
  std::chrono::milliseconds time_limit{0};  ///< of a compile; zero: the process's
  Cache cache = {};                         ///< where it is looked for and kept; the process's by default
  Warnings* warnings = nullptr;             ///< gets what is found in the texts; outlives the request
};

/// A kernel for a target: rendered, and its includes resolved. CompileError and IoError as
/// kinds::make_source() says.
[[nodiscard]] Request make_request(const CompileOptions& options, const codegen::UserText& text, const kinds::KernelSpec& spec,
                                   DeviceKind target, std::string signature, const char* kind, Warnings& warnings);

/// A call that was planned: its loop, and if that was asked for what it would load, followed by what calls of the loop with
/// other sizes and alignments may load.
struct Planned {
  std::string loop;
  std::vector<Request> requests = {};
};

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

/// The request's code as functions that others link; not kept. Throws CompileError, and TypeError for a form that the compiler
/// does not make.
std::string device_code(Request request, const backend::Compiler& compiler, DeviceCodeForm form);

/// The loaded kernel; the same module for the same key, device and cache, as long as someone holds it or the cache has room for
/// it.
std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend);

/// One of several kernels, each of which does the work of a call.
struct Loaded {
  std::shared_ptr<backend::Module> module;
  std::size_t which = 0;
};
/// load() of the first of `count` requests. Where nobody can compile it: the first other one that a cache has; and where none
/// has any a DeviceError that names the kernel, and for each cache why it has none. `request` is asked for no more than it
/// takes.
Loaded load_any(std::size_t count, const std::function<Request(std::size_t)>& request, backend::Backend& backend);

}  // namespace kiln::program
