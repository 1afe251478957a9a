// How the last indices of .each are cut into vectors.
#include "kinds/gufunc/index_blocks.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using kiln::codegen::UserText;
using kiln::kinds::blocks_of;
using kiln::kinds::IndexBlock;
using kiln::kinds::may_run_twice;

namespace {

std::vector<std::pair<int, std::int64_t>> blocks(std::int64_t count, bool twice) {
  std::vector<std::pair<int, std::int64_t>> all;
  for (const IndexBlock& block : blocks_of(count, twice)) all.emplace_back(block.lanes, block.begin);
  return all;
}

bool twice(const char* body) {
  return may_run_twice(UserText{.body = body, .input_names = {"A", "B"}, .output_names = {"C", "D"}}, {"i", "j", "n"});
}

}  // namespace

TEST_CASE("blocks of indices: each once, or a last one that overlaps") {
  using Blocks = std::vector<std::pair<int, std::int64_t>>;
  CHECK(blocks(64, true) == Blocks{{64, 0}});
  CHECK(blocks(24, true) == Blocks{{16, 0}, {8, 16}});
  CHECK(blocks(14, true) == Blocks{{8, 0}, {8, 6}});
  CHECK(blocks(14, false) == Blocks{{8, 0}, {4, 8}});
  CHECK(blocks(30, true) == Blocks{{16, 0}, {16, 14}});
  CHECK(blocks(9, true) == Blocks{{8, 0}, {4, 5}});
  CHECK(blocks(55, true) == Blocks{{32, 0}, {16, 32}, {8, 47}});
  CHECK(blocks(3, true).empty());
  for (std::int64_t count = 0; count <= 300; ++count) {
    CAPTURE(count);
    for (const bool may : {false, true}) {
      std::multiset<std::int64_t> seen;
      for (const IndexBlock& block : blocks_of(count, may)) {
        CHECK(block.begin >= 0);
        CHECK(block.begin + block.lanes <= count);
        for (std::int64_t i = block.begin; i < block.begin + block.lanes; ++i) seen.insert(i);
      }
      // The first of them, up to what makes no vector.
      const std::set<std::int64_t> covered(seen.begin(), seen.end());
      const std::int64_t end = may && count >= 4 ? count : count / 4 * 4;
      CHECK(static_cast<std::int64_t>(covered.size()) == end);
      if (end > 0) CHECK(*covered.rbegin() == end - 1);
      if (!may) CHECK(seen.size() == covered.size());
    }
  }
}

TEST_CASE("an index may be computed twice where outputs are assigned before they are read") {
  for (const char* body :
       {"T s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s; D(j) = s;", "C(i, j) = D(j) = A(i, j);",
        "C(i, j) = T(0); for (index k = 0; k < n; ++k) C(i, j) += A(i, k);",
        "C(n - 1 - i, j) = 0; for (;;) { C(n - 1 - i, j) += 1; } D(j) = C(n - 1 - i, j);", "C(k, 2) = 1; C(k + 1, 3) = 2;",
        "for (index k = 0; k < n; ++k) C(i, k) = A(i, k) == B(k, j);", "C(i, j) = 0; T t = A(i, j) == j; C(i, j) *= t;", ""}) {
    CAPTURE(std::string(body));
    CHECK(twice(body));
  }
  for (const char* body : {"C(i, j) += A(i, j);", "for (index k = 0; k < n; ++k) C(i, j) += A(i, k);",
                           "T s = C(i, j); C(i, j) = s + 1;", "C(i, j) = C(i, j) + 1;",
                           // Read where it has not been assigned.
                           "C(i, j) = 0; C(i, 1 + j) += 1;", "for (;;) { C(i, j) = 0; C(i, j) += 1; }",
                           // The same text, another element.
                           "index at = 0; C(at, j) = 0; at += 1; C(at, j) += 1;", "C(i, j) = 0; i += 1; C(i, j) += 1;",
                           "C(i, j) = 0; ++i; C(i, j) += 1;", "C(i, j) = 0; j--; C(i, j) += 1;",
                           "C(i, j) = 0; for (index i = 0; i < n; ++i) C(i, j) += 1;",
                           "C(i, j) = 0; { index j = 2; C(i, j) += 1; }", "C(i, j) = 0; j = 3; C(i, j) += 1;",
                           "C(i, j) = 0; D(i) -= C(i, j);", "C(i, j) == 0;", "C(i, j = 0; C(i, j) = \"unclosed"}) {
    CAPTURE(std::string(body));
    CHECK_FALSE(twice(body));
  }
}
