#include "functions/nonzero.hpp"

#include "kiln/creation.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/math.hpp"

namespace kiln::functions {
namespace {

Array on_host(const Array& truths) {
  const bool* const truth = truths.as<const bool>();
  const std::int64_t size = truths.size();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < size; ++i) count += truth[i] ? 1 : 0;
  const Array found = Array::empty(count, DType::int64);
  auto* place = found.as<std::int64_t>();
  auto* const end = place + count;
  // Each number is written, and stays where the element is true: no branch depends on the elements.
  for (std::int64_t i = 0; place != end; ++i) {
    *place = i;
    place += truth[i] ? 1 : 0;
  }
  return truths.is_host() ? found : to_device(found, truths.device());
}

/// Finds the element with which the running count first exceeds `rank`, in steps that halve the range.
const Gufunc& search() {
  static const Gufunc made = guvectorize({.name = "nonzero",
                                          .layout = "(n),()->()",
                                          .signatures = {"void(int64[:] counts, int64 rank, int64 place)"},
                                          .body = "index low = 0, high = n - 1;"
                                                  "while (low < high) {"
                                                  "  const index middle = low + (high - low) / 2;"
                                                  "  if (counts[middle] > rank) high = middle;"
                                                  "  else low = middle + 1;"
                                                  "}"
                                                  "place = low;"});
  return made;
}

}  // namespace

Array flat_nonzero(const Array& a) {
  const Array truths = (a.dtype() == DType::bool_ ? a : a.astype(DType::bool_)).ravel();
  if (truths.device().is_cpu()) return on_host(truths);
  if (truths.size() == 0) return device_array(0, DType::int64, truths.device());
  const Array counts = math::add.accumulate(truths);
  const auto count = counts[-1].item<std::int64_t>();
  return search()(counts, arange(count, {.device = truths.device()}));
}

}  // namespace kiln::functions
