// Kernels linked with device code from files, as machine code for GPUs that need not be here.
#include <doctest/doctest.h>

#include "binary/elf.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/jit_link.hpp"
#include "kernels.hpp"
#include "kiln/error.hpp"
#include "kiln/inspect.hpp"

using namespace kiln;
using kiln::test::compiled;
using kiln::test::contains;
using kiln::test::have_compiler;

namespace {

std::string golden(const std::string& name) {
  return std::string(KILN_GOLDEN_DIR) + "/link/" + name;
}

UfuncDefinition scaled(std::vector<LinkFile> files) {
  return {.name = "scaled",
          .signatures = {"float32(float32 x)"},
          .body = "return scale(x) - 1;",
          .compile = {.functions = declare_device("scale", "float32(float32 x)"), .link = std::move(files)}};
}
UfuncDefinition scaled_by_text() {
  return {.name = "scaled",
          .signatures = {"float32(float32 x)"},
          .body = "return scale(x) - 1;",
          .compile = {.functions = "inline float scale(float x) { return x * 2.5f + 1.0f; }"}};
}

bool have_nvidia_linker() {
  if (!have_compiler(DeviceKind::cuda)) return false;
  try {
    static_cast<void>(backend::gpu::JitLink::machine());
    return true;
  } catch (const DeviceError&) {
    test::not_run("nvJitLink");
    return false;
  }
}

template <class Error>
std::string refusal(UfuncDefinition definition, const char* target) {
  try {
    static_cast<void>(vectorize(std::move(definition)).compile(target));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The machine code of the kernel, without its container.
std::string code_of(const cache::Contents& kernel, const char* section = ".text.kiln_kernel") {
  std::string why;
  const auto file = base::ElfFile::read(kernel.code, &why);
  REQUIRE_MESSAGE(file.has_value(), why);
  const auto* const found = file->section(section);
  return found == nullptr ? std::string() : std::string(found->bytes);
}

}  // namespace

TEST_CASE("linked: every file of NVIDIA's tools goes into a kernel") {
  if (!have_nvidia_linker()) return;
  for (const char* const name :
       {"nvcc.ptx", "nvcc_90.cubin", "nvcc.fatbin", "nvcc.ltoir", "nvcc.o", "nvcc_lto.o", "libnvcc.a"}) {
    CAPTURE(name);
    const cache::Contents kernel = compiled(scaled({golden(name)}), "sm_90");
    CHECK(kernel.code.starts_with("\177ELF"));
    CHECK(inspect::resources(kernel).registers.value_or(0) > 4);
    CHECK(contains(kernel.key, "\"link\":["));
  }
}

TEST_CASE("linked: LTO-IR is inlined, to the machine code of the same text in .functions") {
  if (!have_nvidia_linker()) return;
  const std::string by_text = code_of(compiled(scaled_by_text(), "sm_90"));
  REQUIRE(by_text.size() > 100);
  for (const char* const name : {"nvcc.ltoir", "nvcc_lto.o"}) {
    CAPTURE(name);
    const cache::Contents kernel = compiled(scaled({golden(name)}), "sm_90");
    CHECK(code_of(kernel) == by_text);
    CHECK(code_of(kernel, ".text.scale").empty());
  }
  // What is machine code already stays a function of its own, which is called.
  const cache::Contents called = compiled(scaled({golden("nvcc_90.cubin")}), "sm_90");
  CHECK(code_of(called) != by_text);
}

TEST_CASE("linked: contraction is as the kernel wants it, across files too") {
  if (!have_nvidia_linker()) return;
  const auto both = [](UfuncDefinition definition) {
    definition.compile.contract = true;
    return code_of(compiled(std::move(definition), "sm_90"));
  };
  CHECK(both(scaled({golden("nvcc.ltoir")})) == both(scaled_by_text()));
  CHECK(both(scaled({golden("nvcc.ltoir")})) != code_of(compiled(scaled({golden("nvcc.ltoir")}), "sm_90")));
}

TEST_CASE("linked: of a list each target takes its own") {
  if (!have_nvidia_linker()) return;
  const std::vector<LinkFile> both{golden("nvcc_80.cubin"), golden("nvcc_90.cubin"), golden("amd.bc")};
  CHECK(compiled(scaled(both), "sm_80").code.starts_with("\177ELF"));
  CHECK(compiled(scaled(both), "sm_90").code.starts_with("\177ELF"));
  const std::string none = refusal<CompileError>(scaled({golden("nvcc_80.cubin"), golden("amd.bc")}), "sm_90");
  CHECK(contains(none, "no file of .compile.link is for sm_90: there are "));
  CHECK(contains(none, "nvcc_80.cubin (a cubin for sm_80), "));
  CHECK(contains(none, "amd.bc (LLVM bitcode for AMD's GPUs); add one that is compiled for it"));
}

TEST_CASE("linked: the linker's words are in the error") {
  if (!have_nvidia_linker()) return;
  UfuncDefinition missing = scaled({golden("nvcc.o")});
  missing.compile.functions = declare_device("scale", "float32(float32 x, float32 y)");
  missing.compile.functions += declare_device("nowhere", "float32(float32 x)");
  missing.body = "return nowhere(x);";
  const std::string undefined = refusal<CompileError>(missing, "sm_90");
  CHECK(contains(undefined, "scaled: error: cannot be linked: "));
  CHECK(contains(undefined, "nowhere"));
  CHECK(contains(undefined, "nvJitLink"));
  const std::string damaged =
      refusal<CompileError>(scaled({LinkFile::of_bytes("bad.ptx", ".version 8.0\n.target sm_80\nnonsense\n")}), "sm_90");
  CHECK(contains(damaged, "cannot be linked: bad.ptx"));
}

TEST_CASE("linked: files that are not there or nothing that links") {
  CHECK(refusal<IoError>(scaled({"/nowhere/scale.o"}), "sm_90") ==
        "scaled: a file of .compile.link: cannot open /nowhere/scale.o: No such file or directory");
  CHECK(contains(refusal<CompileError>(scaled({golden("functions.cu")}), "sm_90"),
                 "functions.cu: it is no PTX, cubin, fatbin, LTO-IR, LLVM bitcode, object, archive or shared object"));
}

TEST_CASE("linked: AMD's bitcode is inlined, and objects are called") {
  if (!backend::have_clang() || !have_compiler(DeviceKind::hip)) return;
  const auto registers = [](const cache::Contents& kernel) { return inspect::resources(kernel).registers.value_or(0); };
  const cache::Contents by_text = compiled(scaled_by_text(), "gfx90a");
  for (const char* const name : {"amd.bc", "libamd.a", "amd_bundle.o", "amd_packed.o"}) {
    CAPTURE(name);
    const cache::Contents kernel = compiled(scaled({golden(name)}), "gfx90a");
    CHECK(kernel.entry.compiler.starts_with("Clang"));  // this hipRTC links nothing
    CHECK_FALSE(contains(inspect::text(kernel, inspect::Form::amdgcn), "s_swappc"));
    CHECK(registers(kernel) <= registers(by_text) + 4);
  }
  CHECK(contains(inspect::text(compiled(scaled({golden("amd_gfx90a.o")}), "gfx90a"), inspect::Form::amdgcn), "s_swappc"));
  CHECK(
      contains(refusal<CompileError>(scaled({golden("amd_gfx90a.o")}), "gfx1030"), "no file of .compile.link is for gfx1030"));
  CHECK(compiled(scaled({golden("amd_bundle.o")}), "gfx1030").code.starts_with("\177ELF"));
}

TEST_CASE("linked: an entry is not compiled again without its files") {
  if (!have_nvidia_linker()) return;
  const cache::Contents kernel = compiled(scaled({golden("nvcc.ltoir")}), "sm_90");
  try {
    static_cast<void>(inspect::text(kernel, inspect::Form::ptx));
    FAIL("no error");
  } catch (const CacheError& error) {
    CHECK(contains(error.what(), "again: it is linked with files, of which its key has digests alone"));
  }
}

TEST_CASE("device code: what a body is exported as links into another kernel") {
  const Ufunc scale = vectorize(
      {.name = "scale_by_text", .signatures = {"float32(float32 x)", "float64(float64 x)"}, .body = "return x * 2.5f + 1;"});
  const auto use = [&](const DeviceCode& code) {
    UfuncDefinition definition = scaled({LinkFile::of_bytes("exported", code.bytes)});
    return definition;
  };
  const DeviceCodeOptions as_scale{.name = "scale", .signature = "float32 -> float32"};
  if (have_nvidia_linker()) {
    const DeviceCode lto = scale.device_code("sm_90", as_scale);
    CHECK(lto.declaration == "extern \"C\" float scale(float);");
    CHECK(compiled(use(lto), "sm_90").code.starts_with("\177ELF"));
    if (lto.form == DeviceCodeForm::lto_ir) {
      DeviceCodeOptions as_ptx = as_scale;
      as_ptx.form = DeviceCodeForm::ptx;
      const DeviceCode ptx = scale.device_code("sm_90", as_ptx);
      CHECK(contains(ptx.bytes, ".visible .func"));
      CHECK(compiled(use(ptx), "sm_90").code.starts_with("\177ELF"));
    }
  }
  if (backend::have_clang() && have_compiler(DeviceKind::hip)) {
    const DeviceCode bitcode = scale.device_code("gfx90a", as_scale);
    CHECK(bitcode.form == DeviceCodeForm::bitcode);
    CHECK(compiled(use(bitcode), "gfx90a").code.starts_with("\177ELF"));
    try {
      static_cast<void>(scale.device_code("gfx90a", {.signature = "float32 -> float32", .form = DeviceCodeForm::lto_ir}));
      FAIL("no error");
    } catch (const TypeError& error) {
      CHECK(contains(error.what(), "makes no device function of \"scale_by_text\" for gfx90a as LTO-IR: leave .form out"));
    }
  }
}
