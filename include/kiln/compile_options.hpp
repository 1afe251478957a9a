// Options for the compilation of a definition's texts: the member `.compile` of every definition.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kiln/cache_handle.hpp"
#include "kiln/debug.hpp"
#include "kiln/device_code.hpp"

namespace kiln {

/// The texts around a kernel's body and the options of its compile: `.compile = {.functions = "…", .fast_math = true}`. Every
/// member has a default. Members are to be named: designated initializers in this order.
///
/// A plain value; a definition holds a copy. All of it but `time_limit`, `constant_variants` and `cache` is part of the cache
/// key: kernels that differ in it are compiled separately.
///
/// Texts are checked when the definition is made. Unclosed brackets, quotes and comments throw CompileError there. An error
/// that a compiler finds throws CompileError from the first call that needs the kernel. Its diagnostics show the body under the
/// kernel's name, and these texts as "NAME.preamble", "NAME.functions" and "NAME.defines".
struct CompileOptions {
  /// C++ text before the functions and the body: constants, macros, `#include`s. A computed `#include`, `#include_next`,
  /// `__DATE__` and `__TIME__` are errors, because the cache cannot know their values.
  std::string preamble = {};
  /// C++ functions and types that the body uses, for every device. They need no `__device__`, which is accepted. They see the
  /// preamble and the signature's type variables.
  std::string functions = {};
  /// Files for `#include "name"`: a map from name to text. They take precedence over any file of that name.
  std::map<std::string, std::string> headers = {};
  /// Folders searched, in this order, for `#include`s that `headers` does not have. Relative folders start at the process's
  /// working directory. A name in quotes is looked up first in the folder of the file that includes it.
  ///
  /// Files are read at each first use of a kernel, and their text is in the key. No file outside these folders is read. An
  /// absolute name, or one with "..", that leads elsewhere throws CompileError; symbolic links inside are followed.
  ///
  /// A missing file throws IoError, unless it is in a branch of #if, which the compiler may skip. Headers of the standard
  /// library in kernels are kiln's own.
  std::vector<std::string> include_dirs = {};
  /// Macros for these texts, defined before the preamble: "NAME", "NAME=VALUE" or "NAME(a, b)=VALUE". A text that is not a
  /// macro, or has several lines, throws SignatureError.
  std::vector<std::string> defines = {};
  /// Allows the contraction of `a * b + c` to a fused multiply-add, which rounds once. Results may then differ in the last bit
  /// between devices.
  bool contract = false;
  /// Allows reordering, approximate functions, contraction, and the assumption that there is neither nan nor infinity. On
  /// NVIDIA GPUs subnormal float32 numbers count as 0. Quotients, roots and functions of float32 have the error bounds of
  /// CUDA's -use_fast_math there.
  bool fast_math = false;
  /// Functions of `<cmath>`, of complex numbers, and those that CUDA has beside them, give the same bits on every device and by
  /// every compiler. They are kiln's own there, made of IEEE operations, and no vendor's library is used (docs/math.md).
  /// Together with `contract` or `fast_math` it throws SignatureError. KILN_SAME_BITS=1 in the environment sets it for every
  /// kernel and turns both of those off.
  bool same_bits = false;
  /// Files of compiled device code whose functions the body calls. `functions` declares these (declare_device(), or
  /// `extern "C"`). One list serves several devices: each takes the files that are for it.
  ///
  /// LTO-IR and bitcode are inlined into the kernel's loop. A kernel has its own copy of a file's contents, static variables
  /// included; shared objects are an exception.
  ///
  /// A file that cannot be read throws IoError. CompileError is thrown for a file that cannot be linked, for a list without a
  /// file for the device, and for undefined symbols.
  std::vector<LinkFile> link = {};
  /// Checks that kernels make while they run; none by default. Calls of kernels with checks wait for the kernel's end.
  /// KILN_DEBUG=1 in the environment turns checks on for every kernel.
  Debug debug = {};
  /// Limit of Clang's processor time for one kernel; zero: the value of KILN_COMPILE_SECONDS. A compile that exceeds it throws
  /// CompileError from the call that needs the kernel. The vendors' compilers have no limit. Not part of the key.
  std::chrono::milliseconds time_limit{0};
  /// Number of values of the signature's `constant` parameters, or of their combinations, that get kernels of their own on each
  /// device. 0: no value does.
  ///
  /// A call with a further value runs the plain kernel, which takes the values as ordinary arguments; warnings() reports that.
  /// A negative number throws SignatureError. Not part of the key.
  int constant_variants = 16;
  /// Cache that machine code is looked up in and stored to; the process's cache by default. Not part of the key.
  Cache cache = {};
};

}  // namespace kiln
