// libFuzzer's entry point for the target that KILN_FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kiln::fuzz::KILN_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
