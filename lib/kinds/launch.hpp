// A kernel of any kind on its way to a device. What a kind's launch is, and how it runs on CPUs and on GPUs, is in its folder.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "base/have_cpu.hpp"
#include "profiling/call.hpp"

namespace kiln::kinds {

using namespace backend;  // NOLINT(google-build-using-namespace): kinds are written in the backend's words

/// Runs the kernel over the launch. On a GPU it returns once queued. On the CPU the default stream (null) runs in the caller,
/// another queue copies what the launch refers to. `keep` is held until the work is done. Throws DeviceError.
template <class Launch>
void launch(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
            const std::shared_ptr<const void>& keep) {
  profiling::Launch timed(backend, module, queue);
#if KILN_HAVE_CPU
  if (backend.kind() == DeviceKind::cpu) {
    launch_on_cpu(backend, module, launch, queue, keep);
    return timed.queued(queue);
  }
#endif
  launch_on_gpu(backend, module, launch, queue, keep);
  timed.queued(queue);
}

}  // namespace kiln::kinds
