// A kernel of any kind on its way to a device. What a kind's launch is, and how it runs on CPUs and on GPUs, is in its folder.
#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "base/have_cpu.hpp"
#include "device/backend.hpp"
#include "device/capture.hpp"
#include "device/stop_request.hpp"
#include "kernel/faults.hpp"
#include "kernel/loop_stop.hpp"
#include "kiln/error.hpp"
#include "profiling/call.hpp"

namespace kiln::kinds {

using namespace backend;  // NOLINT(google-build-using-namespace): kinds are written in the backend's words

template <class Launch>
void start(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
           const std::shared_ptr<const void>& keep) {
  const StopRequest* const stop = StopRequest::current();
  if (stop != nullptr) [[unlikely]]
    stop->require_not_due(kPartlyWritten);
#if KILN_HAVE_CPU
  if (backend.kind() == DeviceKind::cpu) return launch_on_cpu(backend, module, launch, queue, keep);
#endif
  launch_on_gpu(backend, module, launch, queue, keep);
  if (stop != nullptr) [[unlikely]]
    stop->wait(backend, queue, keep);
}

// Apart, so that nothing of it is in the way of calls that nobody listens to.
template <class Launch>
[[gnu::noinline, gnu::cold]] void start_profiled(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
                                                 const std::shared_ptr<const void>& keep) {
  profiling::Launch timed(backend, module, queue);
  start(backend, module, launch, queue, keep);
  timed.queued(queue);
}

/// A GPU's kernel goes on after its call was stopped: what it leaves is not the next call's. Stopped where that one is first.
inline void wait_for_stopped(const Module& module) {
  const StopRequest* const stop = StopRequest::current();
  while (!module.stopped_work->done()) {
    if (stop != nullptr) stop->require_not_due(kNothingWritten);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  module.stopped_work = nullptr;
}

/// In debug mode: waits for the kernel's end, hands over what it printed, and throws the first of its faults.
template <class Launch>
[[gnu::noinline, gnu::cold]] void start_checked(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
                                                const std::shared_ptr<const void>& keep) {
  Findings findings;
  {
    const bool forked = module.faults_mutex.is_of_parent();
    const std::lock_guard guard(module.faults_mutex);
    if (forked) forget_findings(backend, module, queue);
    if (module.stopped_work != nullptr) {
      wait_for_stopped(module);
      forget_findings(backend, module, queue);
    }
    LoopStop loops(backend, module);
    try {
      start_profiled(backend, module, launch, queue, keep);
      loops.end_with(queue);
      findings = take_findings(backend, module, queue);
      loops.require_not_stopped();
    } catch (const Stopped& stopped) {
      loops.end();
      if (backend.kind() != DeviceKind::cpu) {  // it still runs
        module.stopped_work = backend.make_event();
        module.stopped_work->record(queue);
        throw;
      }
      findings = take_findings(backend, module, queue);
      findings.stopped = stopped;
    } catch (...) {
      loops.end();
      forget_findings_of_failed(backend, module, queue);
      throw;
    }
  }
  tell(findings);
}

/// Runs the kernel over the launch. On a GPU it returns once queued. On the CPU the default stream (null) runs in the caller,
/// another queue copies what the launch refers to. `keep` is held until the work is done. In a capture it is recorded instead.
/// A kernel that checks itself is waited for, on every device, and so is on a GPU that of a call that may be stopped. Throws
/// DeviceError, Stopped.
template <class Launch>
void launch(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
            const std::shared_ptr<const void>& keep) {
  if (Capture* const capture = Capture::current()) [[unlikely]] {
    capture->require_own(backend, queue);
    return capture->add(record(backend, module, launch));
  }
  if (module.faults() != nullptr) [[unlikely]]
    return start_checked(backend, module, launch, queue, keep);
  if (profiling::active()) [[unlikely]]
    return start_profiled(backend, module, launch, queue, keep);
  start(backend, module, launch, queue, keep);
}

}  // namespace kiln::kinds
