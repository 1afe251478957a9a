// A call without its data: what a manifest keeps of it, and the arrays that stand in for the call's when it is planned.
#pragma once

#include <compare>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "kiln/arg.hpp"
#include "kiln/methods.hpp"
#include "layout/reduction.hpp"

namespace kiln::call {

/// Operands are texts: "float32" is a C++ scalar, "float32 = 0.5" a constant of the kernel, "float32[3, 4]" an array in C
/// order. Behind it may stand how else it lies, in bytes: "strides [4, 12]", "offset 4" (from a boundary of 64), "of input 0"
/// (an output in the window of that input), and then "host", of an array of the host that a GPU gets packed.
struct Description {
  std::string method = {};  ///< of a ufunc: "reduce"; empty: a call
  std::vector<std::string> inputs = {};
  std::string where = {};                     ///< empty: no mask
  std::vector<std::string> out = {};          ///< empty: no .out; an empty text: that result is fresh
  std::string loop = {};                      ///< "float32, float32 -> float32"; empty: the one that the call chooses
  std::optional<DType> dtype = {};            ///< .dtype of a method
  std::optional<std::vector<int>> axis = {};  ///< as left out where there is none
  bool all_axes = false;                      ///< instead
  std::vector<std::vector<int>> axes = {};
  bool keepdims = false;
  bool initial = false;                                 ///< with .initial
  std::optional<layout::SegmentLengths> segments = {};  ///< of reduceat: one that is the whole axis where there are none
  std::optional<std::int64_t> size = {};                ///< .size of a ufunc whose shape no array decides
  bool any_sizes = false;                               ///< of a gufunc: by the kernel that knows no sizes of cores

  void set_axes(const Axes& given);
  [[nodiscard]] Axes axes_or(const Axes& left_out) const;
  friend auto operator<=>(const Description&, const Description&) = default;
};

/// The text of an array; `extra` stands behind the strides.
[[nodiscard]] std::string text_of(const detail::ArrayRep& rep, const std::string& extra = {});

/// " = 0.5": what stands behind the dtype of a scalar that is a constant of the kernel.
[[nodiscard]] std::string scalar_value_text(const Arg& scalar);

/// An array that lies so, in no memory: at an address that shares no byte with those of other operands.
[[nodiscard]] Array in_no_memory(const Shape& shape, const Strides& strides, DType dtype, std::size_t operand,
                                 const Device& device, bool on_host);

/// What the call is planned with.
struct StandIns {
  /// TypeError and ShapeError for a text that cannot be read, or an array that is too large.
  StandIns(const Description& call, DeviceKind kind);
  std::vector<Arg> args;
  ArrayArg where;
  std::vector<ArrayArg> out;
};

/// The calls that were reported. Safe from any thread.
class Reported {
 public:
  /// False for one that was added before, and once there are too many.
  bool add(const Description& call);

 private:
  std::mutex mutex_;
  std::set<Description> known_;
};

}  // namespace kiln::call
