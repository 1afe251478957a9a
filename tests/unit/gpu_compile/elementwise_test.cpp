// What the GPUs' compilers make of the kernel templates, with no device: every variant on one architecture of each vendor, a
// smoke set on the others, and the width of the memory accesses in the machine code.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "compile_all.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/elementwise/tiles.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln;
using codegen::UserText;
using kiln::test::have_compiler;
using kiln::test::kAllDTypes;
using kinds::Access;
using kinds::ElementwiseSpec;

using Variant = kiln::test::VariantOf<ElementwiseSpec>;

UserText product() {
  return {.name = "product", .body = "return a * b;", .input_names = {"a", "b"}};
}

ElementwiseSpec binary(DType type, Access a, Access b, Access out) {
  return {.inputs = {{type, type, a}, {type, type, b}}, .outputs = {{type, type, out}}};
}

std::vector<Variant> flat_variants() {
  std::vector<Variant> found;
  for (const int width : {1, 2, 4, 8}) {
    for (const int unroll : {1, 2, 4}) {
      for (const bool wide : {false, true}) {
        Variant variant{"flat width " + std::to_string(width) + " unroll " + std::to_string(unroll) + (wide ? " wide" : ""),
                        product(), binary(DType::float32, Access::contiguous, Access::contiguous, Access::contiguous)};
        variant.spec.width = width;
        variant.spec.unroll = unroll;
        variant.spec.wide_index = wide;
        found.push_back(variant);
      }
    }
  }
  for (const Access a : {Access::scalar, Access::broadcast}) {
    Variant variant{a == Access::scalar ? "flat scalar" : "flat broadcast", product(),
                    binary(DType::float32, a, Access::contiguous, Access::contiguous)};
    variant.spec.width = 4;
    found.push_back(variant);
  }
  Variant aliased = found[6];
  aliased.name = "flat aliased";
  aliased.spec.aliased = true;
  found.push_back(aliased);
  return found;
}

/// Of arrays and rows that begin and end anywhere.
std::vector<Variant> ragged_variants() {
  std::vector<Variant> found;
  for (const DType type : {DType::int8, DType::float16, DType::float32, DType::complex64}) {
    const auto add = [&](const std::string& name, kinds::Walk walk, int rank, Access a, std::int64_t width) {
      Variant variant{name + " " + std::string(kiln::name(type)), product(),
                      binary(type, a, Access::contiguous, Access::contiguous)};
      variant.spec.walk = walk;
      variant.spec.rank = rank;
      variant.spec.width = static_cast<int>(width);
      found.push_back(variant);
    };
    const auto whole = static_cast<std::int64_t>(16 / itemsize(type));
    add("peeled", kinds::Walk::peeled, 1, Access::contiguous, whole);
    found.back().spec.wide_index = type == DType::float32;
    for (const int rank : {1, 2, 8}) {
      for (const Access a : {Access::contiguous, Access::broadcast, Access::strided, Access::scalar}) {
        add("strips rank " + std::to_string(rank) + " access " + std::to_string(static_cast<int>(a)), kinds::Walk::strips, rank,
            a, std::max<std::int64_t>(whole, 4));
      }
    }
  }
  for (const kinds::Masking masking : {kinds::Masking::zero, kinds::Masking::keep}) {
    for (const bool strips : {false, true}) {
      Variant variant = found[strips ? 2 : 0];
      variant.name += masking == kinds::Masking::zero ? " where (zero)" : " where (keep)";
      variant.spec.inputs.push_back({DType::bool_, DType::bool_, Access::contiguous});
      variant.spec.masking = masking;
      variant.spec.arguments = 2;
      found.push_back(variant);
    }
  }
  return found;
}

std::vector<Variant> nd_variants() {
  std::vector<Variant> found;
  for (const int rank : {1, 2, 3, 8}) {
    for (const bool wide : {false, true}) {
      for (const Access a : {Access::contiguous, Access::broadcast, Access::strided, Access::scalar}) {
        // Of rank 1 only what has a stride is n-dimensional.
        const Access b = rank == 1 ? Access::strided : Access::contiguous;
        Variant variant{
            "rank " + std::to_string(rank) + " access " + std::to_string(static_cast<int>(a)) + (wide ? " wide" : ""),
            product(), binary(DType::float32, a, b, rank == 1 ? Access::strided : Access::contiguous)};
        variant.spec.rank = rank;
        variant.spec.width = a == Access::strided || rank == 1 ? 1 : 4;
        variant.spec.unroll = a == Access::contiguous ? 2 : 1;
        variant.spec.wide_index = wide;
        found.push_back(variant);
      }
    }
  }
  return found;
}

std::vector<Variant> dtype_variants() {
  std::vector<Variant> found;
  for (const DType type : kAllDTypes) {
    Variant variant{"dtype " + std::string(name(type)), product(),
                    binary(type, Access::contiguous, Access::contiguous, Access::contiguous)};
    if (type == DType::bool_) variant.text.body = "return a && b;";
    variant.spec.width = static_cast<int>(16 / itemsize(type));
    found.push_back(variant);
  }
  for (const auto& [storage, compute] :
       {std::pair{DType::float16, DType::float32}, {DType::int8, DType::float64}, {DType::uint16, DType::int64}}) {
    Variant variant{"cast " + std::string(name(storage)) + " to " + std::string(name(compute)), product(),
                    binary(compute, Access::contiguous, Access::contiguous, Access::contiguous)};
    variant.spec.inputs[0].storage = storage;
    variant.spec.width = 2;
    found.push_back(variant);
  }
  Variant two{"two outputs",
              {.name = "divmod", .body = "q = a / b; r = a % b;", .input_names = {"a", "b"}, .output_names = {"q", "r"}},
              binary(DType::int32, Access::contiguous, Access::contiguous, Access::contiguous)};
  two.spec.outputs.push_back(two.spec.outputs[0]);
  two.spec.width = 4;
  found.push_back(two);
  return found;
}

/// Inputs and outputs across, of every dtype, with masks, and as many as shared memory has room for.
std::vector<Variant> tiled_variants() {
  std::vector<Variant> found;
  for (const DType type : kAllDTypes) {
    Variant variant{"tiles of " + std::string(name(type)), product(),
                    binary(type, Access::across, Access::contiguous, Access::contiguous)};
    if (type == DType::bool_) variant.text.body = "return a && b;";
    found.push_back(variant);
  }
  for (const Access b : {Access::broadcast, Access::strided, Access::scalar, Access::across}) {
    for (const Access out : {Access::contiguous, Access::strided, Access::across}) {
      Variant variant{"tiles, access " + std::to_string(static_cast<int>(b)) + ", " + std::to_string(static_cast<int>(out)),
                      product(), binary(DType::float32, Access::across, b, out)};
      variant.spec.aliased = b == Access::across && out == Access::across;
      found.push_back(variant);
    }
  }
  for (const kinds::Masking masking : {kinds::Masking::zero, kinds::Masking::keep}) {
    Variant variant{"tiles with a mask", product(), binary(DType::float64, Access::contiguous, Access::across, Access::across)};
    variant.spec.inputs.push_back({DType::bool_, DType::bool_, Access::across});
    variant.spec.masking = masking;
    variant.spec.arguments = 2;
    found.push_back(variant);
  }
  Variant many{"tiles of many operands", {.name = "sum"}, {}};
  many.text.body = "return 0";
  for (int k = 0; k < 31; ++k) {
    many.spec.inputs.push_back({DType::int8, DType::int8, k < 10 ? Access::across : Access::contiguous});
    many.text.input_names.push_back("a" + std::to_string(k));
    many.text.body += " + a" + std::to_string(k);
  }
  many.text.body += ";";
  many.spec.outputs = {{DType::int8, DType::int8, Access::contiguous}};
  found.push_back(many);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ElementwiseSpec& spec = found[i].spec;
    std::int64_t widest = 0;
    for (const auto* operands : {&spec.inputs, &spec.outputs}) {
      for (const kinds::OperandSpec& operand : *operands) {
        if (operand.access == Access::across) widest = std::max(widest, static_cast<std::int64_t>(itemsize(operand.storage)));
      }
    }
    spec.tile = static_cast<int>(kinds::tile_side(widest));
    spec.rank = i % 3 == 0 ? 8 : 2;
    spec.unroll = i % 2 == 0 ? 4 : 1;
  }
  return found;
}

/// Divisions of integers, in constants and functions, too.
std::vector<Variant> division_variants() {
  std::vector<Variant> found;
  for (const DType type : kAllDTypes) {
    if (kind(type) != Kind::integer) continue;
    Variant variant{"division of " + std::string(name(type)), product(),
                    binary(type, Access::contiguous, Access::contiguous, Access::contiguous)};
    variant.text.body = "T q = a / b; q /= a; q %= b; return q % a;";
    variant.text.type_variables = {{"T", type}};
    found.push_back(variant);
  }
  UserText texts = product();
  texts.preamble = "#define RATIO(x, y) ((x) / (y))\nconstexpr int kParts = 6 / (1 + 1);\nenum sizes { kHalf = 8 / kParts };\n";
  texts.functions =
      "template <int N> struct fraction { static int64 of(int64 b) { return N / b; } };\n"
      "struct parts { unsigned high : 4; unsigned low : 4; };\n"
      "struct real { float v; friend real operator/(const real& a, const real& b) { return {a.v / b.v}; } };\n"
      "real half(const real& r) { return r / real{2.f}; }\n";
  texts.body = R"(
    int64 bins[12 / kParts] = {RATIO(a, b), a / kHalf, fraction<7 / kParts>::of(b), int64(half({1.f}).v / a)};
    const parts p{unsigned(a & 3), 1};
    switch (int(a)) { case 9 / kParts: bins[0] /= p.low / p.high; }
    bins[1] /= 1.5f;
    return bins[0] + bins[1] % a + (a / complex128(2, b)).re / b;)";
  found.push_back(
      {"division in every place", texts, binary(DType::int64, Access::contiguous, Access::contiguous, Access::contiguous)});
  return found;
}

std::vector<Variant> smoke() {
  const auto flat = flat_variants();
  const auto tiled = tiled_variants();
  const auto nd = nd_variants();
  const auto dtypes = dtype_variants();
  std::vector<Variant> chosen = {flat[14], flat[17], nd[9], nd[22], tiled[2], tiled[11]};
  for (const Variant& variant : dtypes) {
    if (variant.name == "dtype complex64" || variant.name == "dtype bfloat16" || variant.name == "dtype float64")
      chosen.push_back(variant);
  }
  return chosen;
}

/// a * x + y over contiguous float32 arrays, as a call of it would be specialized.
Variant saxpy() {
  Variant variant{"saxpy", {.name = "saxpy", .body = "return a * x + y;", .input_names = {"a", "x", "y"}}, {}};
  variant.spec.inputs = {{DType::float32, DType::float32, Access::scalar},
                         {DType::float32, DType::float32, Access::contiguous},
                         {DType::float32, DType::float32, Access::contiguous}};
  variant.spec.outputs = {{DType::float32, DType::float32, Access::contiguous}};
  variant.spec.width = 4;
  variant.spec.unroll = 2;
  return variant;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// Disassembly by llvm-objdump; empty where there is none.
std::string disassembly(const std::string& code) {
  const auto file = std::filesystem::temp_directory_path() / ("kiln-disassembly-" + std::to_string(getpid()));
  std::ofstream(file, std::ios::binary) << code;
  std::string text;
  for (const char* tool : {"llvm-objdump-19", "llvm-objdump"}) {
    const std::string command = std::string(tool) + " -d '" + file.string() + "' 2>/dev/null";
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) continue;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) text.append(buffer, got);
    pclose(pipe);
    if (!text.empty()) break;
  }
  std::filesystem::remove(file);
  return text;
}

}  // namespace

TEST_CASE("every variant compiles for sm_90") {
  if (!have_compiler(DeviceKind::cuda)) return;
  compile_all("sm_90", flat_variants());
  compile_all("sm_90", nd_variants());
  compile_all("sm_90", ragged_variants());
  compile_all("sm_90", dtype_variants());
  compile_all("sm_90", tiled_variants());
  compile_all("sm_90", division_variants());
}

TEST_CASE("every variant compiles for gfx90a") {
  if (!have_compiler(DeviceKind::hip)) return;
  compile_all("gfx90a", flat_variants());
  compile_all("gfx90a", nd_variants());
  compile_all("gfx90a", ragged_variants());
  compile_all("gfx90a", dtype_variants());
  compile_all("gfx90a", tiled_variants());
  compile_all("gfx90a", division_variants());
}

TEST_CASE("the smoke set compiles for the other NVIDIA architectures") {
  if (!have_compiler(DeviceKind::cuda)) return;
  for (const char* target : {"sm_75", "sm_80", "sm_100"}) compile_all(target, smoke());
}

TEST_CASE("the smoke set compiles for the other AMD architectures") {
  if (!have_compiler(DeviceKind::hip)) return;
  for (const char* target : {"gfx906", "gfx1030"}) compile_all(target, smoke());
}

TEST_CASE("contiguous float32 moves 16 bytes an access on NVIDIA") {
  if (!have_compiler(DeviceKind::cuda)) return;
  const std::string text =
      backend::gpu::compiler_for_target("sm_90")->emit(request(saxpy(), DeviceKind::cuda), inspect::Form::ptx);
  // The unrolled loop with two packs of each array, and the loop over what is left.
  CHECK(count_of(text, "ld.global.nc.v4") == 6);
  CHECK(count_of(text, "st.global.v4") == 3);
  CHECK_MESSAGE(count_of(text, "fma.rn") == 0, "no contraction unless asked for");
}

TEST_CASE("contiguous float32 moves 16 bytes an access on AMD") {
  if (!have_compiler(DeviceKind::hip)) return;
  for (const char* target : {"gfx90a", "gfx1030"}) {
    const std::string text =
        disassembly(backend::gpu::compiler_for_target(target)->compile(request(saxpy(), DeviceKind::hip)).code);
    if (text.empty()) {
      CHECK_MESSAGE(std::getenv("KILN_REQUIRE_COMPILERS") == nullptr, "llvm-objdump is needed to read the machine code");
      return;
    }
    CHECK_MESSAGE(count_of(text, "global_load_dwordx4") == 6, target);
    CHECK_MESSAGE(count_of(text, "global_store_dwordx4") == 3, target);
    CHECK_MESSAGE(count_of(text, "v_fma") + count_of(text, "v_mac") == 0, target);
  }
}

TEST_CASE("errors have the user's place through the real templates") {
  Variant variant = saxpy();
  variant.text.body = "float t = a * x;\n\treturn t + z;";
  for (const auto& [kind, target] : {std::pair{DeviceKind::cuda, "sm_90"}, {DeviceKind::hip, "gfx90a"}}) {
    if (!have_compiler(kind)) continue;
    try {
      static_cast<void>(backend::gpu::compiler_for_target(target)->compile(request(variant, kind)));
      FAIL_CHECK("compiled");
    } catch (const CompileError& error) {
      REQUIRE(!error.diagnostics().empty());
      const Diagnostic& first = error.diagnostics().front();
      CHECK(first.file == "saxpy");
      CHECK(first.line == 2);
      CHECK(first.column == 13);
      CHECK(first.source_line == "\treturn t + z;");
    }
  }
}

TEST_CASE("elementwise kernels: some variants for other architectures, without a stack") {
  compile_some(flat_variants());
  compile_some(nd_variants());
  compile_some(ragged_variants());
  compile_some(dtype_variants());
  compile_some(tiled_variants());
  compile_some(division_variants());
}

TEST_CASE("elementwise kernels: machine code for AMD") {
  const test::KnownAmdCode known = {
      .divide = {"division", "two outputs", " wide"}, .spill = {"tiles", "strips rank 8"}, .exchange = {}};
  compile_for_amd(flat_variants(), known);
  compile_for_amd(nd_variants(), known);
  compile_for_amd(ragged_variants(), known);
  compile_for_amd(dtype_variants(), known);
  compile_for_amd(tiled_variants(), known);
  compile_for_amd(division_variants(), known);
}

TEST_CASE("CUDA's functions and random numbers compile for both vendors") {
  Variant variant{"special functions", product(),
                  binary(DType::float64, Access::contiguous, Access::contiguous, Access::contiguous)};
  variant.text.body = R"(
    auto s = a, t = b;
    sincospi(a, &s, &t);
    s += erfinv(t) + erfcinv(t) + erfcx(t) + normcdf(t) + normcdfinv(t) + j0(t) + j1f(t) + jn(2, t) + y0(t) + y1f(t) + yn(2, t);
    s += cyl_bessel_i0(t) + cyl_bessel_i1f(t) + sinpif(t) + cospi(t) + rcbrt(t) + rhypot(a, b) + rnorm4d(a, b, 1, 2) + norm(t);
    s += uniform<float32>(1, 2) + normal<float32>(1, uint64(a)) + normal(1, uint64(b)) + exponential(1, 2) + poisson(1, 2, b);
    return s + threefry(1, 2)[3];)";
  for (const char* target : {"sm_90", "gfx90a"}) {
    const auto compiler = backend::gpu::compiler_for_target(target);
    if (!have_compiler(target[0] == 's' ? DeviceKind::cuda : DeviceKind::hip)) continue;
    CHECK(compiler->compile(kiln::test::request(variant, compiler->kind())).log == "");
  }
}
