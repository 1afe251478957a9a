#include "registry/registry.hpp"
#include "types/reason.hpp"

#include "base/fork.hpp"
#include "base/have_cpu.hpp"
#include "device/gpu/devices.hpp"
#include "kiln/error.hpp"

#if KILN_HAVE_CPU
#include "device/cpu/backend.hpp"
#endif

namespace kiln::backend {

#if !KILN_HAVE_CPU
namespace cpu {
namespace {

Backend& open(int) {
  throw DeviceError("this build of kiln has no CPU backend (it was configured with KILN_CPU=OFF); use a GPU device");
}

}  // namespace
}  // namespace cpu
#endif

Backend& backend_for(const Device& device) {
  base::watch_forks();
  if (device.is_cpu()) return cpu::open(device.index());
  if (base::forked()) {
    throw Because<DeviceError>(Reason::fork,
                               "cannot use " + to_string(device) +
                                   " in a process forked from one that used kiln: GPU contexts do not survive fork(); "
                                   "restart the process (exec) or use the CPU");
  }
  return gpu::open(device.kind(), device.index(), device.is_emulated());
}

Backend* opened_backend(const Device& device) noexcept {
  return device.is_cpu() || base::forked() ? nullptr : gpu::opened(device.kind(), device.index(), device.is_emulated());
}

}  // namespace kiln::backend
