// Manifests: the kernels that a program uses, as a JSON file, to compile them ahead of time (docs/manifest.md has the format).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/cache_handle.hpp"
#include "kiln/export.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

namespace detail {
class ManifestImpl;
}

/// One kernel of a manifest for one target.
struct ManifestKernel {
  std::string kernel;     ///< name of the kernel
  std::string signature;  ///< signature of the loop
  std::string variant;    ///< "contiguous", "reduce (block)", …; informative, empty if the source cannot be made
  std::string target;     ///< target as requested: "sm_90", "native"
  std::string key;        ///< canonical JSON, for Cache::explain()
  std::string where;      ///< place in the manifest: "/kernels/3/calls/0"
};

/// Result of a compile of one kernel.
struct ManifestOutcome {
  /// Kind of the result.
  enum class State {
    found,                 ///< the cache had the kernel
    compiled,              ///< the kernel was compiled now
    failed,                ///< the kernel does not compile, or another error occurred: see error
  } state = State::found;  ///< exactly one of the three
  double compile_ms = 0;   ///< Time of the compile, also of an earlier one for a kernel that was found; 0 if it is not known.
  /// False for a compiled kernel that could not be stored in the cache's directory. The cache's log has the reason.
  bool kept = true;
  /// Message of a failure. For a kernel that does not compile it is the formatted diagnostics.
  std::string error;
};

/// An immutable value; copies are cheap. Safe from any thread.
class KILN_API Manifest {
 public:
  /// Reads a manifest from a file. Throws IoError for a file that cannot be read. Throws CacheError, with the JSON path, for a
  /// file that is not a manifest: `m.json: /kernels/0/signatures/1: unknown type "float31"`.
  [[nodiscard]] static Manifest read(const std::string& path);
  /// Parses a manifest from a text; `name` stands for the file in messages. Throws CacheError by the rules of read().
  [[nodiscard]] static Manifest parse(std::string_view text, const std::string& name = "manifest");
  /// Returns the JSON text that parse() reads: sorted, indented, the same for the same kernels.
  [[nodiscard]] std::string text() const;

  /// Returns every kernel for a target: first the kernels that its calls load, in the manifest's order. `other_sizes` adds the
  /// kernels that calls of the same loops with other sizes and alignments may load.
  ///
  /// Nothing is compiled, but a compiler is opened for its version. Throws DeviceError for an unknown target or a missing
  /// compiler, IoError for a missing header.
  [[nodiscard]] std::vector<ManifestKernel> kernels(std::string_view target, bool other_sizes = true) const;

  /// Returns the number of kernels for that target. Throws the exceptions of kernels(), except for a missing header.
  [[nodiscard]] std::size_t count(std::string_view target, bool other_sizes = true) const;

  /// Options of compile(). Every member has a default.
  struct CompileOptions {
    int jobs = 0;      ///< number of concurrent compiles; 0: one for each CPU that this process may use
    Cache cache = {};  ///< cache that kernels are looked up in and stored to
    /// Adds the kernels that calls of the same loops may load for arrays of other sizes and alignments.
    bool other_sizes = true;
    /// Callback, called after each kernel from several threads, but one at a time. If it returns false, no other compile
    /// starts; running ones are still reported.
    std::function<bool(const ManifestKernel&, const ManifestOutcome&)> progress = {};
  };
  /// Counts of kernels by result.
  struct CompileReport {
    std::size_t found = 0;     ///< kernels that the cache had
    std::size_t compiled = 0;  ///< kernels that were compiled
    std::size_t failed = 0;    ///< kernels that failed
    std::size_t not_kept = 0;  ///< compiled kernels that the cache's directory does not have
  };
  /// Compiles the kernels that the cache does not have, for every target, and returns when all are done. A kernel that fails
  /// does not stop the others.
  ///
  /// Throws DeviceError for an unknown target or a missing compiler, before anything is compiled. An exception of `progress` is
  /// rethrown after the running compiles.
  CompileReport compile(const std::vector<std::string>& targets, const CompileOptions& options) const;

  /// Constructor for the library's own use.
  explicit Manifest(std::shared_ptr<const detail::ManifestImpl> impl) noexcept;
  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<const detail::ManifestImpl>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<const detail::ManifestImpl> impl_;
};

}  // namespace kiln
