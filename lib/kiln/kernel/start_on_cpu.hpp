// Launches of any kind on the CPU: now, or by a queue.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "device/cpu/backend.hpp"
#include "device/cpu/guarded_launch.hpp"
#include "device/cpu/module.hpp"
#include "device/cpu/own_stack.hpp"
#include "device/cpu/queue.hpp"
#include "device/stop_request.hpp"
#include "kernel/copied.hpp"
#include "kernel/launch.hpp"

namespace kiln::kinds {

/// What the kernel does to the process, where it is in debug mode, becomes a fault of its. On a stack that is large enough.
template <class Launch, class Run>
void run_guarded(const cpu::CpuModule& module, const Launch& launch, const cpu::LaunchThreads& threads, Run run) {
  if (!module.reports_crashes()) [[likely]]
    return cpu::with_enough_stack([&] { run(module, launch, threads); });
  const cpu::GuardedLaunch guard(module);
  guard.run([&] { run(module, launch, threads); });
}

/// Calls run(module, launch, threads) in the caller, or in the queue's order with an `Owned` made of the launch.
template <class Owned, class Launch, class Run>
void start_on_cpu(Backend& backend, const Module& module, const Launch& launch, const LaunchContext& context, Run run) {
  const auto& kernel = static_cast<const cpu::CpuModule&>(module);
  cpu::Threads& threads = static_cast<cpu::CpuBackend&>(backend).threads();
  if (context.queue == nullptr) return run_guarded(kernel, launch, cpu::LaunchThreads(threads, context.stop), run);
  auto owned = std::make_shared<const Owned>(launch);
  std::optional<StopRequest> stop;
  if (context.stop != nullptr) [[unlikely]]
    stop = *context.stop;
  static_cast<cpu::CpuQueue*>(context.queue)
      ->post([&threads, owned = std::move(owned), loaded = kernel.shared_from_this(), keep = context.keep, run,
              stop = std::move(stop)] {
        if (stop) stop->require_not_due(kNothingWritten);
        run_guarded(static_cast<const cpu::CpuModule&>(*loaded), owned->launch,
                    cpu::LaunchThreads(threads, stop ? &*stop : nullptr), run);
      });
}

}  // namespace kiln::kinds
