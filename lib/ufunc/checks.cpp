#include "ufunc/checks.hpp"

#include <algorithm>

#include "kiln/error.hpp"
#include "types/convert.hpp"

namespace kiln::ufunc {

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void check_results_wanted(const std::string& function, std::size_t nout, std::size_t wanted) {
  if (nout == wanted) return;
  if (wanted == 1) {
    throw TypeError(function + " has " + std::to_string(nout) + " outputs: call outputs<" + std::to_string(nout) +
                    ">() instead of operator()");
  }
  throw TypeError(function + " has " + counted(nout, "output") + ", not " + std::to_string(wanted));
}

void check_compiled(const std::string& function, const cache::Contents& kernel) {
  if (!kernel.code.empty()) return;
  throw TypeError(function + ": there is nothing to compute, so that no kernel would run; give arrays that have elements");
}

std::span<const Array> outs_given(const CallNames& names, std::size_t nin, std::size_t nout, const Outputs& out) {
  const std::span<const Array> outs = out.arrays();
  if (outs.empty()) return outs;
  if (outs.size() != nout) {
    throw TypeError(names.function + " has " + counted(nout, "output") + ", .out names " + counted(outs.size(), "array"));
  }
  if (std::none_of(outs.begin(), outs.end(), [](const Array& array) { return static_cast<bool>(array); })) {
    throw TypeError(names.function + ": " + names.operand(nin) + " is an empty Array handle, not an array" +
                    (nout > 1 ? ", and so are the others; leave .out away for fresh results" : ""));
  }
  return outs;
}

void check_results(const CallNames& names, const Loop& loop, std::span<const Array> outs, Casting casting) {
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i]) continue;
    const DType to = outs[i].dtype();
    if (can_cast(loop.outputs[i], to, casting)) continue;
    throw TypeError(names.function + ": cannot cast " + names.operand(loop.inputs.size() + i) + " from " +
                    std::string(name(loop.outputs[i])) + " to the out array's " + std::string(name(to)) + " under casting \"" +
                    std::string(name(casting)) + "\" for the loop " + loop.text);
  }
}

void check_fits(const CallNames& names, const Loop& loop, const Arg& scalar, std::size_t operand, DType to, Casting casting) {
  if (kind(scalar.dtype()) != Kind::integer || kind(to) != Kind::integer || casting == Casting::unsafe ||
      integer_fits(scalar.dtype(), scalar.value(), to)) {
    return;
  }
  throw TypeError(names.function + ": the integer " + integer_text(scalar.dtype(), scalar.value()) + " given as " +
                  names.operand(operand) + " does not fit in " + std::string(name(to)) + ", the dtype of the loop " +
                  loop.text);
}

void check_mask(const CallNames& names, const Array& where) {
  if (where.dtype() == DType::bool_) return;
  throw TypeError(names.function + ": cannot cast .where from " + std::string(name(where.dtype())) +
                  " to bool; give a bool array, such as the result of a comparison");
}

}  // namespace kiln::ufunc
