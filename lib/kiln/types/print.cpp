// Names of kinds, and the streams that they and others are written to.
#include "kiln/print.hpp"

#include <ostream>

namespace kiln {

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "boolean";
    case Kind::integer:
      return "integer";
    case Kind::floating:
      return "floating";
    case Kind::complex:
      break;
  }
  return "complex";
}

std::string to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::hip:
      break;
  }
  return "hip";
}

std::ostream& detail::print(std::ostream& stream, std::string_view text) {
  return stream << text;
}

}  // namespace kiln
