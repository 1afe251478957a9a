// The copies with vectors of 32 bytes; compiled with the flags for such processors (CMakeLists.txt), called on no other.
#include "device/cpu/copy_loops.hpp"

#if defined(__x86_64__)
namespace kiln::backend {

constinit const CpuCopies kCopiesAvx2{CopyLoops<32>::gather, CopyLoops<32>::scatter, CopyLoops<32>::repeat,
                                      PastCache<32>::copy};

}  // namespace kiln::backend
#endif
