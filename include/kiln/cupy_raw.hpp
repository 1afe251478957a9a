// Whole kernels in CUDA's language, as CuPy's RawKernel and RawModule have them, on every device: the CPU, NVIDIA's and AMD's
// GPUs. docs/raw-kernels.md says what of the language there is.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/compile_options.hpp"
#include "kiln/export.hpp"
#include "kiln/kernel.hpp"
#include "kiln/stream.hpp"

namespace kiln::raw {
class ModuleConstants;
}

namespace kiln::cupy {

namespace detail {
class RawModuleImpl;
}

/// A source with a kernel. Members are to be named: designated initializers in this order.
struct RawKernelSource {
  std::string code = {};  ///< C++ with kernels, `extern "C" __global__ void scale(float* x, int n) { … }`
  std::string name = {};  ///< the kernel, with the arguments of a template: "scale", "axpy<float, 3>"
  /// Options as NVRTC's: -DNAME, -DNAME=VALUE, -IFOLDER, -std=…, -use_fast_math, -fmad=…, -w.
  std::vector<std::string> options = {};
  CompileOptions compile = {};  ///< headers, checks, cache; `.functions` must be empty
};

/// A source with several kernels. Members are to be named: designated initializers in this order.
struct RawModuleSource {
  std::string code = {};                           ///< C++ with kernels
  std::vector<std::string> options = {};           ///< options as RawKernelSource::options
  std::vector<std::string> name_expressions = {};  ///< instances of templates: "axpy<float, 3>"
  std::string backend = "nvrtc";                   ///< "nvrtc" or "nvcc", for CuPy's users: kiln chooses the compiler
  CompileOptions compile = {};                     ///< headers, checks, cache; `.functions` must be empty
};

/// Returns the bytes of a structure, as which a parameter by value takes it: k(1, 32, {x, cupy::structure(step)}). Its members
/// are those of the kernel's structure, in the same order.
template <class T>
  requires(std::is_class_v<T> && std::is_trivially_copyable_v<T>)
[[nodiscard]] Array structure(const T& value) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&value);
  return Array::from(std::vector<std::uint8_t>(begin, begin + sizeof(T)));
}

/// One kernel of a source. An immutable handle, shareable between threads; copies share what was compiled.
class Function {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Function() noexcept = default;
  /// Constructs a handle of a raw kernel with that signature.
  explicit Function(RawKernel kernel) : kernel_(std::move(kernel)) {}
  /// Returns true if the handle names a kernel.
  [[nodiscard]] bool valid() const noexcept { return kernel_.valid(); }

  /// Launches the kernel on a grid of blocks, with dynamic shared memory of each block in bytes: k(grid, block, {x, y, n}).
  ///
  /// Arguments match the parameters of the C++ function. A pointer takes a C-contiguous array of its elements' dtype; one to
  /// structures, float4 or bytes takes any array. A number converts as in a call of C++ within its kind. A structure by value
  /// takes structure(value), or any array of as many bytes.
  ///
  /// Waits, copies and throws as RawKernel's launch does. An argument that the compiler cannot convert throws CompileError.
  void operator()(const Extent3& grid, const Extent3& block, std::span<const Arg> args, std::int64_t shared_bytes = 0,
                  const Stream& stream = {}) const {
    kernel_.launch({.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = stream}, args);
  }
  /// Launches the kernel with a list of arguments.
  void operator()(const Extent3& grid, const Extent3& block, std::initializer_list<Arg> args, std::int64_t shared_bytes = 0,
                  const Stream& stream = {}) const {
    (*this)(grid, block, std::span<const Arg>(args.begin(), args.size()), shared_bytes, stream);
  }

  /// Returns the kernel, for launches with other options and for what every raw kernel has.
  [[nodiscard]] const RawKernel& kernel() const noexcept { return kernel_; }
  /// Returns its name.
  [[nodiscard]] const std::string& name() const { return kernel_.name(); }
  /// Returns its signature, read from the declaration: "void(const float32* x, int32 n)". A type that the source does not tell
  /// is a type variable, which the argument decides.
  [[nodiscard]] const std::string& signature() const { return kernel_.signature(); }
  /// Compiles the kernel ahead of time: RawKernel::compile(). Arrays of structures count as arrays of uint8, and launches with
  /// such find the kernel. Throws TypeError if the type of a number is not known.
  int compile(std::string_view target) const {  // NOLINT(modernize-use-nodiscard)
    return kernel_.compile(target);
  }

 private:
  RawKernel kernel_;
};

/// A __constant__ variable of a source. A handle, which keeps the source's values alive. Thread-safe.
class KILN_API Constant {
 public:
  /// Gives the variable the elements of an array, in C order; the rest of it keeps what it had. Launches from now on see them.
  /// Copies the array to the host.
  ///
  /// A launch throws ShapeError if the variable has fewer bytes.
  void set(const Array& values) const;
  /// Returns its name.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Constructor for the library's own use.
  Constant(std::string name, std::shared_ptr<raw::ModuleConstants> values) noexcept
      : name_(std::move(name)), values_(std::move(values)) {}

 private:
  std::string name_;
  std::shared_ptr<raw::ModuleConstants> values_;
};

/// A source with kernels. An immutable handle, shareable between threads.
class KILN_API RawModule {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  RawModule() noexcept = default;
  /// Returns true if the handle names a module.
  [[nodiscard]] bool valid() const noexcept { return impl_ != nullptr; }
  /// Returns a kernel by its name, with the arguments of a template: "axpy<float, 3>". Compiles nothing.
  ///
  /// Throws TypeError if the source has no such kernel, or if a template's arguments are missing.
  [[nodiscard]] Function get_function(std::string_view name) const;
  /// Returns a variable of the source whose values the host gives: `__constant__ float weights[64];`. All its kernels see them.
  ///
  /// Throws TypeError for another name. An initialized, const or static variable has the values of the text.
  [[nodiscard]] Constant get_global(std::string_view name) const;
  /// Returns the names of its kernels, in the order of the source; templates without arguments.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Constructor for the library's own use.
  explicit RawModule(std::shared_ptr<const detail::RawModuleImpl> impl) noexcept : impl_(std::move(impl)) {}

 private:
  [[nodiscard]] const detail::RawModuleImpl& impl() const;

  std::shared_ptr<const detail::RawModuleImpl> impl_;
};

/// Reads a source and returns one of its kernels; compiles nothing.
///
/// Throws CompileError, with the place, for two kernels of one name, textures and surfaces, and a source that does not scan.
/// Throws SignatureError for an option that kiln does not know, and TypeError for a name that the source does not define.
[[nodiscard]] KILN_API Function raw_kernel(RawKernelSource source);

/// Reads a source with several kernels; compiles nothing. Throws the exceptions of raw_kernel(), also for name expressions.
[[nodiscard]] KILN_API RawModule raw_module(RawModuleSource source);

}  // namespace kiln::cupy
