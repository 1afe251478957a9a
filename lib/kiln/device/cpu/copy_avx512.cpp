// The copies with vectors of 64 bytes; compiled with the flags for such processors (CMakeLists.txt), called on no other.
#include "device/cpu/copy_loops.hpp"

#if defined(__x86_64__)
namespace kiln::backend {

constinit const CpuCopies kCopiesAvx512{CopyLoops<64>::gather, CopyLoops<64>::scatter, CopyLoops<64>::repeat,
                                        PastCache<64>::copy};

}  // namespace kiln::backend
#endif
