#include "reduce/target.hpp"

#include "kernel/reduction/spec.hpp"
#include "registry/registry.hpp"
#include "ufunc/constants.hpp"

namespace kiln::reduce {

program::Request Target::request(const ufunc::Loop& loop, std::span<const DType> storage, const ReductionClass& how,
                                 DeviceKind kind) const {
  return request(loop, kinds::specialize(spec_of(loop), storage, how, kind), kind);
}

Target::Plan& Target::plan(const call::Operands& operands, const ufunc::LoopOptions& options) const {
  const ufunc::PlanKey key(operands, options, method_);
  Plan* const known = loops().reductions().find(key);
  return known != nullptr ? *known : loops().reductions().add(key, choose(operands, options));
}

const ufunc::Variant<ReductionClass>& Target::variant(Plan& plan, const ReductionClass& how,
                                                      const call::Operands& operands) const {
  const Device& device = operands.at().device;
  if (const auto* const known = plan.variants.find({how, device})) return *known;
  const std::vector<DType> storage = storage_of(operands);
  const std::vector<ReductionClass> right = kinds::stand_ins(how, operands.nin(), !reorderable(), device.kind(), raw_count());
  program::Loaded loaded = ufunc::load_any(
      plan.loop, right.size(),
      [&](const ufunc::Loop& loop, std::size_t i) { return request(loop, storage, right[i], device.kind()); },
      backend::backend_for(device));
  const ReductionClass& found = right[loaded.which];
  const kinds::ReductionSpec spec = kinds::specialize(spec_of(plan.loop), storage, found, device.kind());
  return plan.variants.add({how, device}, std::move(loaded.module), found, spec.width, 1, kinds::state_bytes(spec));
}

std::vector<DType> storage_of(const call::Operands& operands) {
  std::vector<DType> storage = operands.storage_dtypes();
  if (operands.masked()) storage.erase(storage.begin() + static_cast<std::ptrdiff_t>(operands.nin()));
  return storage;
}

ReductionClass usual_class(bool ordered) {
  return {.mapping = ordered ? kinds::Mapping::thread : kinds::Mapping::block};
}

}  // namespace kiln::reduce
