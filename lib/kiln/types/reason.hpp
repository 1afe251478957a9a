// Why an error was thrown, beyond its class: for languages that have a class for each.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace kiln {

enum class Reason : std::uint8_t {
  arguments,   ///< a wrong number of arguments
  axis,        ///< an axis that the array does not have
  broadcast,   ///< shapes that do not broadcast
  capture,     ///< what cannot be captured in a graph
  casting,     ///< a cast that the casting rule forbids
  compiler,    ///< no compiler for a kernel that has to be compiled
  contiguous,  ///< elements that are not in C order
  core,        ///< core dimensions that do not fit the layout
  device,      ///< a device that the machine does not have
  driver,      ///< a vendor's driver that is missing or fails
  empty,       ///< an empty handle
  fault,       ///< a fault of a kernel
  fork,        ///< a GPU in a forked process
  format,      ///< a file that is damaged, or of another format
  header,      ///< a header that cannot be read
  identity,    ///< no element to combine, and no identity
  index,       ///< an index that its axis does not have
  loop,        ///< dtypes that no loop takes
  memory,      ///< no room for an allocation
  order,       ///< a reduction whose order counts, over several axes
  out,         ///< an output of another shape than the result's
  overflow,    ///< a number that its dtype does not hold
  overlap,     ///< operands that share memory where they may not
  places,      ///< operands on several devices
  read_only,   ///< a read-only array that would be written
  reshape,     ///< another number of elements than the shape has
  truth,       ///< the truth of an array of several elements
  undecided    ///< a type variable that nothing decides
};

/// Returns "axis", "read_only".
[[nodiscard]] const char* name(Reason reason) noexcept;

/// What an exception of a known reason has beside its class.
class HasReason {
 public:
  [[nodiscard]] Reason reason() const noexcept { return reason_; }

 protected:
  explicit HasReason(Reason reason) noexcept : reason_(reason) {}
  ~HasReason() = default;

 private:
  Reason reason_;
};

/// An E with a reason: throw Because<ShapeError>(Reason::axis, "…").
template <class E>
class Because final : public E, public HasReason {
 public:
  template <class... More>
  Because(Reason reason, const std::string& message, More&&... more)
      : E(message, std::forward<More>(more)...), HasReason(reason) {}
};

/// Returns the reason of an exception, where it has one.
[[nodiscard]] std::optional<Reason> reason_of(const std::exception& error) noexcept;

/// Throws an E with another message and the reason of `error`.
template <class E>
[[noreturn]] void throw_again(const E& error, const std::string& message) {
  if (const std::optional<Reason> reason = reason_of(error)) throw Because<E>(*reason, message);
  throw E(message);
}

}  // namespace kiln
