#include "ufunc/reduction_plan.hpp"

namespace kiln::ufunc {

codegen::ReductionSpec specialize(const ReductionRequest& request, const layout::Reduction&, std::span<const void* const>,
                                  const DeviceInfo&) {
  return {.inputs = {{request.array, request.loop}},
          .outputs = {{request.result, request.loop}},
          .identity = request.identity,
          .masked = request.masked,
          .ordered = request.ordered};
}

std::uint64_t bits_of(const codegen::ReductionSpec& spec) noexcept {
  std::uint64_t bits = spec.masked ? 1 : 0;
  const auto add = [&bits](std::uint64_t value, int shift) { bits |= value << shift; };
  add(static_cast<std::uint64_t>(spec.mapping), 1);
  add(spec.wide_index ? 1 : 0, 4);
  add(static_cast<std::uint64_t>(spec.width), 8);
  add(static_cast<std::uint64_t>(spec.kept_rank), 16);
  add(static_cast<std::uint64_t>(spec.reduced_rank), 24);
  return bits;
}

}  // namespace kiln::ufunc
