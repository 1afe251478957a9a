// Ufunc::at in its forms.
#include "call/stoppable.hpp"
#include "kiln/ufunc.hpp"
#include "ufunc/at_call.hpp"

namespace kiln {

void Ufunc::at(const Array& a, const Array& indices, const Arg& b, const AtOptions& options) const {
  call::stoppable(impl_->name(), ".at", options, [&] { ufunc::AtCall(*impl_, a, {&indices, 1}, &b, options).run(); });
}
void Ufunc::at(const Array& a, std::span<const Array> indices, const Arg& b, const AtOptions& options) const {
  call::stoppable(impl_->name(), ".at", options, [&] { ufunc::AtCall(*impl_, a, indices, &b, options).run(); });
}
void Ufunc::at(const Array& a, const Array& indices, const AtOptions& options) const {
  call::stoppable(impl_->name(), ".at", options, [&] { ufunc::AtCall(*impl_, a, {&indices, 1}, nullptr, options).run(); });
}
void Ufunc::at(const Array& a, std::span<const Array> indices, const AtOptions& options) const {
  call::stoppable(impl_->name(), ".at", options, [&] { ufunc::AtCall(*impl_, a, indices, nullptr, options).run(); });
}

}  // namespace kiln
