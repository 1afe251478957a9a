// What a cubin says of its kernel. The bytes may be damaged or hostile.
#pragma once

#include "binary/stored_code.hpp"
#include "kiln/inspect.hpp"

namespace kiln::backend::gpu {

/// Registers, shared, local and constant memory, threads of a block, bytes of instructions. Spills are reported where there can
/// be none (the kernel has no stack). IoError for what is no cubin, or has no kernel.
[[nodiscard]] inspect::Resources cubin_resources(const StoredCode& code);

}  // namespace kiln::backend::gpu
