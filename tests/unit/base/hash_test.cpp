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

TEST_CASE("Hasher128 gives hash128 of the whole, however it is cut") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>(i * 7);
  for (const std::size_t piece : {1U, 7U, 64U, 1000U, 3000U}) {
    kiln::base::Hasher128 hasher;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      CHECK(hasher.result() == hash128(std::string_view(text).substr(0, at)));
      hasher.update(std::string_view(text).substr(at, piece));
    }
    CHECK(hasher.result() == hash128(text));
  }
}

TEST_CASE("from_hex reads what to_hex wrote, and nothing else") {
  const auto hash = hash128("kiln");
  CHECK(kiln::base::from_hex(to_hex(hash)) == hash);
  for (const std::string& other : {std::string(), std::string(31, '0'), std::string(33, '0'), std::string(32, 'g'),
                                   std::string(32, 'A'), std::string(32, '/'), std::string(32, '\0')}) {
    CHECK_FALSE(kiln::base::from_hex(other));
  }
}
