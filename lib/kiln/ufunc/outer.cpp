// Ufunc::outer: the ordinary call on a view with new axes.
#include "array/rep.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "ufunc/impl.hpp"

namespace kiln {

Array Ufunc::outer(const Arg& a, const Arg& b, const CallOptions& options) const {
  if (impl_->nin() != 2 || impl_->nout() != 1) {
    throw TypeError(name() + ".outer: only a ufunc of two inputs and one output has outer; this one has " +
                    std::to_string(impl_->nin()) + " and " + std::to_string(impl_->nout()));
  }
  // An empty handle is the call's to refuse.
  const bool widen = a.is_array() && b.is_array() && a.array().valid() && b.array().valid() && b.array().ndim() > 0;
  if (!widen) return (*this)({a, b}, options);
  detail::ArrayRep rep = detail::view_rep(a.array());
  for (int i = 0; i < b.array().ndim(); ++i) {
    rep.shape.push_back(1);
    rep.strides.push_back(0);
  }
  const Array view = detail::make_array(std::move(rep));
  return (*this)({view, b}, options);
}

}  // namespace kiln
