// N-dimensional arrays in host or device memory. An Array is a shared, shallow handle on a buffer, with NumPy's shapes, strides
// in bytes, views and printing.
//
// Handles may be copied and destroyed from any thread. A view keeps its base's memory alive. Concurrent reads of elements are
// safe; the caller orders concurrent writes.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kiln/array_view.hpp"
#include "kiln/axes.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/index.hpp"
#include "kiln/nested.hpp"
#include "kiln/print.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

// a[0, 1] is an element since C++23. Before C++23 it means a[1], by the comma operator: an error here.
#ifndef __cpp_multidimensional_subscript
#if defined(__clang__)
#pragma clang diagnostic error "-Wdeprecated-comma-subscript"
#elif defined(__GNUC__)
#pragma GCC diagnostic error "-Wcomma-subscript"
#endif
#endif

// Declared by <dlpack/dlpack.h>.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace kiln {

namespace detail {
struct ArrayRep;  // defined in lib/kiln/array/rep.hpp
}
class Selection;  // defined in kiln/selection.hpp

/// Order of the elements in memory.
enum class Order : std::uint8_t {
  c,        ///< rows first: the last axis varies fastest
  fortran,  ///< columns first: the first axis varies fastest
};

/// Options of copies to the host.
struct TransferOptions {
  /// Stream that the copy is queued on, in its order; the call does not wait. The default stream makes the call wait.
  Stream stream = {};
};

/// A handle on an array: shape, strides, dtype and device of elements in a buffer that several handles share. Copying a handle
/// copies no element. An array's shape, strides, dtype and place never change.
class KILN_API Array {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Array() noexcept = default;
  /// Constructs another handle on the same array.
  Array(const Array&) noexcept = default;
  /// Takes the handle over and leaves the other one empty.
  Array(Array&&) noexcept = default;
  /// Makes the handle name another array and writes no element. assign(), fill(), operators such as +=, and assignments to an
  /// indexed array (below) write elements.
  Array& operator=(const Array&) & noexcept = default;
  /// Takes the other handle over and leaves it empty.
  Array& operator=(Array&&) & noexcept = default;
  /// Writes the elements: `a[{Slice{0, 2}}] = b` is `a[{Slice{0, 2}}].assign(b)`.
  // A reference to *this would dangle after the expression; assign() accepts arrays that overlap.
  // NOLINTNEXTLINE(misc-unconventional-assign-operator,bugprone-unhandled-self-assignment): as said
  void operator=(const Array& source) && { assign(source); }
  /// Writes one value to every element: `a[{Slice{0, 2}}] = 1.5` is `a[{Slice{0, 2}}].fill(1.5)`.
  template <Element T>
  void operator=(T value) && {  // NOLINT(misc-unconventional-assign-operator): as above
    fill(value);
  }
  /// Drops the handle. The memory is freed with the last handle on it or on a view of it.
  ~Array() = default;

  /// @name Construction of host arrays
  ///
  /// Throws ShapeError for negative extents and for more than 2^63-1 bytes, DeviceError if memory is insufficient. Freed memory
  /// of 2 MiB and more is pooled for later arrays (KILN_HOST_POOL_MAX_BYTES).
  /// @{
  /// Returns an array whose elements are uninitialized.
  [[nodiscard]] static Array empty(const Shape& shape, DType dtype = DType::float64, Order order = Order::c);
  /// Returns an array whose elements are zero: Array::zeros(5), Array::zeros({2, 3}, DType::int32).
  [[nodiscard]] static Array zeros(const Shape& shape, DType dtype = DType::float64, Order order = Order::c);
  /// Returns an array whose elements are one.
  [[nodiscard]] static Array ones(const Shape& shape, DType dtype = DType::float64, Order order = Order::c);
  /// Returns an array in C order whose elements all have that value, of T's dtype.
  template <Element T>
  [[nodiscard]] static Array full(const Shape& shape, T value) {
    return full_raw(shape, dtype_of<T>, &value);
  }
  /// Returns a copy of a list's values, of the list's length: Array::from({1, 2, 3}). Array::from<float>({1, 2.5}) decides the
  /// dtype, here and below.
  template <Element T>
  [[nodiscard]] static Array from(std::initializer_list<T> values) {
    return from_raw(values.begin(), dtype_of<T>, values.size(), nullptr);
  }
  /// Returns a copy of a list's values in that shape: Array::from({1, 2, 3, 4}, {2, 2}). Throws ShapeError if the shape has
  /// another number of elements.
  template <Element T>
  [[nodiscard]] static Array from(std::initializer_list<T> values, const Shape& shape) {
    return from_raw(values.begin(), dtype_of<T>, values.size(), &shape);
  }
  /// Returns a copy of the values of nested lists: Array::from({{1, 2}, {3, 4}}). In lists of complex numbers inner braces are
  /// numbers. Throws ShapeError if the lists are ragged.
  template <detail::Real T>
  [[nodiscard]] static Array from(std::initializer_list<std::initializer_list<T>> rows) {
    return from<T, std::initializer_list<std::initializer_list<T>>>(rows);
  }
  /// Returns a copy of the values of lists in lists in lists.
  template <detail::Real T>
  [[nodiscard]] static Array from(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes) {
    return from<T, std::initializer_list<std::initializer_list<std::initializer_list<T>>>>(planes);
  }
  /// Returns a copy of the values of a range of a known size: a vector, a span, a std::array, a C array. Ranges may be nested,
  /// as a vector of vectors. Throws ShapeError if they are ragged.
  template <class T = void, detail::NestedRange R>
  [[nodiscard]] static Array from(const R& values) {
    const detail::Flat<T, R> flat(values);
    return from_raw(flat.data(), flat.kDType, flat.size(), &flat.shape());
  }
  /// Returns a copy of the values of a range in that shape. Throws ShapeError if it has another number of elements.
  template <class T = void, detail::NestedRange R>
  [[nodiscard]] static Array from(const R& values, const Shape& shape) {
    const detail::Flat<T, R> flat(values);
    return from_raw(flat.data(), flat.kDType, flat.size(), &shape);
  }
  /// Returns a zero-dimensional array with that value.
  template <Element T>
  [[nodiscard]] static Array scalar(T value) {
    return full(Shape{}, value);
  }

  /// Options of view().
  struct ViewOptions {
    std::optional<Strides> strides = std::nullopt;  ///< strides in bytes; absent: C order
    bool read_only = false;                         ///< true: writing to the array throws TypeError
    std::shared_ptr<void> owner = nullptr;          ///< object that stays alive while the memory is in use
    std::optional<Device> device = std::nullopt;    ///< device of the memory; absent: host memory
  };
  /// Returns an array over the caller's memory, without a copy. `data` is the address of the element at index 0 of every axis.
  ///
  /// The caller keeps the memory alive, or passes its owner. On a GPU the owner is released by a call that finds the default
  /// stream's work done.
  ///
  /// Throws ShapeError if memory or strides are not aligned to the dtype's alignment. Complex numbers on a GPU must be aligned
  /// to their size.
  [[nodiscard]] static Array view(void* data, const Shape& shape, DType dtype, const ViewOptions& options);
  /// Returns a view of host memory, of T's dtype, in C order.
  template <Element T>
    requires(!std::is_const_v<T>)
  [[nodiscard]] static Array view(T* data, const Shape& shape) {
    return view(static_cast<void*>(data), shape, dtype_of<T>, ViewOptions{});
  }
  /// Returns a read-only view of const memory.
  template <Element T>
  [[nodiscard]] static Array view(const T* data, const Shape& shape) {
    return view(const_cast<T*>(data), shape, dtype_of<T>, ViewOptions{.read_only = true});
  }
  /// Returns a view of contiguous memory of the caller's, of its length: a vector, a span, a std::array, a C array, also fixed
  /// arrays of arrays. Read-only for const elements. A range that ends with the expression does not compile.
  template <class R>
    requires(detail::PackedRange<R> && detail::Lasting<R>)
  [[nodiscard]] static Array view(R&& values) {
    return view(detail::packed_data(values), detail::extents_of(values));
  }
  /// Returns an array over the memory of a std::mdspan, with its strides. Read-only for const elements.
  template <detail::StridedView M>
  [[nodiscard]] static Array view(const M& values) {
    using Value = std::remove_const_t<typename M::element_type>;
    return view(const_cast<Value*>(values.data_handle()), detail::extents_of(values), dtype_of<Value>,
                ViewOptions{.strides = detail::strides_of(values), .read_only = std::is_const_v<typename M::element_type>});
  }
  /// Returns a view of contiguous memory in that shape. Throws ShapeError if it has another number of elements.
  template <class R>
    requires(detail::PackedRange<R> && detail::Lasting<R> && !std::is_array_v<std::remove_reference_t<R>>)
  [[nodiscard]] static Array view(R&& values, const Shape& shape) {
    detail::check_count("view", detail::extents_of(values), shape);
    return view(detail::packed_data(values), shape);
  }
  /// @}

  /// @name Exchange with other libraries by DLPack, without a copy
  /// @{
  /// Returns an array over the memory of a tensor, and takes the tensor over: its deleter is called once, from any thread, when
  /// the memory is free. If the function throws, the tensor is still the caller's.
  ///
  /// On a GPU, work of kiln waits for the work that `producer` has so far. By default the elements are ready.
  ///
  /// Throws TypeError for NULL, lanes, and a dtype or flags that kiln does not have. Throws ShapeError for an impossible
  /// layout, DeviceError for memory of another kind of device. A tensor of another major version is deleted, and TypeError
  /// thrown.
  [[nodiscard]] static Array from_dlpack(DLManagedTensorVersioned* tensor, const Stream& producer = {});
  /// Does the same for a tensor of DLPack before version 1.
  [[nodiscard]] static Array from_dlpack(DLManagedTensor* tensor, const Stream& producer = {});
  /// Returns a tensor over this array's memory, which lives until the tensor's deleter is called, from any thread.
  ///
  /// On a GPU, later work of `consumer` waits for the work of kiln's default stream. By default the caller sees to it.
  ///
  /// Throws ShapeError for strides that are no multiple of an element's size.
  [[nodiscard]] DLManagedTensorVersioned* to_dlpack(const Stream& consumer = {}) const;
  /// Does the same for consumers of DLPack before version 1. Throws TypeError for a read-only array.
  [[nodiscard]] DLManagedTensor* to_dlpack_unversioned(const Stream& consumer = {}) const;
  /// @}

  /// Returns true if the handle names an array. Every handle of kiln that can be empty has this function.
  [[nodiscard]] bool valid() const noexcept { return rep_ != nullptr; }
  /// Returns true if the one element of the array differs from 0, by NumPy's rule of truth. Throws ShapeError, with the advice
  /// to call all() or any(), unless there is exactly one element. Throws TypeError for an empty handle. With
  /// KILN_NO_ARRAY_TRUTH defined, `if (a)` does not compile.
#ifdef KILN_NO_ARRAY_TRUTH
  explicit operator bool() const = delete;
#else
  explicit operator bool() const { return truth(); }
#endif
  /// Returns true if every element differs from 0, or if there is none. Elements on a GPU are read by item()'s rules.
  [[nodiscard]] bool all() const;
  /// Returns true if an element differs from 0; false if there is none.
  [[nodiscard]] bool any() const;
  /// Returns the extents, one for each axis. The reference is valid while a handle on this array exists.
  [[nodiscard]] const Shape& shape() const;
  /// Returns the distances in bytes between neighbouring elements along each axis: any sign, zero where broadcast. The
  /// reference is valid while a handle on this array exists.
  [[nodiscard]] const Strides& strides() const;
  /// Returns the dtype of the elements.
  [[nodiscard]] DType dtype() const;
  /// Returns the number of axes.
  [[nodiscard]] int ndim() const { return static_cast<int>(shape().size()); }
  /// Returns the number of elements.
  [[nodiscard]] std::int64_t size() const;
  /// Returns size() times itemsize(dtype()), in bytes, for any strides.
  [[nodiscard]] std::int64_t nbytes() const;
  /// Returns true for a plain host array, placed on no device. Calls may copy such an array to the device that they run on.
  [[nodiscard]] bool is_host() const;
  /// Returns the device of the memory; Device::cpu() for host arrays.
  [[nodiscard]] Device device() const;
  /// Returns true if writing through this handle throws TypeError. Other handles on the same memory may write.
  [[nodiscard]] bool read_only() const;
  /// Returns true if the elements are contiguous in C order, by the rule of numpy.ndarray.flags.
  [[nodiscard]] bool is_c_contiguous() const;
  /// Returns true if the elements are contiguous in Fortran order.
  [[nodiscard]] bool is_f_contiguous() const;
  /// Returns the address of the element at index 0 of every axis: a device address if the array is on a GPU.
  [[nodiscard]] void* data() const;
  /// Returns data() as a number, the form that vendors' driver APIs take: a CUdeviceptr or a hipDeviceptr_t.
  [[nodiscard]] std::uintptr_t native() const { return reinterpret_cast<std::uintptr_t>(data()); }

  /// Returns the elements of a C-contiguous array as a T*. Throws ShapeError unless is_c_contiguous(); view() and copy() serve
  /// such arrays. Throws TypeError if T is not the dtype or the memory is a GPU's. A read-only array gives only
  /// `as<const T>()`.
  template <Element T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(host_data(dtype_of<T>, !std::is_const_v<T>, true));
  }
  /// Returns the elements in place, for any strides: `auto v = a.view<float>(); v(i, j) = 1;`. Throws TypeError by as()'s
  /// rules.
  template <Element T>
  [[nodiscard]] ArrayView<T> view() const {
    void* const data = host_data(dtype_of<T>, !std::is_const_v<T>, false);
    return {rep_, data, shape(), strides(), size()};
  }
  /// Returns the value of an array of one element. Throws ShapeError for another number of elements, TypeError if the dtype
  /// does not cast safely to T.
  template <Element T>
  [[nodiscard]] T item() const {
    T value{};
    read_item(dtype_of<T>, &value);
    return value;
  }
  /// Returns a copy of all elements in C order. Throws TypeError if the dtype does not cast safely to T.
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

  /// @name Views, and copies only if a view is impossible
  /// @{
  /// Returns a view: a[{0, Slice{1, 3}}]. Omitted axes are whole. Throws ShapeError for a number out of range, a step of 0, and
  /// more items than axes.
  [[nodiscard]] Array operator[](std::initializer_list<Index> index) const;
  /// Returns a view that indexes the first axis: a[0], a[Slice{1, 3}].
  [[nodiscard]] Array operator[](const Index& index) const { return slice({&index, 1}); }
#ifdef __cpp_multidimensional_subscript
  /// Returns a view: a[0, Slice{1, 3}] is a[{0, Slice{1, 3}}] since C++23. Before C++23 a comma in the brackets does not
  /// compile.
  template <std::convertible_to<Index>... Rest>
    requires(sizeof...(Rest) > 0)
  [[nodiscard]] Array operator[](const Index& first, const Rest&... rest) const {
    const Index list[] = {first, rest...};
    return slice(list);
  }
  /// Returns a copy: a[rows, columns] is a[{rows, columns}] since C++23.
  template <std::derived_from<Array>... Rest>
    requires(sizeof...(Rest) > 0)
  [[nodiscard]] Selection operator[](const Array& first, const Rest&... rest) const;
#endif
  /// Returns a copy of the elements that a mask or indices select (kiln/selection.hpp). a[mask] = 0 writes to this array.
  [[nodiscard]] Selection operator[](const Array& which) const;
  /// Returns a copy of the elements that several arrays select, one for each of the first axes: a[{rows, columns}].
  template <class = void>  // a template, so that a[{}] is the view
  [[nodiscard]] Selection operator[](std::initializer_list<Array> which) const;
  /// Returns the copy operator[] returns, for a number of arrays known at run time.
  [[nodiscard]] Selection select(std::span<const Array> which) const;
  /// Returns the view operator[] returns, for a number of items known at run time.
  [[nodiscard]] Array slice(std::span<const Index> index) const;
  /// Returns a view with that shape if the strides allow one, and a copy otherwise. One extent may be -1. Throws ShapeError if
  /// the number of elements differs.
  [[nodiscard]] Array reshape(const Shape& shape, Order order = Order::c) const;
  /// Returns a contiguous array with one axis: a view of an array that is contiguous in `order`, a copy otherwise.
  [[nodiscard]] Array ravel(Order order = Order::c) const;
  /// Returns a copy with one axis.
  [[nodiscard]] Array flatten(Order order = Order::c) const { return copy(order).ravel(order); }
  /// Returns a view with the axes reversed.
  [[nodiscard]] Array transpose() const;
  /// Returns transpose().
  [[nodiscard]] Array T() const { return transpose(); }  // NOLINT(readability-identifier-naming): as in NumPy
  /// Returns a view without axes of extent 1: all of those, or the given ones. Throws ShapeError for another extent.
  [[nodiscard]] Array squeeze(const Axes& axis = Axes::all()) const;
  /// Returns a view with two axes swapped.
  [[nodiscard]] Array swapaxes(int first, int second) const;
  /// Returns a view whose axis i is axis axes[i]; negative numbers count from the end. Throws ShapeError unless every axis
  /// appears exactly once.
  [[nodiscard]] Array transpose(const Dims& axes) const;
  /// Returns a read-only view of that shape, by NumPy's rules: axes of extent 1 are repeated, missing axes are prepended.
  /// Throws ShapeError if the shapes do not fit.
  [[nodiscard]] Array broadcast_to(const Shape& shape) const;
  /// Returns a view that rejects writes.
  [[nodiscard]] Array as_read_only() const;
  /// @}

  /// @name Copies
  /// @{
  /// Returns a copy on the same device, queued on a GPU's default stream.
  [[nodiscard]] Array copy(Order order = Order::c) const;
  /// Returns a copy with every element converted by C++'s rules: a conversion from float to integer truncates. A float out of
  /// range gives the nearest end of the range, NaN gives 0.
  ///
  /// The result is a copy even if the dtype is the same. Its axes have the array's order in memory; C order if one axis is
  /// broadcast. On a GPU the copy is queued on the default stream. Throws TypeError if `casting` forbids the conversion.
  [[nodiscard]] Array astype(DType dtype, Casting casting = Casting::unsafe) const;
  /// Returns astype(dtype_of<Value>): a.astype<float>().
  template <Element Value>
  [[nodiscard]] Array astype(Casting casting = Casting::unsafe) const {
    return astype(dtype_of<Value>, casting);
  }
  /// Returns a new host array in C order. The call waits for the device's default stream. Only the elements of a GPU array are
  /// transferred, not its gaps.
  [[nodiscard]] Array copy_to_host() const;
  /// Copies the elements into an array that the host can write. The two may overlap. Throws ShapeError unless the shapes are
  /// equal, TypeError unless the dtypes are.
  ///
  /// On a stream the copy is queued and keeps both arrays alive. The stream must belong to this array's device, or the call
  /// throws DeviceError. `existing` must not be read before Stream::synchronize(), which throws a fault of the copy.
  ///
  /// The driver may wait if the memory of `existing` is not page-locked (pinned(), register_host()). The call waits if
  /// `existing` has gaps and this array is on a GPU.
  void copy_to_host(const Array& existing, const TransferOptions& options = {}) const;
  /// @}

  /// @name Writing of elements
  ///
  /// A write to a view changes its base. Throws TypeError for a read-only array, with nothing written.
  /// @{
  /// Writes the elements of `source`, broadcast to this shape and converted by astype()'s rules. The two may overlap, and may
  /// be on different devices. On a GPU the write is queued on the default stream. Throws ShapeError if the shapes do not
  /// broadcast, TypeError if `casting` forbids the conversion.
  void assign(const Array& source, Casting casting = Casting::same_kind) const;
  /// Writes one value to every element. Throws TypeError if the value's kind is higher than the dtype's, or if the dtype cannot
  /// represent an integer.
  template <Element T>
  void fill(T value) const {
    fill_raw(dtype_of<T>, &value);
  }
  /// @}

  /// @name NumPy's methods that compute: the functions of kiln/statistics.hpp, with their contracts
  ///
  /// They reduce all axes, a.sum(), one, a.sum(0), or several, a.sum({.axis = {0, 1}, .keepdims = true}).
  /// @{
  [[nodiscard]] Array sum(const AxisOptions& options = {}) const;
  [[nodiscard]] Array sum(std::integral auto axis) const { return sum({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array prod(const AxisOptions& options = {}) const;
  [[nodiscard]] Array prod(std::integral auto axis) const { return prod({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array mean(const AxisOptions& options = {}) const;
  [[nodiscard]] Array mean(std::integral auto axis) const { return mean({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array min(const AxisOptions& options = {}) const;
  [[nodiscard]] Array min(std::integral auto axis) const { return min({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array max(const AxisOptions& options = {}) const;
  [[nodiscard]] Array max(std::integral auto axis) const { return max({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array argmax(const AxisOptions& options = {}) const;
  [[nodiscard]] Array argmax(std::integral auto axis) const { return argmax({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array argmin(const AxisOptions& options = {}) const;
  [[nodiscard]] Array argmin(std::integral auto axis) const { return argmin({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array var(const VarOptions& options = {}) const;
  [[nodiscard]] Array var(std::integral auto axis) const { return var(VarOptions{.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array std(const VarOptions& options = {}) const;
  [[nodiscard]] Array std(std::integral auto axis) const { return std(VarOptions{.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array cumsum(const CumulativeOptions& options = {}) const;
  [[nodiscard]] Array cumsum(std::integral auto axis) const { return cumsum({.axis = static_cast<int>(axis)}); }
  [[nodiscard]] Array cumprod(const CumulativeOptions& options = {}) const;
  [[nodiscard]] Array cumprod(std::integral auto axis) const { return cumprod({.axis = static_cast<int>(axis)}); }
  /// @}

  /// Constructor for the library's own use.
  explicit Array(std::shared_ptr<const detail::ArrayRep> rep) noexcept : rep_(std::move(rep)) {}
  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<const detail::ArrayRep>& rep() const noexcept { return rep_; }

 private:
  static Array full_raw(const Shape& shape, DType dtype, const void* value);
  static Array from_raw(const void* values, DType dtype, std::size_t count, const Shape* shape);
  [[nodiscard]] bool truth() const;
  [[nodiscard]] void* host_data(DType expected, bool writable, bool packed) const;
  void read_item(DType expected, void* value) const;
  void copy_elements(DType expected, void* values) const;
  void fill_raw(DType given, const void* value) const;

  std::shared_ptr<const detail::ArrayRep> rep_;
};

}  // namespace kiln
#include "kiln/device_array.hpp"  // IWYU pragma: export
#include "kiln/selection.hpp"     // IWYU pragma: export
