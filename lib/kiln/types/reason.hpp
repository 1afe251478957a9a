// Why an error was thrown, beyond its class: for languages that have a class for each.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace kiln {

enum class Reason : std::uint8_t {
  axis,       ///< an axis that the array does not have
  broadcast,  ///< shapes that do not broadcast
  casting,    ///< a cast that the casting rule forbids
  identity,   ///< no element to combine, and no identity
  index,      ///< an index that its axis does not have
  loop,       ///< dtypes that no loop takes
  overflow,   ///< a number that its dtype does not hold
  read_only   ///< a read-only array that would be written
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
  Because(Reason reason, const std::string& message) : E(message), HasReason(reason) {}
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
