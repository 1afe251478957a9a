// The common shape of a call's inputs, and what given outputs must be.
#pragma once

#include <cstddef>
#include <string>

#include "array/rep.hpp"
#include "call/names.hpp"
#include "call/window.hpp"
#include "layout/broadcast.hpp"

namespace kiln::call {

/// The ShapeError for operands whose shapes do not broadcast; the last of `count` is the first that does not fit. rep_of(i) may
/// be null.
[[noreturn]] void fail_broadcast(const std::string& what, std::size_t count,
                                 base::FunctionRef<const detail::ArrayRep*(std::size_t)> rep_of, NameOf name_of);

/// Widens `shape` to what it and all arrays broadcast to. ShapeError where they do not, and where the result has too many
/// elements.
template <class What, class RepOf>
void broadcast_all(const What& what, std::size_t count, const RepOf& rep_of, NameOf name_of, Shape& shape) {
  for (std::size_t i = 0; i < count; ++i) {
    const detail::ArrayRep* const rep = rep_of(i);
    if (rep != nullptr && !layout::broadcast_into(shape, rep->shape)) fail_broadcast(text_of(what), i + 1, rep_of, name_of);
  }
}

[[noreturn]] void fail_read_only(const std::string& what, const std::string& name);
[[noreturn]] void fail_out_shape(const std::string& what, const std::string& name, const Shape& given, const Shape& result);
[[noreturn]] void fail_own_overlap(const std::string& what, const std::string& name);
[[noreturn]] void fail_shared_outputs(const std::string& what, const std::string& a, const std::string& b);

/// TypeError for an output that is read-only; ShapeError for one of another shape than the result's, and for one whose elements
/// share memory.
template <class What>
void check_output(const What& what, const detail::ArrayRep& out, const Shape& shape, NameOf name_of, std::size_t operand) {
  if (out.read_only) [[unlikely]]
    fail_read_only(text_of(what), name_of(operand));
  if (&out.shape != &shape && !(out.shape == shape)) [[unlikely]]
    fail_out_shape(text_of(what), name_of(operand), out.shape, shape);
  if (!out.c_contiguous && out.size > 1 && layout::overlaps_itself(window_of(out))) [[unlikely]]
    fail_own_overlap(text_of(what), name_of(operand));
}

}  // namespace kiln::call
