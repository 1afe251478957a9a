// Files of compiled device code, told apart by their bytes. tests/golden/link/make_link_files.sh made them.
#include "binary/link_part.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace kiln;
using namespace kiln::backend;

namespace {

std::shared_ptr<const std::string> golden(const std::string& name) {
  std::ifstream file(std::string(KILN_GOLDEN_DIR) + "/link/" + name, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), name);
  return std::make_shared<const std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::vector<LinkPart> parts(const std::string& name) {
  std::string why;
  std::vector<LinkPart> found = parts_of(name, golden(name), &why);
  CHECK_MESSAGE(why.empty(), name, ": ", why);
  return found;
}

struct Expected {
  const char* file;
  LinkFormat format;
  DeviceKind kind;
  std::vector<std::string> archs;
  bool lto = false;
};

std::string refusal(std::string bytes) {
  std::string why;
  CHECK(parts_of("f", std::make_shared<const std::string>(std::move(bytes)), &why).empty());
  return why;
}

}  // namespace

TEST_CASE("link parts: what NVIDIA's and AMD's tools make") {
  const std::vector<Expected> all{
      {"nvcc.ptx", LinkFormat::ptx, DeviceKind::cuda, {"compute_80"}},
      {"nvcc_80.cubin", LinkFormat::cubin, DeviceKind::cuda, {"sm_80"}},
      {"nvcc_90.cubin", LinkFormat::cubin, DeviceKind::cuda, {"sm_90"}},
      {"nvcc.fatbin", LinkFormat::fatbin, DeviceKind::cuda, {"sm_80", "sm_90"}},
      {"nvcc.ltoir", LinkFormat::lto_ir, DeviceKind::cuda, {}, true},
      {"nvcc.o", LinkFormat::gpu_object, DeviceKind::cuda, {"sm_90", "compute_90"}},
      {"nvcc_lto.o", LinkFormat::gpu_object, DeviceKind::cuda, {"compute_90"}, true},
      {"libnvcc.a", LinkFormat::gpu_library, DeviceKind::cuda, {"sm_90", "compute_90"}},
      {"amd.bc", LinkFormat::bitcode, DeviceKind::hip, {}},
      {"amd_gfx90a.o", LinkFormat::object, DeviceKind::hip, {"gfx90a"}},
      {"libamd.a", LinkFormat::bitcode, DeviceKind::hip, {}},
  };
  for (const Expected& expected : all) {
    CAPTURE(expected.file);
    const auto found = parts(expected.file);
    REQUIRE(found.size() == 1);
    CHECK(found[0].format == expected.format);
    CHECK(found[0].kind == expected.kind);
    CHECK(found[0].archs == expected.archs);
    CHECK(found[0].lto == expected.lto);
  }
}

TEST_CASE("link parts: clang's bundles hold a part for each architecture") {
  for (const char* const name : {"amd_bundle.o", "amd_packed.o"}) {
    CAPTURE(name);
    const auto found = parts(name);
    REQUIRE(found.size() == 2);
    CHECK(found[0].archs == std::vector<std::string>{"gfx1030"});
    CHECK(found[1].archs == std::vector<std::string>{"gfx90a"});
    for (const LinkPart& part : found) {
      CHECK(part.format == LinkFormat::bitcode);
      CHECK(part.kind == DeviceKind::hip);
      CHECK(bitcode_arch(*part.bytes) == "amdgcn");
    }
    CHECK(serves(found[1], "gfx90a:xnack-"));
    CHECK_FALSE(serves(found[0], "gfx90a"));
  }
}

TEST_CASE("link parts: which device's code runs where") {
  const LinkPart cubin = parts("nvcc_80.cubin")[0];
  CHECK(serves(cubin, "sm_80"));
  CHECK(serves(cubin, "sm_89"));
  CHECK_FALSE(serves(cubin, "sm_90"));
  CHECK_FALSE(serves(cubin, "sm_75"));
  const LinkPart text = parts("nvcc.ptx")[0];
  CHECK(serves(text, "sm_120"));
  CHECK_FALSE(serves(text, "sm_75"));
  CHECK(serves(parts("nvcc.ltoir")[0], "sm_75"));  // it does not say: the linker does
}

#if defined(__x86_64__)
TEST_CASE("link parts: what is for this processor") {
  CHECK(parts("x86_64.bc")[0].format == LinkFormat::bitcode);
  CHECK(parts("x86_64.o")[0].format == LinkFormat::object);
  CHECK_FALSE(parts("x86_64.o")[0].lazy);
  const auto members = parts("libx86_64.a");
  REQUIRE(members.size() == 1);
  CHECK(members[0].lazy);
  CHECK(members[0].name == "libx86_64.a(x86_64.o)");
  CHECK(parts("libx86_64.so")[0].format == LinkFormat::shared_object);
  for (const char* const name : {"x86_64.bc", "x86_64.o", "libx86_64.a", "libx86_64.so"}) {
    CHECK(parts(name)[0].kind == DeviceKind::cpu);
  }
}
#endif

TEST_CASE("link parts: what cannot be linked says why") {
  CHECK(refusal("") == "it is empty");
  CHECK(refusal("int f();\n") == "it is no PTX, cubin, fatbin, LTO-IR, LLVM bitcode, object, archive or shared object");
  CHECK(refusal("CCOB and so on") == "it is a compressed bundle of clang's: make it with --no-offload-compress");
  CHECK(refusal("BC\xc0\xde nothing of a triple") == "it is bitcode of LLVM's for a machine that kiln does not know");
  CHECK(refusal("!<arch>\n") == "it is an archive without members");
  CHECK(refusal("\177ELF").starts_with("it is a damaged ELF file: "));
  std::string program = *golden("amd_gfx90a.o");
  program[16] = 3;  // ET_DYN
  CHECK(refusal(program) ==
        "it is a finished code object, which no linker takes: make a relocatable one, or bitcode (clang -c -emit-llvm)");
  std::string other = program;
  other[16] = 1;
  other[18] = 8;  // MIPS
  CHECK(refusal(other) == "it is an ELF file for another machine (number 8)");
  std::string nested = "!<arch>\n";
  for (int depth = 0; depth < 4; ++depth) {
    std::string size = std::to_string(nested.size());
    size.resize(10, ' ');
    nested = "!<arch>\na.a/            0           0     0     644     " + size + "`\n" + nested;
  }
  CHECK(refusal(nested) == "archives and bundles in it are nested too deep");
}

TEST_CASE("link parts: damaged ones are read to their end and no further") {
  std::mt19937 random(7);
  for (const char* const name : {"nvcc.o", "nvcc.fatbin", "nvcc_90.cubin", "libnvcc.a", "amd_bundle.o", "amd_packed.o",
                                 "amd_gfx90a.o", "libamd.a", "x86_64.o", "x86_64.bc", "nvcc.ptx"}) {
    const std::string whole = *golden(name);
    std::string why;
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 16) {
      static_cast<void>(parts_of(name, std::make_shared<const std::string>(whole.substr(0, size)), &why));
    }
    for (int round = 0; round < 200; ++round) {
      std::string damaged = whole;
      for (int k = 0; k < 4; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
      for (const LinkPart& part : parts_of(name, std::make_shared<const std::string>(damaged), &why)) {
        CHECK(part.bytes->size() <= damaged.size());
      }
    }
  }
}
