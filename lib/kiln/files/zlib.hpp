// zlib's functions, from the library that is opened when one is needed.
#pragma once

#include <zlib.h>

#include <string>

namespace kiln::detail {

struct Zlib {
  decltype(&::inflateInit2_) inflate_init = nullptr;
  decltype(&::inflate) inflate = nullptr;
  decltype(&::inflateEnd) inflate_end = nullptr;
  decltype(&::crc32_z) crc = nullptr;
  decltype(&::compressBound) bound = nullptr;
  decltype(&::compress2) compress = nullptr;
  std::string missing;  ///< why there are no functions
};

[[nodiscard]] const Zlib& zlib();

}  // namespace kiln::detail
