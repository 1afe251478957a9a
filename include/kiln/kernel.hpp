// Raw kernels from C++ strings: what one thread does, with the grid in the caller's hand, as CUDA's kernels and CuPy's
// RawKernel. docs/raw-kernels.md has the names that a body sees. For elementwise work kiln::vectorize() needs none of this.
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
#include "kiln/cache.hpp"
#include "kiln/callable.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/device.hpp"
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// A raw kernel's definition. Members are to be named: designated initializers in this order.
struct RawKernelDefinition {
  std::string name = {};        ///< a C++ identifier; shown in errors
  std::string signature = {};   ///< "void(const float32[:] x, float32[:,:] y, int64* p, float32 a)"
  std::string body = {};        ///< C++ statements
  CompileOptions compile = {};  ///< what stands beside the body, and how all of it is compiled
};

/// Blocks of a grid, or threads of a block, along three axes; x varies fastest. Extents are integers of any type.
struct Extent3 {
  /// One along each axis.
  constexpr Extent3() noexcept = default;
  /// Axes that are left out are 1.
  template <std::convertible_to<Integer> X, std::convertible_to<Integer> Y = int, std::convertible_to<Integer> Z = int>
  constexpr Extent3(X along_x, Y along_y = 1, Z along_z = 1) noexcept  // NOLINT(google-explicit-constructor): .block = 128
      : x(Integer(along_x).value), y(Integer(along_y).value), z(Integer(along_z).value) {}
  std::int64_t x = 1;  ///< along x
  std::int64_t y = 1;  ///< along y
  std::int64_t z = 1;  ///< along z
  /// The same extents.
  friend bool operator==(const Extent3&, const Extent3&) = default;
};

/// How a raw kernel is launched: `.size`, or `.grid` and `.block`.
struct LaunchOptions {
  Extent3 grid = {0, 0, 0};                         ///< blocks; none by default, which is none given
  Extent3 block = {1, 1, 1};                        ///< threads of each
  std::optional<std::int64_t> size = std::nullopt;  ///< runs the body once for each item of [0, size); the grid is kiln's
  std::int64_t shared_bytes = 0;                    ///< dynamic shared memory of each block; with .grid
  Stream stream = {};                               ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

/// What a launch would do; from RawKernel::resolve().
struct RawResolution {
  std::string signature;            ///< with its type variables bound
  std::string form;                 ///< "items", "blocks", "single" (blocks of one thread)
  Device device;                    ///< where it would run
  std::vector<std::string> copies;  ///< arrays that are copied to the device and back; empty as a rule
};

class ConfiguredKernel;

/// An immutable, shareable kernel; launches from several threads are safe. Copies share the definition and its compiled
/// variants.
class KILN_API RawKernel {
 public:
  /// No kernel: valid() is false, and every other use is a TypeError.
  RawKernel() noexcept = default;
  /// Whether the handle names a kernel, or is empty.
  [[nodiscard]] bool valid() const noexcept { return impl_.valid(); }

  /// Launches it. An array has exactly its parameter's dtype. A view ("float32[:,:] A") takes an array of as many dimensions
  /// with any strides, in place; a pointer ("float32* p") one of any dimensions that is contiguous in C order. A scalar
  /// converts as a ufunc's does, to a dtype of its kind or a higher one that holds its value. Arrays without a device are
  /// copied to where it runs, and what it may have written is fetched. On a GPU it returns once the work is queued, but for
  /// such arrays. TypeError, ShapeError, DeviceError, CompileError, IoError (a header that is not found): nothing has been
  /// launched then. Stopped where .stop or .timeout ended the launch; on a GPU such a launch waits for the kernel's end.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  void operator()(const LaunchOptions& options, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> list{Arg(args)...};
    launch(options, list);
  }
  /// The same with a number of arguments known at run time.
  void launch(const LaunchOptions& options, std::span<const Arg> args) const;

  /// The kernel with its launch said, as Numba's kernel[grid, block, stream, shared_bytes]: `k.configure(grid, block)(x, y)`
  /// is `k({.grid = grid, .block = block}, x, y)`. `grid` in blocks, `block` in threads, `shared_bytes` of dynamic shared
  /// memory for each block. Runs nothing, and checks nothing: the call of what it gives does.
  [[nodiscard]] ConfiguredKernel configure(const Extent3& grid, const Extent3& block = {}, Stream stream = {},
                                           std::int64_t shared_bytes = 0) const;
  /// The kernel with a number of items, as Numba's kernel.forall(n): `k.forall(n)(x, y)` is `k({.size = n}, x, y)`. The body
  /// runs once for each item, so that it needs no bounds check. Runs nothing, and checks nothing.
  [[nodiscard]] ConfiguredKernel forall(std::int64_t size, Stream stream = {}) const;

  /// What such a launch would do; throws what it would throw for its arguments. Compiles nothing. Without arrays on a device
  /// and a stream it asks for Device::best().
  [[nodiscard]] RawResolution resolve(const LaunchOptions& options, std::span<const Arg> args) const;
  /// The same with the arguments one by one.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  [[nodiscard]] RawResolution resolve(const LaunchOptions& options, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> list{Arg(args)...};
    return resolve(options, std::span<const Arg>(list));
  }

  /// The kernel that such a launch would run, compiled or from the cache, for kiln::inspect. Runs nothing; throws what the
  /// launch would.
  [[nodiscard]] cache::Contents compiled(const LaunchOptions& options, std::span<const Arg> args) const;
  /// The same with the arguments one by one.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  [[nodiscard]] cache::Contents compiled(const LaunchOptions& options, const Args&... args) const {
    const std::array<Arg, sizeof...(Args)> list{Arg(args)...};
    return compiled(options, std::span<const Arg>(list));
  }

  /// Compiles it ahead of time, in the form that the names in its body tell, for every dtype that its signature fixes, and
  /// arrays that are contiguous along their last dimension. Returns the number of kernels. Throws CompileError; DeviceError for
  /// an unknown target; TypeError for a type variable without a restriction.
  int compile(std::string_view target) const;  // NOLINT(modernize-use-nodiscard)

  /// What is doubtful in its texts although they compile, each finding once: at the definition what kiln sees on every device
  /// (`1/2 * a`, `1 < a < 3`, `0.1 * a` of float32), then what a compiler warned of for each kernel that was needed so far,
  /// also where it came from the cache. The log callback (cache::set_log) gets a line for each.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// The definition's name.
  [[nodiscard]] const std::string& name() const;
  /// The signature as it was written.
  [[nodiscard]] const std::string& signature() const;

  /// For kiln itself.
  explicit RawKernel(std::shared_ptr<const detail::RawKernelImpl> impl) noexcept : impl_(std::move(impl)) {}
  [[nodiscard]] const std::shared_ptr<const detail::RawKernelImpl>& impl() const { return impl_.get(); }  ///< for kiln itself

 private:
  detail::Shared<detail::RawKernelImpl> impl_;
};

/// A kernel and how it is launched: a call of it takes the arguments alone. From RawKernel::configure() and forall().
/// Immutable; calls from several threads are safe. It keeps the kernel's definition and the stream.
class ConfiguredKernel {
 public:
  /// Of that kernel, launched like that.
  ConfiguredKernel(RawKernel kernel, LaunchOptions options) : kernel_(std::move(kernel)), options_(std::move(options)) {}

  /// kernel()(options(), args…): throws, and waits, as that does.
  template <class... Args>
    requires(std::is_convertible_v<const Args&, Arg> && ...)
  void operator()(const Args&... args) const {
    kernel_(options_, args...);
  }

  /// The kernel.
  [[nodiscard]] const RawKernel& kernel() const noexcept { return kernel_; }
  /// How it is launched.
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

/// Parses and checks; opens nothing. SignatureError for a name that is no C++ identifier, and for a signature, with its place
/// in the text; CompileError where a text's brackets do not close, or the body uses a view or a pointer as it cannot be: x + 1
/// of a view, x(i) of a pointer, another number of indices, an assignment to a const one.
[[nodiscard]] KILN_API RawKernel kernel(RawKernelDefinition definition);

}  // namespace kiln
