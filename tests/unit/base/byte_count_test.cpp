#include "base/byte_count.hpp"

#include <doctest/doctest.h>

using kiln::base::parse_bytes;

TEST_CASE("numbers of bytes may have a unit") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("3K") == 3072);
  CHECK(parse_bytes("2G") == 2147483648);
  for (const char* text :
       {"", "-1", "+1", " 1", "1 ", "1KB", "1k", "1.5G", "G", "18446744073709551616", "18014398509481984K"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text));
  }
}
