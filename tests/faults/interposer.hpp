// A disk that fails on demand: a library that stands before libc's file functions and lets the n-th call on files below a
// folder fail. A program links it, or is run with it in LD_PRELOAD and KILN_FAULT="FOLDER:N:ERRNO" (":on": that one and all
// that follow).
#pragma once

namespace kiln::faults {

enum class Kind : int {
  error,         ///< that call fails with errno
  error_onward,  ///< so do all that follow
  half,          ///< that read or write moves half the bytes
  nfs,           ///< each n-th open or read is ESTALE, and flock() fails with errno unless that is 0
};

struct Fault {
  const char* name;  ///< for messages: "EIO"
  int code;          ///< errno
  Kind kind;
};

/// Counts calls on files below `folder` (absolute, without links) from one; the n-th is struck, 0: none. Null: no calls any
/// more, and those so far are still counted.
__attribute__((visibility("default"))) void watch(const char* folder, int n = 0, const Fault& fault = {"", 0, Kind::error});
/// Calls since the last watch() of a folder.
__attribute__((visibility("default"))) int calls() noexcept;
/// How many of them Kind::nfs let fail.
__attribute__((visibility("default"))) int strikes() noexcept;
/// What the n-th was: "openat"; "" where there was none.
__attribute__((visibility("default"))) const char* call_name(int n) noexcept;
/// The errno that it failed with of itself, 0 where it did not.
__attribute__((visibility("default"))) int call_error(int n) noexcept;

}  // namespace kiln::faults
