#include "call/shapes.hpp"

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::call {

void fail_broadcast(const std::string& what, std::size_t count, base::FunctionRef<const detail::ArrayRep*(std::size_t)> rep_of,
                    NameOf name_of) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const detail::ArrayRep* const rep = rep_of(i);
    if (rep != nullptr) text += (text.empty() ? "" : ", ") + name_of(i) + " " + to_string(rep->shape);
  }
  throw Because<ShapeError>(Reason::broadcast, what + ": shapes do not broadcast: " + text +
                                                   "; extents must be equal or 1, counted from the last axis");
}

void fail_read_only(const std::string& what, const std::string& name) {
  throw Because<TypeError>(Reason::read_only, what + ": " + name + " is read-only; give a writable array as .out");
}

void fail_out_shape(const std::string& what, const std::string& name, const Shape& given, const Shape& result) {
  throw Because<ShapeError>(Reason::out, what + ": " + name + " has shape " + to_string(given) + ", the result has shape " +
                                             to_string(result) + "; .out is never broadcast");
}

void fail_own_overlap(const std::string& what, const std::string& name) {
  throw ShapeError(what + ": elements of " + name + " share memory with one another; give an .out whose elements are distinct");
}

void fail_shared_outputs(const std::string& what, const std::string& a, const std::string& b) {
  throw ShapeError(what + ": " + a + " and " + b + " share memory; give outputs that do not overlap");
}

}  // namespace kiln::call
