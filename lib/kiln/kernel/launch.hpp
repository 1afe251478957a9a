// A kernel of any kind on its way to a device. What a kind's launch is, and how it runs on CPUs and on GPUs, is in its folder.
#pragma once

#include <memory>

#include "base/have_cpu.hpp"
#include "device/backend.hpp"
#include "device/launch_context.hpp"

namespace kiln::kinds {

using namespace backend;  // NOLINT(google-build-using-namespace): kinds are written in the backend's words

/// A launch of any kind, by the functions of its kind.
struct AnyLaunch {
  /// launch_on_cpu(), launch_on_gpu() and record() of the kind.
  struct Functions {
    void (*on_cpu)(Backend& backend, const Module& module, const void* launch, const LaunchContext& context);
    void (*on_gpu)(Backend& backend, const Module& module, const void* launch, const LaunchContext& context);
    std::shared_ptr<const RecordedLaunch> (*record)(Backend& backend, const Module& module, const void* launch);
  };
  const void* launch;
  const Functions* functions;
};

/// Runs the kernel over the launch. On a GPU it returns once queued. On the CPU the default stream (null) runs in the caller,
/// another queue copies what the launch refers to. `context.keep` is held until the work is done. In a capture the launch is
/// recorded instead. A kernel that checks itself is waited for, on every device, and so is on a GPU that of a call that may be
/// stopped. Throws DeviceError, Stopped.
void launch(Backend& backend, const Module& module, const AnyLaunch& launch, const LaunchContext& context);

template <class Launch>
inline constexpr AnyLaunch::Functions kFunctionsOf{
#if KILN_HAVE_CPU
    .on_cpu =
        [](Backend& backend, const Module& module, const void* launch, const LaunchContext& context) {
          launch_on_cpu(backend, module, *static_cast<const Launch*>(launch), context);
        },
#else
    .on_cpu = nullptr,
#endif
    .on_gpu =
        [](Backend& backend, const Module& module, const void* launch, const LaunchContext& context) {
          launch_on_gpu(backend, module, *static_cast<const Launch*>(launch), context);
        },
    .record = [](Backend& backend, const Module& module,
                 const void* launch) { return record(backend, module, *static_cast<const Launch*>(launch)); }};

/// Does so for a kind's own launch.
template <class Launch>
void launch(Backend& backend, const Module& module, const Launch& work, const LaunchContext& context) {
  launch(backend, module, AnyLaunch{&work, &kFunctionsOf<Launch>}, context);
}

}  // namespace kiln::kinds
