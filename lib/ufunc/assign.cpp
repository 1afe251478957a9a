// Array::assign() and fill(): on the host a strided copy, on a GPU a kernel.
#include "array/rep.hpp"
#include "call/window.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "layout/broadcast.hpp"
#include "types/convert.hpp"

namespace kiln {
namespace {

const Ufunc& assignment() {
  static const Ufunc ufunc = vectorize({.name = "assign", .signatures = {"T(T x)"}, .body = "return x;"});
  return ufunc;
}

void check_writable(const Array& array, const char* what) {
  if (array.read_only()) throw TypeError(std::string(what) + ": the array is read-only; write to a copy() of it");
}

}  // namespace

void Array::assign(const Array& source, Casting casting) const {
  check_writable(*this, "assign");
  if (!can_cast(source.dtype(), dtype(), casting)) {
    throw TypeError("assign: cannot cast from " + std::string(kiln::name(source.dtype())) + " to " +
                    std::string(kiln::name(dtype())) + " under casting \"" + std::string(kiln::name(casting)) +
                    "\"; give Casting::unsafe to convert all the same");
  }
  if (!layout::broadcasts_to(source.shape(), shape())) {
    throw ShapeError("assign: the source of shape " + to_string(source.shape()) + " does not broadcast to " +
                     to_string(shape()));
  }
  if (size() == 0) return;
  if (!device().is_cpu()) {
    assignment()({source}, {.out = *this, .casting = casting});
    return;
  }
  Array elements = source.device().is_cpu() ? source : source.copy_to_host();
  if (call::share_memory(*elements.rep(), *rep_)) elements = elements.copy();
  detail::copy_host(*elements.broadcast_to(shape()).rep(), *rep_);
}

void Array::fill_raw(DType given, const void* value) const {
  check_writable(*this, "fill");
  const auto name_of = [](DType dtype) { return std::string(kiln::name(dtype)); };
  if (kind(given) > kind(dtype())) {
    throw TypeError("fill: a value of dtype " + name_of(given) + " does not convert to " + name_of(dtype()) +
                    "; convert it first");
  }
  if (kind(dtype()) == Kind::integer && !integer_fits(given, value, dtype())) {
    throw TypeError("fill: the integer " + integer_text(given, value) + " does not fit in " + name_of(dtype()));
  }
  const Array element = empty({}, dtype());
  convert_scalar(given, value, dtype(), element.data());
  assign(element, Casting::no);
}

}  // namespace kiln
