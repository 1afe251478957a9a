// Ufunc::outer: the ordinary call on a view with new axes.
#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "ufunc/impl.hpp"

namespace kiln {

Array Ufunc::outer(const Arg& a, const Arg& b, const CallOptions& options) const {
  impl_->check_of_elements(".outer");
  if (impl_->nin() != 2 || impl_->nout() != 1) {
    throw TypeError(name() + ".outer: only a ufunc of two inputs and one output has outer; this one has " +
                    std::to_string(impl_->nin()) + " and " + std::to_string(impl_->nout()));
  }
  // An empty handle is the call's to refuse.
  const Array of_a = call::array_of(a);
  const Array of_b = call::array_of(b);
  if (!of_a.valid() || !of_b.valid() || of_b.ndim() == 0) return (*this)({a, b}, options);
  detail::ArrayRep rep = detail::view_rep(of_a);
  for (int i = 0; i < of_b.ndim(); ++i) {
    rep.shape.push_back(1);
    rep.strides.push_back(0);
  }
  const Array view = detail::make_array(std::move(rep));
  return (*this)({view, of_b}, options);
}

}  // namespace kiln
