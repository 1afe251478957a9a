// Kernels' objects as Clang makes them, loaded: by kiln's own loader, and by the system's where that does not take them.
#include "device/cpu/code_image.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../binary/small_object.hpp"
#include "compiler/cpu/compiler.hpp"
#include "device/cpu/code_arena.hpp"
#include "kiln/error.hpp"

namespace kiln {
namespace {

using backend::cpu::CodeArenas;
using backend::cpu::CodeImage;

const std::string kExtern = "extern \"C\" __attribute__((visibility(\"default\"))) ";

std::string compiled(const std::string& source, bool debug = false) {
  return backend::cpu::native_compiler()->compile({.name = "probe", .source = source, .debug = debug}).code;
}

unsigned type_of(const std::string& code) {
  return static_cast<unsigned char>(code[offsetof(Elf64_Ehdr, e_type)]);
}

template <class Function>
Function* function(const CodeImage& image, const char* name = "kiln_kernel") {
  auto* const found = reinterpret_cast<Function*>(image.symbol(name));
  const bool there = found != nullptr;
  REQUIRE_MESSAGE(there, name);
  return found;
}

std::string refusal(const std::string& code) {
  try {
    const CodeImage image(code, "probe");
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

}  // namespace

TEST_CASE("code images: a kernel with constants, tables and the C library's functions is placed") {
  const std::string code = compiled(
      "extern \"C\" { double sin(double) noexcept; void* memset(void*, int, unsigned long) noexcept; }\n"
      "static double twice(double x) { return x * 2; }\n"
      "static double half(double x) { return x * 0.5; }\n"
      "using F = double (*)(double);\n"
      "static constexpr F table[] = {twice, half, sin};\n" +
      kExtern +
      "double kiln_kernel(int which, double x) {\n"
      "  switch (which) {\n"
      "    case 3: return x + 1.25; case 4: return x / 7; case 5: return sin(x) * 3; case 6: return x * x;\n"
      "    case 7: { char bytes[64]; asm volatile(\"\" : : \"r\"(bytes) : \"memory\"); memset(bytes, which, x > 0 ? 64 : 10);\n"
      "      asm volatile(\"\" : : \"r\"(bytes) : \"memory\"); return bytes[9]; }\n"
      "  }\n"
      "  return table[which](x);\n"
      "}\n" +
      kExtern + "int second() { return 17; }\n");
  CHECK(type_of(code) == ET_REL);
  const std::size_t before = CodeArenas::of_process().usage().bytes;
  {
    const CodeImage image(code, "probe");
    CHECK(CodeArenas::of_process().usage().bytes > before);
    auto* const kernel = function<double(int, double)>(image);
    CHECK(kernel(0, 1.5) == 3);
    CHECK(kernel(1, 1.5) == 0.75);
    CHECK(kernel(2, 1.5) == std::sin(1.5));
    CHECK(kernel(3, 1.5) == 2.75);
    CHECK(kernel(4, 14) == 2);
    CHECK(kernel(5, 1.5) == doctest::Approx(std::sin(1.5) * 3));
    CHECK(kernel(6, 1.5) == 2.25);
    CHECK(kernel(7, 1) == 7);
    CHECK(function<int()>(image, "second")() == 17);
    const bool none = image.symbol("third") == nullptr && image.symbol("twice") == nullptr;
    CHECK(none);
  }
  CHECK(CodeArenas::of_process().usage().bytes == before);
}

TEST_CASE("code images: what kiln's loader does not take is a shared object") {
  const auto answer = [](const std::string& code) {
    CHECK(type_of(code) == ET_DYN);
    const CodeImage image(code, "probe");
    auto* const kernel = function<int()>(image);
    return kernel() * 100 + kernel();
  };
  CHECK(answer(compiled("static int count = 3;\n" + kExtern + "int kiln_kernel() { return ++count; }\n")) == 405);
  CHECK(answer(compiled("static int count;\n" + kExtern + "int kiln_kernel() { return ++count; }\n")) == 102);
  CHECK(answer(compiled("static thread_local int count = 5;\n" + kExtern + "int kiln_kernel() { return ++count; }\n")) == 607);
  CHECK(answer(compiled("struct Begun { int value; Begun(); };\n inline Begun::Begun() : value(8) {}\nstatic Begun begun;\n" +
                        kExtern + "int kiln_kernel() { return begun.value++; }\n")) == 809);
  CHECK(answer(compiled(kExtern + "int kiln_kernel() { return 4; }\n", /*debug=*/true)) == 404);
  const std::string opaque = "asm volatile(\"\" : \"+r\"(at)); ";
  CHECK(answer(compiled("alignas(8192) static const int table[4096] = {3, 5, 7};\n" + kExtern +
                        "int kiln_kernel() { long at = 1; " + opaque + "return table[at]; }\n")) == 505);
  CHECK(answer(compiled("static const int none[0] = {};\n" + kExtern + "int kiln_kernel() { const int* at = none; " + opaque +
                        "return at != nullptr ? 6 : 7; }\n")) == 606);
}

TEST_CASE("code images: ten thousand kernels are a few mappings and 4 KiB each") {
  const std::string code = compiled(kExtern + "int kiln_kernel(int x) { return x * 3 + 1; }\n");
  const std::size_t before = mappings();
  const CodeArenas::Usage usage = CodeArenas::of_process().usage();
  std::vector<std::unique_ptr<CodeImage>> images;
  for (int i = 0; i < 10'000; ++i) images.push_back(std::make_unique<CodeImage>(code, "probe"));
  CHECK(mappings() < before + 30);
  CHECK(CodeArenas::of_process().usage().bytes - usage.bytes <= images.size() * 4096);
  int wrong = 0;
  for (const auto& each : images) wrong += function<int(int)>(*each)(5) != 16 ? 1 : 0;
  CHECK(wrong == 0);
  images.clear();
  CHECK(CodeArenas::of_process().usage().bytes == usage.bytes);
  CHECK(CodeArenas::of_process().usage().arenas <= usage.arenas + 1);
}

TEST_CASE("code images: threads load, call and release at once") {
  std::vector<std::string> codes;
  for (int i = 0; i < 4; ++i) codes.push_back(compiled(kExtern + "int kiln_kernel() { return " + std::to_string(i) + "; }\n"));
  std::vector<int> wrong(codes.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < codes.size(); ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::unique_ptr<CodeImage>> kept(7);
      for (std::size_t i = 0; i < 1000; ++i) {
        kept[i % kept.size()] = std::make_unique<CodeImage>(codes[t], "probe");
        for (const auto& each : kept) {
          if (each != nullptr && reinterpret_cast<int (*)()>(each->symbol("kiln_kernel"))() != static_cast<int>(t)) ++wrong[t];
        }
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(wrong == std::vector<int>(codes.size()));
}

TEST_CASE("code images: damaged objects are errors that name the kernel") {
  const std::string start = "failed to load kernel \"probe\" on the CPU: ";
  CHECK(refusal("no code") == start + "its code is not an ELF file");
  const std::string code = compiled(kExtern + "int kiln_kernel() { return 1; }\n");
  CHECK(refusal(code.substr(0, 17)) == start + "its code is not an ELF file");
  CHECK(refusal(code.substr(0, 40)) == start + "its ELF header is truncated");
  CHECK(refusal(code.substr(0, code.size() - 1)) == start + "its section table lies outside the file");

  const auto object = [](auto&& change) {
    test::SmallObject small;
#if !defined(__x86_64__)
    small.machine = EM_AARCH64;
#endif
    const auto text = small.add({.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .bytes = std::string(16, '\0')});
    small.add_symbol("kiln_kernel", static_cast<std::uint16_t>(text), 0);
    change(small);
    return small.bytes();
  };
  CHECK(refusal(object([](auto&) {})).empty());
  CHECK(refusal(object([](auto& small) { small.add_symbol("kiln_none", SHN_UNDEF, 0, STT_NOTYPE); })) ==
        start + "it calls kiln_none(), which the C library does not have");
  CHECK(refusal(object([](auto& small) { small.machine = small.machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64; })) ==
        start + "its code is for another kind of processor");
  CHECK(refusal(object([](auto& small) { small.machine = EM_RISCV; })) == start + "it is for another kind of processor");

  std::mt19937 random(3);
  const std::size_t used = CodeArenas::of_process().usage().bytes;
  for (int turn = 0; turn < 2000; ++turn) {
    std::string damaged = code;
    for (int i = 0; i < 4; ++i) damaged[20 + random() % (damaged.size() - 20)] = static_cast<char>(random());
    const std::string why = refusal(damaged);
    REQUIRE((why.empty() || why.starts_with(start)));
  }
  CHECK(CodeArenas::of_process().usage().bytes == used);
}

}  // namespace kiln
