// Ufunc::at in its forms.
#include "call/stoppable.hpp"
#include "kiln/ufunc.hpp"
#include "ufunc/at_call.hpp"

namespace kiln {

namespace {

void call_at(const detail::UfuncImpl& ufunc, const Array& a, std::span<const Array> indices, const Arg* b,
             const AtOptions& options) {
  ufunc.check_of_elements(".at");
  call::stoppable(ufunc.name(), ".at", options,
                  [&](const backend::StopRequest* stop) { ufunc::AtCall(ufunc, a, indices, b, options, stop).run(); });
}

}  // namespace

void Ufunc::at(const Array& a, const Array& indices, const Arg& b, const AtOptions& options) const {
  call_at(*impl_, a, {&indices, 1}, &b, options);
}
void Ufunc::at(const Array& a, std::span<const Array> indices, const Arg& b, const AtOptions& options) const {
  call_at(*impl_, a, indices, &b, options);
}
void Ufunc::at(const Array& a, const Array& indices, const AtOptions& options) const {
  call_at(*impl_, a, {&indices, 1}, nullptr, options);
}
void Ufunc::at(const Array& a, std::span<const Array> indices, const AtOptions& options) const {
  call_at(*impl_, a, indices, nullptr, options);
}

}  // namespace kiln
