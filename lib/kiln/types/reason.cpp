#include "types/reason.hpp"

namespace kiln {

const char* name(Reason reason) noexcept {
  switch (reason) {
    case Reason::arguments:
      return "arguments";
    case Reason::axis:
      return "axis";
    case Reason::broadcast:
      return "broadcast";
    case Reason::capture:
      return "capture";
    case Reason::casting:
      return "casting";
    case Reason::compiler:
      return "compiler";
    case Reason::contiguous:
      return "contiguous";
    case Reason::core:
      return "core";
    case Reason::device:
      return "device";
    case Reason::driver:
      return "driver";
    case Reason::empty:
      return "empty";
    case Reason::fault:
      return "fault";
    case Reason::fork:
      return "fork";
    case Reason::format:
      return "format";
    case Reason::header:
      return "header";
    case Reason::identity:
      return "identity";
    case Reason::index:
      return "index";
    case Reason::loop:
      return "loop";
    case Reason::memory:
      return "memory";
    case Reason::order:
      return "order";
    case Reason::out:
      return "out";
    case Reason::overflow:
      return "overflow";
    case Reason::overlap:
      return "overlap";
    case Reason::places:
      return "places";
    case Reason::read_only:
      return "read_only";
    case Reason::reshape:
      return "reshape";
    case Reason::truth:
      return "truth";
    case Reason::undecided:
      return "undecided";
  }
  return "";
}

std::optional<Reason> reason_of(const std::exception& error) noexcept {
  const auto* const known = dynamic_cast<const HasReason*>(&error);
  return known != nullptr ? std::optional(known->reason()) : std::nullopt;
}

}  // namespace kiln
