#include "ufunc/reduction_loop.hpp"

#include <string>

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::ufunc {
namespace {

std::string what_of(const ReductionLoopRequest& request) {
  return std::string(request.name) + "." + std::string(request.method);
}

Loop loop_of(const ReductionLoopRequest& request, DType dtype) {
  const Argument twice[] = {{dtype, false}, {dtype, false}};
  const std::string what = what_of(request);
  const LoopRequest two{.name = what,
                        .options = ".dtype",
                        .reduces = true,
                        .signatures = request.signatures,
                        .arguments = twice,
                        .definition = request.definition};
  return request.source != nullptr ? request.source->choose(two) : choose_loop(two);
}

bool is_uniform(const Loop& loop) {
  return loop.inputs[0] == loop.outputs[0] && loop.inputs[1] == loop.outputs[0];
}

std::optional<Loop> uniform_loop(const ReductionLoopRequest& request, DType dtype) {
  if (request.source != nullptr) {
    Loop loop = loop_of(request, dtype);
    return is_uniform(loop) ? std::optional(std::move(loop)) : std::nullopt;
  }
  const DType all[] = {dtype, dtype, dtype};
  return find_loop(request.signatures, all);
}

DType widened(DType dtype) {
  if (kind(dtype) == Kind::boolean) return DType::int64;
  if (kind(dtype) != Kind::integer || itemsize(dtype) == 8) return dtype;
  return can_cast(dtype, DType::uint64, Casting::safe) ? DType::uint64 : DType::int64;
}

}  // namespace

Loop choose_reduction_loop(const ReductionLoopRequest& request) {
  const std::string what = what_of(request);
  const signature::TypeSignature& first = request.signatures.front();
  if (first.inputs.size() != 2 || first.outputs.size() != 1) {
    throw TypeError(what + " wants a ufunc of two inputs and one output, and " + std::string(request.name) + " has " +
                    std::to_string(first.inputs.size()) + " and " + std::to_string(first.outputs.size()));
  }
  if (request.dtype) {
    if (std::optional<Loop> loop = uniform_loop(request, *request.dtype)) return std::move(*loop);
    throw Because<TypeError>(Reason::loop, what + ": no loop takes two " + std::string(name(*request.dtype)) +
                                               " and gives one, as .dtype asks; its loops are " + texts_of(request.signatures));
  }
  if (request.definition != nullptr && request.definition->widens_integers && !request.has_out) {
    if (std::optional<Loop> loop = uniform_loop(request, widened(request.array))) return std::move(*loop);
  }
  Loop loop = loop_of(request, request.array);
  if (is_uniform(loop)) return loop;
  // Quotients of integers are floating: then all of it runs in what comes out.
  const DType result = loop.outputs[0];
  if (can_cast(request.array, result, Casting::safe) || (result == DType::bool_ && request.identity)) {
    if (std::optional<Loop> uniform = uniform_loop(request, result)) return std::move(*uniform);
  }
  throw Because<TypeError>(
      Reason::loop,
      what + ": the loop " + loop.text + " that runs for " + std::string(name(request.array)) +
          " does not give what it takes, so results cannot be combined further; force a loop of one dtype with .dtype");
}

}  // namespace kiln::ufunc
