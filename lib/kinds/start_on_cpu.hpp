// Launches of any kind on the CPU: now, or by a queue.
#pragma once

#include <memory>
#include <utility>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/module.hpp"
#include "backend/cpu/queue.hpp"
#include "backend/stop_request.hpp"
#include "kinds/copied.hpp"
#include "kinds/launch.hpp"

namespace kiln::kinds {

/// Calls run(module, launch, threads) in the caller, or in the queue's order with an `Owned` made of the launch.
template <class Owned, class Launch, class Run>
void start_on_cpu(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
                  const std::shared_ptr<const void>& keep, const Run& run) {
  const auto& kernel = static_cast<const cpu::CpuModule&>(module);
  cpu::Threads& threads = static_cast<cpu::CpuBackend&>(backend).threads();
  if (queue == nullptr) return run(kernel, launch, threads);
  auto owned = std::make_shared<const Owned>(launch);
  if (const StopRequest* const stop = StopRequest::current()) [[unlikely]] {
    static_cast<cpu::CpuQueue*>(queue)->post(
        [&threads, owned = std::move(owned), loaded = kernel.shared_from_this(), keep, run, request = *stop] {
          request.require_not_due(kNothingWritten);
          const StopScope scope(&request);
          run(static_cast<const cpu::CpuModule&>(*loaded), owned->launch, threads);
        });
    return;
  }
  static_cast<cpu::CpuQueue*>(queue)->post([&threads, owned = std::move(owned), loaded = kernel.shared_from_this(), keep, run] {
    run(static_cast<const cpu::CpuModule&>(*loaded), owned->launch, threads);
  });
}

}  // namespace kiln::kinds
