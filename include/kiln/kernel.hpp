// Raw kernels from C++ strings: a body is the work of one thread, and the caller chooses the grid, like CUDA's kernels and
// CuPy's RawKernel. docs/raw-kernels.md lists the names available to a body. kiln::vectorize() is simpler for elementwise work.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/cache_entry.hpp"
#include "kiln/callable.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/device.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/export.hpp"
#include "kiln/resolution.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// A raw kernel's definition. Members are to be named: designated initializers in this order.
struct RawKernelDefinition {
  std::string name = {};        ///< a C++ identifier; shown in errors
  std::string signature = {};   ///< "void(const float32[:] x, float32[:,:] y, int64* p, float32 a)"
  std::string body = {};        ///< C++ statements
  CompileOptions compile = {};  ///< texts beside the body, and the options of the compile
};

/// Extents along three axes, in blocks of a grid or threads of a block; x varies fastest. An extent is an integer of any type.
struct Extent3 {
  /// Constructs the extent 1 along each axis.
  constexpr Extent3() noexcept = default;
  /// Constructs extents. Omitted axes are 1.
  template <std::convertible_to<Integer> X, std::convertible_to<Integer> Y = int, std::convertible_to<Integer> Z = int>
  constexpr Extent3(X along_x, Y along_y = 1, Z along_z = 1) noexcept  // NOLINT(google-explicit-constructor): .block = 128
      : x(Integer(along_x).value), y(Integer(along_y).value), z(Integer(along_z).value) {}
  std::int64_t x = 1;  ///< extent along x
  std::int64_t y = 1;  ///< extent along y
  std::int64_t z = 1;  ///< extent along z
  /// Compares the extents.
  friend bool operator==(const Extent3&, const Extent3&) = default;
};

/// Launch of a raw kernel: `.size`, or `.grid` and `.block`.
struct LaunchOptions {
  Extent3 grid = {0, 0, 0};   ///< blocks of the grid; the default means that none is given
  Extent3 block = {1, 1, 1};  ///< threads of each block
  /// Number of items: the body runs once for each of [0, size), on a grid of kiln's.
  std::optional<std::int64_t> size = std::nullopt;
  std::int64_t shared_bytes = 0;                ///< dynamic shared memory of each block in bytes; requires .grid
  Stream stream = {};                           ///< stream that the launch is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the launch; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

class ConfiguredKernel;

/// An immutable, shareable kernel; launches from several threads are safe. Copies share the definition and its compiled
/// variants.
class KILN_API RawKernel {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  RawKernel() noexcept = default;
  /// Returns true if the handle names a kernel.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  /// Launches the kernel. On a GPU the call returns once the work is queued. Arrays without a device are copied to the device,
  /// and fetched if the kernel may have written them; the call waits for that.
  ///
  /// Arguments match the signature's parameters:
  /// - An array has exactly its parameter's dtype.
  /// - A view ("float32[:,:] A") takes an array of as many dimensions, with any strides, in place.
  /// - A pointer ("float32* p") takes a C-contiguous array of any number of dimensions.
  /// - A scalar converts by the rules of ufuncs, to a dtype of its kind or a higher one that can represent its value.
  ///
  /// Throws TypeError, ShapeError, DeviceError, CompileError or IoError (a missing header). The kernel has not been launched
  /// then.
  ///
  /// Throws Stopped if .stop or .timeout ended the launch. On a GPU such a launch waits for the kernel's end.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  void operator()(const LaunchOptions& options, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> list{Arg(args)...};
    launch(options, list);
  }
  /// Launches the kernel with a number of arguments known at run time.
  void launch(const LaunchOptions& options, std::span<const Arg> args) const;

  /// Returns the kernel with its launch configured, like Numba's kernel[grid, block, stream, shared_bytes].
  /// `k.configure(grid, block)(x, y)` is `k({.grid = grid, .block = block}, x, y)`.
  ///
  /// `grid` is in blocks, `block` in threads; `shared_bytes` is the dynamic shared memory of each block. Runs and checks
  /// nothing; the call of the result does.
  [[nodiscard]] ConfiguredKernel configure(const Extent3& grid, const Extent3& block = {}, Stream stream = {},
                                           std::int64_t shared_bytes = 0) const;
  /// Returns the kernel with a number of items, like Numba's kernel.forall(n): `k.forall(n)(x, y)` is `k({.size = n}, x, y)`.
  /// The body runs once for each item, so it needs no bounds check. Runs and checks nothing.
  [[nodiscard]] ConfiguredKernel forall(std::int64_t size, Stream stream = {}) const;

  /// Returns the plan of a launch, without compiling anything. The device is Device::best() if no array has a device and there
  /// is no stream. Throws the exceptions that the launch would throw for its arguments.
  [[nodiscard]] Resolution resolve(const LaunchOptions& options, std::span<const Arg> args) const;
  /// Returns the plan of a launch with these arguments.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  [[nodiscard]] Resolution resolve(const LaunchOptions& options, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> list{Arg(args)...};
    return resolve(options, std::span<const Arg>(list));
  }

  /// Returns the kernel that the launch would run, compiled or from the cache, for kiln::inspect. Runs nothing. Throws the
  /// exceptions of the launch.
  [[nodiscard]] cache::Contents compiled(const LaunchOptions& options, std::span<const Arg> args) const;
  /// Returns the kernel that a launch with these arguments would run.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  [[nodiscard]] cache::Contents compiled(const LaunchOptions& options, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> list{Arg(args)...};
    return compiled(options, std::span<const Arg>(list));
  }

  /// Compiles the kernel ahead of time, in the form that the names in its body imply. It compiles for every dtype that the
  /// signature fixes, and for arrays that are contiguous along their last dimension.
  ///
  /// Returns the number of kernels. Throws CompileError, DeviceError for an unknown target, and TypeError for a type variable
  /// without a restriction.
  int compile(std::string_view target) const;  // NOLINT(modernize-use-nodiscard)

  /// Returns warnings about suspicious texts that compile, each once. The definition gives those that kiln finds on every
  /// device: `1/2 * a`, `1 < a < 3`, `0.1 * a` of float32.
  ///
  /// A compiler's warnings follow for each kernel that was needed so far, also for kernels from the cache. The log callback
  /// (cache::set_log) gets a line for each.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// Returns the definition's name.
  [[nodiscard]] const std::string& name() const;
  /// Returns the signature, unmodified.
  [[nodiscard]] const std::string& signature() const;

  /// Constructor for the library's own use.
  explicit RawKernel(std::shared_ptr<const detail::RawKernelImpl> impl) noexcept : impl_(std::move(impl)) {}
  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<const detail::RawKernelImpl>& impl() const { return impl_.get(); }

 private:
  detail::Shared<detail::RawKernelImpl> impl_;
};

/// A kernel and its launch configuration: a call takes the arguments alone. RawKernel::configure() and forall() make one.
/// Immutable; calls from several threads are safe. It holds the kernel's definition and the stream.
class ConfiguredKernel {
 public:
  /// Constructs a configuration of that kernel with these options.
  ConfiguredKernel(RawKernel kernel, LaunchOptions options) : kernel_(std::move(kernel)), options_(std::move(options)) {}

  /// Calls `kernel()(options(), args…)`: exceptions and waiting are the same.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  void operator()(const Args&... args) const {
    kernel_(options_, args...);
  }

  /// Returns the kernel.
  [[nodiscard]] const RawKernel& kernel() const noexcept { return kernel_; }
  /// Returns the launch options.
  [[nodiscard]] const LaunchOptions& options() const noexcept { return options_; }

 private:
  RawKernel kernel_;
  LaunchOptions options_;
};

inline ConfiguredKernel RawKernel::configure(const Extent3& grid, const Extent3& block, Stream stream,
                                             std::int64_t shared_bytes) const {
  return {*this, {.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = std::move(stream)}};
}

inline ConfiguredKernel RawKernel::forall(std::int64_t size, Stream stream) const {
  return {*this, {.size = size, .stream = std::move(stream)}};
}

/// Parses and checks a definition; opens nothing. Throws SignatureError for a name that is not a C++ identifier. Throws
/// SignatureError, with the position, for an invalid signature.
///
/// Throws CompileError for unclosed brackets, and for an impossible use of a view or a pointer. Examples are x + 1 of a view,
/// x(i) of a pointer, a wrong number of indices, and an assignment to a const one.
[[nodiscard]] KILN_API RawKernel kernel(RawKernelDefinition definition);

}  // namespace kiln
