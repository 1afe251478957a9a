// abs() beside a source's own of other types: names of the user's namespace hide kiln's, and CUDA's are there as well.
#pragma once
#include "kiln/core/cuda_minimum.hpp"
#include "kiln/math/math.hpp"

namespace kiln::user {

template <number_of_cuda T>
KILN_FN auto abs(T x) {
  return ::kiln::abs(x);
}

}  // namespace kiln::user
