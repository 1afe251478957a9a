// Launches of raw kernels whose block sizes are measured, on copies of what they may write.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "autotune/session.hpp"
#include "autotune/tuner.hpp"
#include "call/stoppable.hpp"
#include "call/window.hpp"
#include "kernel/grid.hpp"
#include "kernel/raw/launch.hpp"
#include "kiln/error.hpp"
#include "kiln/tune.hpp"
#include "raw/call.hpp"
#include "registry/registry.hpp"

namespace kiln {
namespace raw {
namespace {

/// Memory of a device that is as large as an array of it, and gets its elements again and again.
class Copy {
 public:
  Copy(backend::Backend& backend, backend::Queue* queue, const detail::ArrayRep& of)
      : backend_(backend),
        queue_(queue),
        from_(of.data),
        bytes_(static_cast<std::size_t>(of.size) * static_cast<std::size_t>(itemsize(of.dtype))),
        address_(backend.allocate(bytes_, queue)) {}
  ~Copy() { backend_.deallocate(address_, bytes_, queue_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  void fill() const {
    if (bytes_ > 0) backend_.copy(address_, from_, bytes_, queue_);
  }
  [[nodiscard]] void* address() const noexcept { return address_; }

 private:
  backend::Backend& backend_;
  backend::Queue* queue_;
  const void* from_;
  std::size_t bytes_;
  void* address_;
};

}  // namespace

std::string Call::why_not_tuned(const Variant& variant) const {
  if (operands_.at().device.is_cpu()) {
    return "a CPU's kernels have no launch shape: its threads take parts of the work as they come";
  }
  if (variant.tuned == nullptr) return "its .grid and .block are given";
  if (variant.module->faults() != nullptr) return "it checks itself: define it without .compile.debug";
  for (std::size_t i = 0; i < operands_.nin(); ++i) {
    if (!operands_.is_written(i)) continue;
    const detail::ArrayRep& written = *operands_.rep(i);
    if (!written.c_contiguous) return kernel_.operand_name(i) + " may be written and is not contiguous; give a contiguous one";
    for (std::size_t k = 0; k < operands_.nin(); ++k) {
      if (k != i && !operands_.is_scalar(k) && call::share_memory(written, *operands_.rep(k))) {
        return kernel_.operand_name(i) + " may be written and shares memory with " + kernel_.operand_name(k);
      }
    }
  }
  return autotune::why_not_now(operands_.context().stop);
}

void Call::tune(const Variant& variant, const kinds::RawLaunch& launch) const {
  autotune::Session* const session = autotune::Session::of(&kernel_);
  if (session == nullptr && !autotune::by_environment()) return;
  if (session == nullptr && variant.tuned != nullptr && variant.tuned->tried(launch.size)) return;
  if (const std::string why = why_not_tuned(variant); !why.empty()) {
    return autotune::not_tuned(session, kernel_.name(), why);
  }
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  kinds::RawLaunch tried = launch;
  std::vector<std::unique_ptr<const Copy>> copies;
  try {
    for (std::size_t i = 0; i < operands_.nin(); ++i) {
      if (!operands_.is_written(i)) continue;
      copies.push_back(std::make_unique<const Copy>(backend, operands_.at().queue, *operands_.rep(i)));
      void* const address = copies.back()->address();
      std::memcpy(tried.arguments[i].value.data(), &address, sizeof address);
    }
  } catch (const DeviceError& error) {
    return autotune::not_tuned(session, kernel_.name(),
                               std::string("there is no memory for copies of what it writes: ") + error.what());
  }
  const auto prepare = [&] {
    for (const auto& copy : copies) copy->fill();
  };
  const auto run = [&](const backend::Module& module, const autotune::Choice& choice) {
    tried.item_block = choice.block;
    kinds::launch_on_gpu(backend, module, tried, {.queue = operands_.at().queue, .keep = nullptr});
  };
  const auto load = [&](int /*accesses*/) { return variant.module; };
  autotune::measure({.backend = backend, .module = variant.module, .cache = kernel_.definition().compile.cache, .load = load},
                    {.session = session,
                     .queue = operands_.at().queue,
                     .elements = launch.size,
                     .model = {.block = launch.item_block, .accesses = 1},
                     .run = run,
                     .prepare = prepare},
                    *variant.tuned);
}

}  // namespace raw

TuneReport tune(const RawKernel& kernel, const LaunchOptions& options, std::span<const Arg> args) {
  TuneReport report{.why_not = "there is nothing to compute"};
  const autotune::Session session(report, kernel.impl().get());
  kernel.launch(options, args);
  return report;
}

}  // namespace kiln
