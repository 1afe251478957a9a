#include "ufunc/recorder.hpp"

#include "ufunc/impl.hpp"

namespace kiln::ufunc {

void record_use(const detail::UfuncImpl& ufunc, const MethodKernel& kernel, const MethodVariant& variant) {
  Recorder* const recorder = ufunc::recorder();
  if (recorder == nullptr || kernel.recorded.exchange(true, std::memory_order_relaxed)) return;
  recorder->used(MethodUse{.definition = ufunc.definition_of(kernel.loop), .loop = kernel.loop, .variant = variant});
}

}  // namespace kiln::ufunc
