// What an AMD code object holds and says of its kernel. The bytes may be damaged or hostile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "binary/stored_code.hpp"
#include "kiln/inspect.hpp"

namespace kiln::backend::gpu {

/// The ELF file for that architecture where the bytes are clang's offload bundle; else the bytes. IoError for a damaged bundle,
/// and for one without that architecture.
[[nodiscard]] std::string_view unbundle(const StoredCode& code);

/// From the metadata that the runtime reads. IoError for what is no code object, or has no kernel.
[[nodiscard]] inspect::Resources code_object_resources(const StoredCode& code);

/// Its instructions, the kernel's first. IoError as above; DeviceError where there is no disassembler for the architecture.
[[nodiscard]] std::string code_object_assembly(const StoredCode& code);

}  // namespace kiln::backend::gpu
