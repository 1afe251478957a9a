// N-dimensional arrays in host or device memory: a shared, shallow handle over a buffer, with NumPy's shapes, strides in
// bytes, views and printing. Handles may be copied and destroyed from any thread; a view keeps its base's memory alive.
// Concurrent reads of elements are safe, concurrent writes are the caller's to order.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kiln/array_view.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/error.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

// a[0, 1] is an element from C++23 on. Before, it is a[1] by the comma operator, and here an error.
#ifndef __cpp_multidimensional_subscript
#if defined(__clang__)
#pragma clang diagnostic error "-Wdeprecated-comma-subscript"
#elif defined(__GNUC__)
#pragma GCC diagnostic error "-Wcomma-subscript"
#endif
#endif

namespace kiln {

namespace detail {
struct ArrayRep;  // lib/kiln/array/rep.hpp
}

/// How elements lie in memory.
enum class Order : std::uint8_t {
  c,        ///< rows first: the last axis varies fastest
  fortran,  ///< columns first: the first axis varies fastest
};

/// start:stop:step along one axis, as in Python: negative numbers count from the end, out-of-range ends are clipped.
struct Slice {
  std::optional<std::int64_t> start = std::nullopt;  ///< the first index; none: the end that the step starts from
  std::optional<std::int64_t> stop = std::nullopt;   ///< the index before which it ends; none: all that is left
  std::int64_t step = 1;                             ///< from one index to the next; negative: backwards; 0 is a ShapeError
};
/// One item of an index: a slice, or a number, which drops the axis.
struct Index {
  /// An index of any integer type; negative ones count from the end. Out of range it is a ShapeError where it is used.
  template <class T>
    requires(std::integral<T> || (std::is_enum_v<T> && std::is_convertible_v<T, std::int64_t>))
  Index(T at) : position(Integer(at).value), drops(true) {}  // NOLINT(google-explicit-constructor)
  /// A range of indices.
  Index(Slice range) : slice(range) {}  // NOLINT(google-explicit-constructor)
  Slice slice;                          ///< of a range
  std::int64_t position = 0;            ///< of a number
  bool drops = false;                   ///< whether it is a number
};
/// A whole axis.
inline constexpr Slice all{};

/// Options of copies to the host.
struct TransferOptions {
  Stream stream = {};  ///< whose order the copy is done in, without waiting; the default one: the call waits
};

/// A handle on an array: shape, strides, dtype and device of elements in a buffer that several handles share. Copying one
/// copies no element. An array never changes its shape, strides, dtype or place.
class KILN_API Array {
 public:
  /// No array: valid() is false, and every other use is a TypeError.
  Array() noexcept = default;
  /// Another handle on the same array.
  Array(const Array&) noexcept = default;
  /// Takes the handle over; the other one is empty then.
  Array(Array&&) noexcept = default;
  /// Makes the handle name another array. Elements are written by assign(), fill(), operators such as +=, and to an indexed
  /// array, as below.
  Array& operator=(const Array&) & noexcept = default;
  /// The same; the other handle is empty then.
  Array& operator=(Array&&) & noexcept = default;
  /// a[{Slice{0, 2}}] = b writes the elements: a[{Slice{0, 2}}].assign(b).
  // What it returned would be gone with the expression; assign() takes arrays that overlap.
  // NOLINTNEXTLINE(misc-unconventional-assign-operator,bugprone-unhandled-self-assignment): as said
  void operator=(const Array& source) && { assign(source); }
  /// a[{Slice{0, 2}}] = 1.5 writes one value to every element: a[{Slice{0, 2}}].fill(1.5).
  template <Element T>
  void operator=(T value) && {  // NOLINT(misc-unconventional-assign-operator): as above
    fill(value);
  }
  /// The memory is freed with the last handle on it or on a view of it.
  ~Array() = default;

  /// @name Making host arrays. Negative extents or more than 2^63-1 bytes are a ShapeError, too little memory is a DeviceError.
  /// The memory of freed arrays of 2 MiB and more is kept for later ones (KILN_HOST_POOL_MAX_BYTES).
  /// @{
  /// Elements of no certain value.
  [[nodiscard]] static Array empty(const Shape& shape, DType dtype, Order order = Order::c);
  /// Elements that are zero.
  [[nodiscard]] static Array zeros(const Shape& shape, DType dtype, Order order = Order::c);
  /// Elements of T's dtype, each of that value; C order.
  template <Element T>
  [[nodiscard]] static Array full(const Shape& shape, T value) {
    return full_raw(shape, dtype_of<T>, &value);
  }
  /// A copy of the values in C order, one-dimensional, or of the given shape; ShapeError where that has another number of
  /// elements.
  template <Element T>
  [[nodiscard]] static Array from(std::span<const T> values, const std::optional<Shape>& shape = std::nullopt) {
    return from_raw(values.data(), static_cast<std::int64_t>(values.size()), dtype_of<T>, shape);
  }
  /// The same.
  template <Element T>
  [[nodiscard]] static Array from(const std::vector<T>& values, const std::optional<Shape>& shape = std::nullopt) {
    if constexpr (std::is_same_v<T, bool>) {
      std::unique_ptr<bool[]> copy(new bool[values.size()]);
      for (std::size_t i = 0; i < values.size(); ++i) copy[i] = values[i];
      return from(std::span<const bool>(copy.get(), values.size()), shape);
    } else {
      return from(std::span<const T>(values), shape);
    }
  }
  /// The same.
  template <Element T>
  [[nodiscard]] static Array from(std::initializer_list<T> values, const std::optional<Shape>& shape = std::nullopt) {
    return from(std::span<const T>(values.begin(), values.size()), shape);
  }
  /// A zero-dimensional array.
  template <Element T>
  [[nodiscard]] static Array scalar(T value) {
    return full(Shape{}, value);
  }

  /// Options of view().
  struct ViewOptions {
    std::optional<Strides> strides = std::nullopt;  ///< bytes; C order where absent
    bool read_only = false;                         ///< writing to it is a TypeError
    std::shared_ptr<void> owner = nullptr;          ///< kept alive as long as the memory is in use
    std::optional<Device> device = std::nullopt;    ///< absent: host memory
  };
  /// Uses the caller's memory without a copy. `data` is the element at index 0 of every axis. The caller keeps the
  /// memory alive, or gives its owner. Memory and strides must be aligned to the dtype's alignment (ShapeError); complex
  /// numbers on a GPU to their size. On a GPU the owner is let go of when the work of the default stream is done, and a later
  /// call has seen that.
  [[nodiscard]] static Array view(void* data, const Shape& shape, DType dtype, const ViewOptions& options);
  /// A view of host memory, of T's dtype, in C order.
  template <Element T>
    requires(!std::is_const_v<T>)
  [[nodiscard]] static Array view(T* data, const Shape& shape) {
    return view(static_cast<void*>(data), shape, dtype_of<T>, ViewOptions{});
  }
  /// A view of const memory is read-only.
  template <Element T>
  [[nodiscard]] static Array view(const T* data, const Shape& shape) {
    return view(const_cast<T*>(data), shape, dtype_of<T>, ViewOptions{.read_only = true});
  }
  /// @}

  /// Whether the handle names an array, or is empty. The name is the same for every handle of kiln that can be empty.
  [[nodiscard]] bool valid() const noexcept { return rep_ != nullptr; }
  /// NumPy's truth: of an array of one element, whether that differs from 0. ShapeError for more elements and for none, with
  /// the advice to ask all() or any(); TypeError for an empty handle. With KILN_NO_ARRAY_TRUTH defined, `if (a)` does not
  /// compile.
#ifdef KILN_NO_ARRAY_TRUTH
  explicit operator bool() const = delete;
#else
  explicit operator bool() const { return truth(); }
#endif
  /// Whether every element differs from 0; true of no elements. Elements of a GPU are read as item() reads them.
  [[nodiscard]] bool all() const;
  /// Whether an element differs from 0; false of no elements.
  [[nodiscard]] bool any() const;
  /// Extents, one for each axis; valid as long as a handle on this array.
  [[nodiscard]] const Shape& shape() const;
  /// Bytes from an element to the next along each axis: any sign, zero where broadcast; valid as long as a handle on this
  /// array.
  [[nodiscard]] const Strides& strides() const;
  /// Of the elements.
  [[nodiscard]] DType dtype() const;
  /// How many axes it has.
  [[nodiscard]] int ndim() const { return static_cast<int>(shape().size()); }
  /// How many elements it has.
  [[nodiscard]] std::int64_t size() const;
  /// size() times itemsize, in bytes, whatever the strides.
  [[nodiscard]] std::int64_t nbytes() const;
  /// Whether it is a plain host array, placed on no device: calls may copy it to where they run.
  [[nodiscard]] bool is_host() const;
  /// Where it is; Device::cpu() for host arrays.
  [[nodiscard]] Device device() const;
  /// Whether writing through this handle is a TypeError. Other handles on the same memory may write.
  [[nodiscard]] bool read_only() const;
  /// Whether the elements lie one after the other in C order, as numpy.ndarray.flags has it.
  [[nodiscard]] bool is_c_contiguous() const;
  /// The same in Fortran order.
  [[nodiscard]] bool is_f_contiguous() const;
  /// The address of the element at index 0 of every axis: a device address where the array is on a GPU.
  [[nodiscard]] void* data() const;
  /// The same as a number, which is how the vendors' driver APIs take it: a CUdeviceptr, a hipDeviceptr_t.
  [[nodiscard]] std::uintptr_t native() const { return reinterpret_cast<std::uintptr_t>(data()); }

  /// All elements as a T* in C order, for an array that lies so: ShapeError unless is_c_contiguous(), where view() and copy()
  /// serve. TypeError where T is not the dtype, or the memory is a GPU's. A read-only array gives only `as<const T>()`.
  template <Element T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(host_data(dtype_of<T>, !std::is_const_v<T>, true));
  }
  /// The elements in their place, whatever the strides are: `auto v = a.view<float>(); v(i, j) = 1;`. TypeError as of as().
  template <Element T>
  [[nodiscard]] ArrayView<T> view() const {
    void* const data = host_data(dtype_of<T>, !std::is_const_v<T>, false);
    return {rep_, data, shape(), strides(), size()};
  }
  /// The value of an array of one element (ShapeError otherwise). TypeError where its dtype does not cast safely to T.
  template <Element T>
  [[nodiscard]] T item() const {
    T value{};
    read_item(dtype_of<T>, &value);
    return value;
  }
  /// All elements in C order. TypeError where the dtype does not cast safely to T.
  template <Element T>
  [[nodiscard]] std::vector<T> to_vector() const {
    std::vector<T> values(static_cast<std::size_t>(size()));
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<unsigned char> bytes(values.size());
      copy_elements(DType::bool_, bytes.data());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = bytes[i] != 0;
    } else {
      copy_elements(dtype_of<T>, values.data());
    }
    return values;
  }

  /// @name Views, and copies only where a view is impossible
  /// @{
  /// a[{0, Slice{1, 3}}] is a view; axes left out are whole. ShapeError for a number out of range, a step of 0, and more items
  /// than axes.
  [[nodiscard]] Array operator[](std::initializer_list<Index> index) const;
  /// a[0] and a[Slice{1, 3}] index the first axis.
  [[nodiscard]] Array operator[](const Index& index) const { return slice({&index, 1}); }
#ifdef __cpp_multidimensional_subscript
  /// a[0, Slice{1, 3}] is a[{0, Slice{1, 3}}] from C++23 on. Before, a comma in the brackets does not compile.
  template <std::convertible_to<Index>... Rest>
    requires(sizeof...(Rest) > 0)
  [[nodiscard]] Array operator[](const Index& first, const Rest&... rest) const {
    const Index list[] = {first, rest...};
    return slice(list);
  }
#endif
  /// The same for a number of items known at run time.
  [[nodiscard]] Array slice(std::span<const Index> index) const;
  /// One extent may be -1. A view where the strides allow it, else a copy. ShapeError where the number of elements differs.
  [[nodiscard]] Array reshape(const Shape& shape, Order order = Order::c) const;
  /// One axis, contiguous: a view of an array that is contiguous in `order`, else a copy.
  [[nodiscard]] Array ravel(Order order = Order::c) const;
  /// A view with the axes reversed.
  [[nodiscard]] Array transpose() const;
  /// A view whose axis i is axis axes[i], negative ones from the end. ShapeError unless each axis stands once.
  [[nodiscard]] Array transpose(const Dims& axes) const;
  /// A read-only view of that shape, as NumPy's: axes of extent 1 are repeated, missing ones come in front. ShapeError
  /// otherwise.
  [[nodiscard]] Array broadcast_to(const Shape& shape) const;
  /// A view that cannot be written through.
  [[nodiscard]] Array as_read_only() const;
  /// @}

  /// @name Copies
  /// @{
  /// On the same device, queued on a GPU's default stream.
  [[nodiscard]] Array copy(Order order = Order::c) const;
  /// Converted element by element as C++ does (float to integer truncates; out of range gives the nearest end of the
  /// range, NaN gives 0); a copy even where the dtype is the same, its axes in the same order in memory, in C order where one
  /// is broadcast. On a GPU it is queued on the default stream. TypeError where `casting` forbids it.
  [[nodiscard]] Array astype(DType dtype, Casting casting = Casting::unsafe) const;
  /// A new host array, in C order. Waits for the device's default stream. Of a GPU array with gaps the elements alone are
  /// moved.
  [[nodiscard]] Array copy_to_host() const;
  /// Into an existing array that the host can write, of the same shape (ShapeError) and dtype (TypeError). May overlap. On a
  /// stream of this array's device (DeviceError otherwise) the copy is queued, and both arrays are kept until it is done:
  /// `existing` must not be read before Stream::synchronize(), which throws a fault of the copy. The driver may wait where the
  /// memory of `existing` is not page-locked (pinned(), register_host()), and the call waits where `existing` has gaps and
  /// this array is on a GPU.
  void copy_to_host(const Array& existing, const TransferOptions& options = {}) const;
  /// @}

  /// @name Writing elements. A view writes to its base. TypeError for a read-only array; nothing has been written then.
  /// @{
  /// The elements of `source`, broadcast to this shape (ShapeError) and converted as astype() does (TypeError where `casting`
  /// forbids it). The two may overlap, and may be on different devices. On a GPU it is queued on the default stream.
  void assign(const Array& source, Casting casting = Casting::same_kind) const;
  /// One value for every element. TypeError where the value is of a higher kind than the dtype, or an integer that it does not
  /// hold.
  template <Element T>
  void fill(T value) const {
    fill_raw(dtype_of<T>, &value);
  }
  /// @}

  /// For the library itself.
  explicit Array(std::shared_ptr<const detail::ArrayRep> rep) noexcept : rep_(std::move(rep)) {}
  /// For the library itself.
  [[nodiscard]] const std::shared_ptr<const detail::ArrayRep>& rep() const noexcept { return rep_; }

 private:
  static Array full_raw(const Shape& shape, DType dtype, const void* value);
  static Array from_raw(const void* values, std::int64_t count, DType dtype, const std::optional<Shape>& shape);
  [[nodiscard]] bool truth() const;
  [[nodiscard]] void* host_data(DType expected, bool writable, bool packed) const;
  void read_item(DType expected, void* value) const;
  void copy_elements(DType expected, void* values) const;
  void fill_raw(DType given, const void* value) const;

  std::shared_ptr<const detail::ArrayRep> rep_;
};

/// An array on a device, whose elements have no certain value. DeviceError where the device or its memory is not there;
/// ShapeError as of host arrays.
[[nodiscard]] KILN_API Array device_array(const Shape& shape, DType dtype, const Device& device, Order order = Order::c);
/// The same with these strides in bytes, one for each axis: any sign, multiples of the dtype's alignment (on a GPU of complex
/// numbers: of their size), 0 for an axis that repeats. ShapeError otherwise. The memory is what the elements cover.
[[nodiscard]] KILN_API Array device_array(const Shape& shape, DType dtype, const Device& device, const Strides& strides);
/// Shape, dtype and device of `like`; in F order where `like` is Fortran-contiguous, else in C order.
[[nodiscard]] KILN_API Array device_array_like(const Array& like);

/// Options of to_device().
struct ToDeviceOptions {
  Stream stream = {};  ///< of that device: the copy is queued there; the default one: the call waits for it
  bool copy = true;    ///< false: a new array of the same shape, dtype and order, without the elements
};
/// The array on that device: itself where it is there. On the CPU nothing is copied: it is the same memory. A copy to a GPU has
/// been taken when the call returns, and the host memory may be reused; on a stream both arrays are kept until it is done, and
/// the host memory must not change before (page-locked memory, pinned(), makes the call wait for nothing). From one GPU to
/// another it goes straight, where their driver can, behind the first one's default stream. DeviceError where the device or its
/// memory is not there, and for a stream of another device.
[[nodiscard]] KILN_API Array to_device(const Array& array, const Device& device, const ToDeviceOptions& options = {});

/// As NumPy's str() prints: summarized beyond 1000 elements (only those shown are read), aligned, eight digits at most;
/// a 0-d array with all its digits, an array of more axes than NumPy has (64) without those of extent 1. bfloat16, which NumPy
/// does not know, prints as float32 does, with its own digits.
[[nodiscard]] KILN_API std::string to_string(const Array& array);
/// Writes to_string(array).
KILN_API std::ostream& operator<<(std::ostream& stream, const Array& array);

}  // namespace kiln
