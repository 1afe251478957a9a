#include "device/backend.hpp"

#include <stdexcept>

namespace kiln::backend {

// NOLINTNEXTLINE(performance-unnecessary-value-param): a CPU's queue takes it over.
void Queue::run(std::function<void()> /*work*/) {
  throw std::logic_error("a GPU's queue runs kernels and copies: it takes no function");
}

std::shared_ptr<FftPlan> Backend::make_fft(const FftLayout& /*layout*/) {
  throw std::logic_error("a CPU's backend has no library for FFTs: lib/kiln/fft has");
}

}  // namespace kiln::backend
