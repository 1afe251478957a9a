#include "layout/overlap.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kiln::layout {
namespace {

// Two windows share a byte where sum(a_i x_i) + u = sum(b_j y_j) + v + distance has a solution with every variable in its
// bounds; substituting y -> bound - y makes all coefficients positive: a bounded linear Diophantine equation. It is solved by
// depth-first search over the terms, largest coefficient first, cut by the range and the gcd of what remains.
struct Term {
  std::int64_t coefficient;
  std::int64_t bound;  // variable is in [0, bound]
};

constexpr std::int64_t kMaxSteps = 1 << 16;
// Holds products of the strides and extents of hostile views.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ takes no using

class Search {
 public:
  explicit Search(std::vector<Term> terms) : terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
    // Equal coefficients are one variable: without this, interleaved halves of a large array would run out of steps.
    std::size_t kept = 0;
    for (std::size_t i = 1; i < terms_.size(); ++i) {
      if (terms_[i].coefficient == terms_[kept].coefficient) {
        terms_[kept].bound += terms_[i].bound;
      } else {
        terms_[++kept] = terms_[i];
      }
    }
    if (!terms_.empty()) terms_.resize(kept + 1);
    gcd_.resize(terms_.size() + 1, 0);
    reach_.resize(terms_.size() + 1, 0);
    for (std::size_t i = terms_.size(); i-- > 0;) {
      gcd_[i] = std::gcd(gcd_[i + 1], terms_[i].coefficient);
      reach_[i] = reach_[i + 1] + static_cast<Wide>(terms_[i].coefficient) * terms_[i].bound;
    }
  }

  /// Whether some choice of the variables gives `sum`; true also when out of steps.
  bool possible(std::int64_t sum) { return possible(0, sum); }

 private:
  bool possible(std::size_t i, Wide sum) {
    if (++steps_ > kMaxSteps) return true;
    if (sum < 0 || sum > reach_[i]) return false;
    if (sum == 0) return true;
    if (i == terms_.size() || sum % gcd_[i] != 0) return false;
    const Term& term = terms_[i];
    // What the remaining terms cannot reach, this one must; what exceeds the sum it must not.
    Wide low = sum - reach_[i + 1];
    low = low <= 0 ? 0 : (low + term.coefficient - 1) / term.coefficient;
    const Wide high = std::min<Wide>(term.bound, sum / term.coefficient);
    for (Wide x = high; x >= low; --x) {
      if (possible(i + 1, sum - x * term.coefficient)) return true;
      if (steps_ > kMaxSteps) return true;
    }
    return false;
  }

  std::vector<Term> terms_;
  std::vector<std::int64_t> gcd_;
  std::vector<Wide> reach_;
  std::int64_t steps_ = 0;
};

void add_terms(std::vector<Term>& terms, const Window& window) {
  for (std::size_t d = 0; d < window.shape.size(); ++d) {
    const std::int64_t stride = std::abs(window.strides[d]);
    if (window.shape[d] > 1 && stride != 0) terms.push_back({stride, window.shape[d] - 1});
  }
  if (window.itemsize > 1) terms.push_back({1, window.itemsize - 1});
}

}  // namespace

Extent extent_of(const Window& window) noexcept {
  Extent extent{window.data, window.data + window.itemsize};
  for (std::size_t d = 0; d < window.shape.size(); ++d) {
    const std::int64_t reach = window.strides[d] * (window.shape[d] - 1);
    if (reach < 0) extent.begin += reach;
    if (reach > 0) extent.end += reach;
  }
  return extent;
}

bool overlaps(const Window& a, const Window& b) {
  const Extent ea = extent_of(a);
  const Extent eb = extent_of(b);
  if (ea.end <= eb.begin || eb.end <= ea.begin) return false;
  std::vector<Term> terms;
  add_terms(terms, a);
  add_terms(terms, b);
  // Byte of a: ea.begin + X. Byte of b, counted from its end: eb.end - 1 - Y. Equal where X + Y is their distance.
  return Search(std::move(terms)).possible(eb.end - 1 - ea.begin);
}

bool overlaps_itself(const Window& window) {
  // Packed dimensions cannot collide: sorted by stride, each row must end before the next begins.
  std::vector<Term> dims;
  for (std::size_t d = 0; d < window.shape.size(); ++d) {
    if (window.shape[d] <= 1) continue;
    if (window.strides[d] == 0) return true;
    dims.push_back({std::abs(window.strides[d]), window.shape[d] - 1});
  }
  std::sort(dims.begin(), dims.end(), [](const Term& x, const Term& y) { return x.coefficient < y.coefficient; });
  Wide reach = window.itemsize - 1;
  bool nested = true;
  for (const Term& dim : dims) {
    nested &= dim.coefficient > reach;
    reach += static_cast<Wide>(dim.coefficient) * dim.bound;
  }
  if (nested) return false;
  // Rows interleave: some dimension must differ between two colliding elements. For each in turn let it differ by at least 1.
  for (std::size_t fixed = 0; fixed < dims.size(); ++fixed) {
    std::vector<Term> terms;
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      // The difference of two indices, shifted to [0, 2 bound]; that of the fixed dimension to [1, bound].
      if (d == fixed) {
        terms.push_back({dims[d].coefficient, dims[d].bound - 1});
        sum -= dims[d].coefficient;
      } else {
        terms.push_back({dims[d].coefficient, 2 * dims[d].bound});
        sum += dims[d].coefficient * dims[d].bound;
      }
    }
    if (window.itemsize > 1) {
      terms.push_back({1, 2 * (window.itemsize - 1)});
      sum += window.itemsize - 1;
    }
    if (Search(std::move(terms)).possible(sum)) return true;
  }
  return false;
}

}  // namespace kiln::layout
