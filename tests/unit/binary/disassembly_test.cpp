#include "binary/disassembly.hpp"

#include <doctest/doctest.h>

using kiln::backend::Instruction;
using kiln::backend::listing;

TEST_CASE("branches have labels, in the order of addresses") {
  const std::vector<Instruction> code = {{.address = 0, .size = 2, .target = 6, .text = "je 0x6"},
                                         {.address = 2, .size = 2, .text = "inc rax"},
                                         {.address = 4, .size = 2, .target = 2, .text = "jne 0x2"},
                                         {.address = 6, .size = 1, .target = 0x99, .text = "jmp 0x99"}};
  CHECK(listing(code, {}) ==
        "  je .L2\n"
        ".L1:\n"
        "  inc rax\n"
        "  jne .L1\n"
        ".L2:\n"
        "  jmp 0x99\n");
}

TEST_CASE("the first name's function comes first, then the rest as it lies") {
  const std::vector<Instruction> code = {{.address = 0, .size = 1, .text = "a"},
                                         {.address = 1, .size = 1, .text = "b"},
                                         {.address = 2, .size = 1, .target = 64, .text = "call 0x40"},
                                         {.address = 3, .size = 1, .text = "d"}};
  CHECK(listing(code, {{2, "kernel"}, {1, "helper"}, {3, "last"}, {64, "exp\x1b[2J"}}) ==
        "kernel:\n"
        "  call exp?[2J\n"
        "\n"
        "  a\n"
        "\n"
        "helper:\n"
        "  b\n"
        "\n"
        "last:\n"
        "  d\n");
}

TEST_CASE("nothing, and a branch into the middle of an instruction") {
  CHECK(listing({}, {}).empty());
  CHECK(listing({}, {{4, "kernel"}}).empty());
  CHECK(listing({{.address = 0, .size = 4, .target = 2, .text = "jmp 2"}}, {}) == "  jmp 2\n");
}
