#include "types/reason.hpp"

namespace kiln {

const char* name(Reason reason) noexcept {
  switch (reason) {
    case Reason::axis:
      return "axis";
    case Reason::broadcast:
      return "broadcast";
    case Reason::casting:
      return "casting";
    case Reason::identity:
      return "identity";
    case Reason::index:
      return "index";
    case Reason::loop:
      return "loop";
    case Reason::overflow:
      return "overflow";
    case Reason::read_only:
      return "read_only";
  }
  return "";
}

std::optional<Reason> reason_of(const std::exception& error) noexcept {
  const auto* const known = dynamic_cast<const HasReason*>(&error);
  return known != nullptr ? std::optional(known->reason()) : std::nullopt;
}

}  // namespace kiln
