// What calls check of their arguments beside a loop that is chosen: the same for ufuncs and generalized ufuncs.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "kiln/arg.hpp"
#include "kiln/cache.hpp"
#include "kiln/ufunc.hpp"
#include "ufunc/loops.hpp"

namespace kiln::ufunc {

/// "1 array", "2 arrays".
std::string counted(std::size_t count, const char* noun);

/// TypeError unless that many results are asked of a function of `nout` outputs.
void check_results_wanted(const std::string& function, std::size_t nout, std::size_t wanted);

/// TypeError where a call has compiled no kernel, as there is nothing to compute.
void check_compiled(const std::string& function, const cache::Contents& kernel);

/// The call, for messages: "input 1 (b)" by an operand's number, inputs counted first.
struct CallNames {
  const std::string& function;
  std::function<std::string(std::size_t operand)> operand;
};

/// The arrays of .out: none, or one for each output; an empty handle among them stands for a fresh array, as None does in
/// NumPy. TypeError for another number of them, or for nothing but empty handles.
std::span<const Array> outs_given(const CallNames& names, std::size_t nin, std::size_t nout, const Outputs& out);

/// TypeError where a result of the loop does not cast to the dtype of its given array.
void check_results(const CallNames& names, const Loop& loop, std::span<const Array> outs, Casting casting);

/// TypeError where the integer scalar given as that input does not fit in the integer dtype that the loop wants.
void check_fits(const CallNames& names, const Loop& loop, const Arg& scalar, std::size_t operand, DType to, Casting casting);

/// TypeError where a mask is no bool array.
void check_mask(const CallNames& names, const Array& where);

}  // namespace kiln::ufunc
