// How the texts of a definition are compiled: the member `.compile` of every definition.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kiln/cache.hpp"
#include "kiln/debug.hpp"
#include "kiln/device_code.hpp"

namespace kiln {

/// What stands beside a kernel's body, and how all of it is compiled: `.compile = {.functions = "…", .fast_math = true}`. Every
/// member has a default. Members are to be named: designated initializers in this order.
///
/// A plain value; a definition that was made has a copy. All of it but `time_limit`, `constant_variants` and `cache` is part of
/// the cache key: kernels that differ in it are compiled each for itself. Texts are checked when the definition is made:
/// brackets, quotes and comments that do not close are a CompileError there. What a compiler finds is a CompileError of the
/// first call that needs the kernel; its diagnostics show these texts as "NAME.preamble", "NAME.functions" and "NAME.defines",
/// after the kernel's name.
struct CompileOptions {
  /// C++ text before the functions and the body: constants, macros, `#include`s. A computed `#include`, `#include_next`,
  /// `__DATE__` and `__TIME__` are errors, as the cache could not know what they stand for.
  std::string preamble = {};
  /// C++ functions and types that the body uses, for every device: they need no `__device__`, which is accepted. They see the
  /// preamble, and the signature's type variables.
  std::string functions = {};
  /// Files for `#include "name"`: name to text. They come before any file of that name.
  std::map<std::string, std::string> headers = {};
  /// Folders searched for `#include`s that `headers` has not, in this order; relative ones from the process's working
  /// directory. A name in quotes is looked for beside the file that includes it first. What is found is read at each first use
  /// of a kernel, and its text is in the key. No file outside is read: an absolute name, or one with "..", that leads elsewhere
  /// is a CompileError; a symbolic link inside is followed. A file that is not found is an IoError, unless it stands in a
  /// branch of #if, which the compiler may leave out. Headers of the standard library that kernels use are kiln's own.
  std::vector<std::string> include_dirs = {};
  /// Macros for these texts, before the preamble: "NAME", "NAME=VALUE" or "NAME(a, b)=VALUE". SignatureError for one that names
  /// no macro or has several lines.
  std::vector<std::string> defines = {};
  /// Lets `a * b + c` be rounded once, as a fused multiply-add. Results may then differ in the last bit between devices.
  bool contract = false;
  /// Allows reordering, approximate functions, contraction, and the assumption that there is no nan and no infinity. On
  /// NVIDIA's GPUs float32's subnormal numbers count as 0, and its quotients, roots and functions have CUDA's bounds of
  /// -use_fast_math.
  bool fast_math = false;
  /// Files of compiled device code whose functions the body calls, declared in `functions` (by declare_device(), or as
  /// `extern "C"`). One list for several devices: each takes the files that are for it. LTO-IR and bitcode are inlined into the
  /// kernel's loop. A kernel has a copy of its own of what a file holds, static variables included, but for shared objects.
  /// IoError for a file that cannot be read; CompileError for one that cannot be linked, where none is for the device, and for
  /// what stays undefined.
  std::vector<LinkFile> link = {};
  /// What kernels check while they run, which makes calls wait for their end: nothing by default. KILN_DEBUG=1 in the
  /// environment turns it on for every kernel.
  Debug debug = {};
  /// How long Clang may compile a kernel, of the processor's time; zero: as KILN_COMPILE_SECONDS says. A compile that takes
  /// longer is a CompileError of the call that needs the kernel. The vendors' compilers have no limit. Not part of the key.
  std::chrono::milliseconds time_limit{0};
  /// How many values of the signature's `constant` parameters have kernels of their own, on each device; of several such
  /// parameters, how many combinations. A call with a further value runs the plain kernel, which takes them as ordinary
  /// arguments, and warnings() says so. 0: all calls run that. SignatureError where negative. Not part of the key.
  int constant_variants = 16;
  /// Where the machine code is looked for and kept: the process's cache by default. Not part of the key.
  Cache cache = {};
};

}  // namespace kiln
