// Reductions of arrays that several processes, devices or chunks hold in parts. Each part becomes accumulators, and those of
// neighbours are combined until all parts are there. The bits of the results do not depend on the cuts.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/axes.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/reduction.hpp"
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

namespace detail {
class PartialImpl;
}

/// Options of partial(). Every member has a default.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): members are in the order in which users name them
struct PartialOptions {
  /// Axes that are reduced. The array is cut along the first of them. By default axis 0 of a ufunc, all axes of a reduction.
  std::optional<Axes> axis = std::nullopt;
  std::int64_t global_offset = 0;  ///< index, along the cut axis, of this part's first element
  std::optional<std::int64_t> global_size =
      std::nullopt;     ///< extent of the cut axis over all parts; default: this part is the last
  ArrayArg where = {};  ///< mask: bool, broadcast with the inputs; finish() then needs an identity or .initial
  std::optional<DType> dtype = std::nullopt;    ///< forces the loop whose outputs have this dtype
  std::string_view signature = {};              ///< forces a loop of a reduction: "float32 -> float64" by dtype names
  Casting casting = Casting::same_kind;         ///< rule for every input and output of a reduction's loop
  Stream stream = {};                           ///< stream that the call is queued on
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none
};

/// Options of Partial::finish. Every member has a default.
struct FinishOptions {
  bool keepdims = false;                      ///< true: reduced axes stay, with extent 1
  std::optional<Arg> initial = std::nullopt;  ///< number that is combined before the elements; invalid for a struct
};

/// The accumulators of a part of what a ufunc or a reduction reduces. An immutable handle; copies share the arrays. Use from
/// several threads is safe.
///
/// Elements are numbered in C order over the reduced axes of the whole array. They are combined by the balanced binary tree
/// over these numbers: an element with its neighbour, then pairs with neighbouring pairs, and so on. A part has the
/// accumulators of the largest subtrees that it covers, at most 2 log₂ n for n elements.
///
/// Floating results are therefore the same to the bit for any cuts and any number of parts, threads and devices. The texts have
/// to compute the same on each device (docs/clusters.md). Results may differ in the last digits from those of a call without
/// parts.
class KILN_API Partial {
 public:
  /// Constructs an empty handle: valid() is false, and every other use throws TypeError.
  Partial() noexcept = default;
  /// Returns true if the handle has accumulators, or is of an empty part.
  [[nodiscard]] bool valid() const noexcept { return impl_ != nullptr; }

  /// Returns the index, along the cut axis, of the first element.
  [[nodiscard]] std::int64_t begin() const;
  /// Returns the index after the last element.
  [[nodiscard]] std::int64_t end() const;
  /// Returns the extent of the cut axis over all parts.
  [[nodiscard]] std::int64_t global_size() const;
  /// Returns the accumulators: an array for each member, of shape (subtrees, axes that are not reduced…).
  [[nodiscard]] std::span<const Array> states() const;

  /// Returns the accumulators of this part and the one that follows it. Throws TypeError if the parts are of different
  /// functions, definitions or dtypes. Throws ShapeError if their shapes differ, or if `next` does not begin where this part
  /// ends; the message names the elements that are missing or twice there. Runs on the default stream: synchronize the streams
  /// that the parts were queued on before.
  [[nodiscard]] Partial combine(const Partial& next) const;
  /// Returns the result of all parts, by the same rule of streams. Throws ShapeError if elements are missing, with their
  /// numbers. Throws TypeError for a function of several outputs, and what an empty reduction throws if there are no elements.
  [[nodiscard]] Array finish(const FinishOptions& options = {}) const;
  /// Returns the results of a function of any number of outputs, by the same rules.
  [[nodiscard]] std::vector<Array> finish_all(const FinishOptions& options = {}) const;

  /// Returns what bytes() wrote, of the same function as this part's, on the host. Throws TypeError for other bytes, as
  /// partial_from_bytes() does.
  [[nodiscard]] Partial read(std::string_view bytes) const;
  /// Returns the accumulators as bytes, for another process: the same on every machine of the same byte order. Waits for queued
  /// work.
  [[nodiscard]] std::string bytes() const;

  /// Constructor for the library's own use.
  explicit Partial(std::shared_ptr<const detail::PartialImpl> impl) noexcept : impl_(std::move(impl)) {}

 private:
  friend KILN_API Array accumulate_part(const Ufunc& function, const Array& a, const Partial& before,
                                        const PartialOptions& options);
  [[nodiscard]] const detail::PartialImpl& impl() const;

  std::shared_ptr<const detail::PartialImpl> impl_;
};

/// Returns the accumulators of a part, on the inputs' device. The inputs are broadcast together.
///
/// Throws TypeError if the function is not reorderable, or if its accumulators cannot be kept in arrays: members have to be of
/// kiln's dtypes. Throws ShapeError if the part does not lie within .global_size, or if no axis is reduced. Throws what a call
/// of the function throws.
[[nodiscard]] KILN_API Partial partial(const Reduction& function, std::span<const Arg> args,
                                       const PartialOptions& options = {});
[[nodiscard]] inline Partial partial(const Reduction& function, std::initializer_list<Arg> args,
                                     const PartialOptions& options = {}) {
  return partial(function, std::span<const Arg>(args.begin(), args.size()), options);
}
[[nodiscard]] inline Partial partial(const Reduction& function, const Arg& a, const PartialOptions& options = {}) {
  return partial(function, std::span<const Arg>(&a, 1), options);
}
/// Returns the accumulators of a part for Ufunc::reduce, by the same rules. `.signature` and `.casting` are not used.
[[nodiscard]] KILN_API Partial partial(const Ufunc& function, const Array& a, const PartialOptions& options = {});

/// Returns the running results of a part, which go on from all elements before it: Ufunc::accumulate of an array in parts.
/// `before` has the accumulators of the elements from 0 to .global_offset; a part that begins at 0 needs none.
///
/// The accumulators of the largest subtrees before an element are combined in their order, and then with the element. Floating
/// results are therefore the same to the bit for any cuts and any number of parts, threads and devices.
///
/// One axis is reduced. Results are on the input's device. Takes the memory of three arrays of the accumulators' dtype. Throws
/// TypeError if the function is not reorderable, for .where, and if `before` is of another function, definition or dtype.
/// Throws ShapeError if `before` does not end where the part begins.
[[nodiscard]] KILN_API Array accumulate_part(const Ufunc& function, const Array& a, const Partial& before,
                                             const PartialOptions& options = {});

/// Returns what Partial::bytes() wrote, on the host. Throws TypeError if the bytes are no accumulators, are damaged, or are of
/// another function, definition or version.
[[nodiscard]] KILN_API Partial partial_from_bytes(const Reduction& function, std::string_view bytes);
[[nodiscard]] KILN_API Partial partial_from_bytes(const Ufunc& function, std::string_view bytes);

}  // namespace kiln
