// Manifests: which kernels a program uses, as a JSON file, to compile them ahead of time (docs/manifest.md has the format).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

namespace detail {
class ManifestImpl;
}

/// One kernel of a manifest for one target.
struct ManifestKernel {
  std::string kernel;     ///< name
  std::string signature;  ///< of the loop
  std::string variant;    ///< for people: "contiguous", "reduce (block)", …; empty where its source cannot be made
  std::string target;     ///< as asked for: "sm_90", "native"
  std::string key;        ///< canonical JSON, for Cache::explain()
  std::string where;      ///< its place in the manifest: "/kernels/3/calls/0"
};

/// What became of it.
struct ManifestOutcome {
  /// What was done.
  enum class State {
    found,                 ///< the cache had it
    compiled,              ///< it was compiled now
    failed,                ///< it does not compile, or something else went wrong: see error
  } state = State::found;  ///< exactly one of the three
  double compile_ms = 0;   ///< what compiling took, also of one that was found, when it was made; 0 where that is not known
  bool kept = true;   ///< false where it was compiled and could not be put into the cache's directory; the cache's log says why
  std::string error;  ///< of one that failed: the message; of a kernel that does not compile, the formatted diagnostics
};

/// An immutable value; copies are cheap. Safe from any thread.
class KILN_API Manifest {
 public:
  /// IoError for a file that cannot be read; CacheError for one that is no manifest, with its JSON path:
  /// `m.json: /kernels/0/signatures/1: unknown type "float31"`.
  [[nodiscard]] static Manifest read(const std::string& path);
  /// The same of a text; `name` stands for the file in messages.
  [[nodiscard]] static Manifest parse(std::string_view text, const std::string& name = "manifest");
  /// The JSON text that parse() reads: sorted, indented, the same for the same kernels.
  [[nodiscard]] std::string text() const;

  /// Every kernel for a target: what its calls load, in the manifest's order, then, with `other_sizes`, what calls of the same
  /// loops with other sizes and alignments may load. Nothing is compiled, but a compiler is opened for its version. DeviceError
  /// for an unknown target or a missing compiler; IoError for a header that is not found.
  [[nodiscard]] std::vector<ManifestKernel> kernels(std::string_view target, bool other_sizes = true) const;

  /// How many kernels that target has; throws as kernels() does, but for a header that is not found.
  [[nodiscard]] std::size_t count(std::string_view target, bool other_sizes = true) const;

  /// Options of compile(). Every member has a default.
  struct CompileOptions {
    int jobs = 0;      ///< compiles at a time; 0: one for each CPU this process may use
    Cache cache = {};  ///< where kernels are looked for and kept
    /// Beside what the calls load, what calls of the same loops with arrays of other sizes and alignments may load.
    bool other_sizes = true;
    /// Called after each kernel, from several threads but one at a time; false starts no other. Those that
    /// are being compiled then are reported too.
    std::function<bool(const ManifestKernel&, const ManifestOutcome&)> progress = {};
  };
  /// How many kernels came to which end.
  struct CompileReport {
    std::size_t found = 0;     ///< that the cache had
    std::size_t compiled = 0;  ///< that were compiled
    std::size_t failed = 0;    ///< that could not be
    std::size_t not_kept = 0;  ///< of those that were compiled, that the cache's directory does not have
  };
  /// Compiles what the cache does not have, for every target, and returns when all is done. A kernel that fails does not stop
  /// the others. DeviceError for an unknown target or a missing compiler: nothing has been compiled then. What `progress`
  /// throws is thrown once the kernels that are being compiled are done.
  CompileReport compile(const std::vector<std::string>& targets, const CompileOptions& options) const;

  /// For the library itself.
  explicit Manifest(std::shared_ptr<const detail::ManifestImpl> impl) noexcept;

 private:
  std::shared_ptr<const detail::ManifestImpl> impl_;
};

}  // namespace kiln
