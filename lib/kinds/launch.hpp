// A kernel of any kind on its way to a device. What a kind's launch is, and how it runs on CPUs and on GPUs, is in its folder.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/capture.hpp"
#include "base/have_cpu.hpp"

namespace kiln::kinds {

using namespace backend;  // NOLINT(google-build-using-namespace): kinds are written in the backend's words

/// Runs the kernel over the launch. On a GPU it returns once queued. On the CPU the default stream (null) runs in the caller,
/// another queue copies what the launch refers to. `keep` is held until the work is done. In a capture it is recorded instead.
/// Throws DeviceError.
template <class Launch>
void launch(Backend& backend, const Module& module, const Launch& launch, Queue* queue,
            const std::shared_ptr<const void>& keep) {
  if (Capture* const capture = Capture::current()) [[unlikely]] {
    capture->require_own(backend, queue);
    return capture->add(record(backend, module, launch));
  }
#if KILN_HAVE_CPU
  if (backend.kind() == DeviceKind::cpu) return launch_on_cpu(backend, module, launch, queue, keep);
#endif
  launch_on_gpu(backend, module, launch, queue, keep);
}

}  // namespace kiln::kinds
