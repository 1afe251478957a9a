// The methods of arrays that compute.
#include "kiln/array.hpp"
#include "kiln/statistics.hpp"

namespace kiln {

Array Array::sum(const AxisOptions& options) const {
  return kiln::sum(*this, options);
}
Array Array::prod(const AxisOptions& options) const {
  return kiln::prod(*this, options);
}
Array Array::mean(const AxisOptions& options) const {
  return kiln::mean(*this, options);
}
Array Array::min(const AxisOptions& options) const {
  return kiln::min(*this, options);
}
Array Array::max(const AxisOptions& options) const {
  return kiln::max(*this, options);
}
Array Array::argmin(const AxisOptions& options) const {
  return kiln::argmin(*this, options);
}
Array Array::argmax(const AxisOptions& options) const {
  return kiln::argmax(*this, options);
}
Array Array::var(const VarOptions& options) const {
  return kiln::var(*this, options);
}
Array Array::std(const VarOptions& options) const {
  return kiln::std(*this, options);
}
Array Array::cumsum(const CumulativeOptions& options) const {
  return kiln::cumsum(*this, options);
}
Array Array::cumprod(const CumulativeOptions& options) const {
  return kiln::cumprod(*this, options);
}

}  // namespace kiln
