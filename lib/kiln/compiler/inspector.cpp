#include "compiler/inspector.hpp"

#include "base/have_cpu.hpp"
#include "kiln/error.hpp"

namespace kiln::backend {

#if !KILN_HAVE_CPU
namespace cpu {
const Inspector* inspector_for_target(std::string_view) {
  return nullptr;
}
}  // namespace cpu
#endif

const Inspector& inspector_for(std::string_view target) {
  if (const Inspector* const inspector = gpu::inspector_for_target(target)) return *inspector;
  if (const Inspector* const inspector = cpu::inspector_for_target(target)) return *inspector;
  throw DeviceError("cannot look into a kernel for \"" + std::string(short_name(target)) +
                    (KILN_HAVE_CPU ? "\": this kiln knows no such target"
                                   : "\": this build of kiln knows no such target (it was configured with KILN_CPU=OFF)"));
}

}  // namespace kiln::backend
