#include "base/hash.hpp"

#include <doctest/doctest.h>

using kiln::base::hash128;
using kiln::base::to_hex;

// The digests are what xxh128sum 0.8.1 prints.
TEST_CASE("hash128 is XXH3-128 in its canonical order") {
  CHECK(to_hex(hash128("")) == "99aa06d3014798d86001c324468d497f");
  CHECK(to_hex(hash128("kiln")) == "29e4f6aff37a6f975bfb178850627e51");
  CHECK(to_hex(hash128(std::string(1000, 'x'))) == "50a1af5a5f2dcf01c0a4877b962cba82");
}
