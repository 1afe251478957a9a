// The forms of kernels as text: what stands in them, which a target has, and what is refused.
#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/have_cpu.hpp"
#include "cache/key.hpp"
#include "kernels.hpp"
#include "kiln/error.hpp"
#include "kiln/inspect.hpp"

using kiln::cache::Contents;
using kiln::inspect::Form;
using kiln::inspect::text;
using kiln::test::compiled;
using kiln::test::contains;
using kiln::test::have_compiler;
using kiln::test::saxpy;

namespace {

template <typename Error>
std::string refusal(const Contents& kernel, Form form) {
  try {
    static_cast<void>(text(kernel, form));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Contents with_key(const Contents& kernel, const std::function<void(kiln::cache::Key&)>& change) {
  auto key = kiln::cache::parse_key(kernel.key);
  REQUIRE(key.has_value());
  change(*key);
  Contents changed = kernel;
  changed.key = key->canonical();
  return changed;
}

/// What must hold of a form that is compiled again, whichever compiler does it.
void check_again(const Contents& kernel, Form form, const std::string& comment) {
  const std::string again = text(kernel, form);
  CHECK(contains(again, "kiln_kernel"));
  CHECK(text(kernel, form) == again);
  CHECK(refusal<kiln::CacheError>(with_key(kernel, [](auto& key) { key.templates = "0"; }), form)
            .starts_with("cannot compile \"saxpy\" for " + kernel.entry.target + " again: its entry was made by another kiln"));
  CHECK(contains(refusal<kiln::CacheError>(with_key(kernel, [](auto& key) { key.kiln_version = "0.0.9"; }), form),
                 "(0.0.9; this is"));
  CHECK(contains(refusal<kiln::CacheError>(with_key(kernel, [](auto& key) { key.options.push_back("-load=/tmp/x.so"); }), form),
                 "with other options than this kiln's"));
  Contents none = kernel;
  none.key = "{}";
  CHECK(contains(refusal<kiln::CacheError>(none, form), "the key of its entry cannot be read"));
  // No file that the key does not hold takes part.
  CHECK(
      contains(refusal<kiln::CacheError>(with_key(kernel, [](auto& key) { key.source = "#include \"/etc/passwd\"\n"; }), form),
               "its source includes \"/etc/passwd\", which the key of its entry does not hold"));
  CHECK(contains(refusal<kiln::CacheError>(with_key(kernel, [](auto& key) { key.source = "#include \"no.hpp\"\n"; }), form),
                 "its source includes \"no.hpp\", which the key of its entry does not hold"));
  // Nor is it read: what it includes would be in the error.
  const kiln::test::TemporaryDirectory folder;
  const std::string secret = folder / "secret";
  kiln::test::write_text(secret, "#include \"within\"\n");
  CHECK(contains(
      refusal<kiln::CacheError>(with_key(kernel, [&](auto& key) { key.source = "#include \"" + secret + "\"\n"; }), form),
      "its source includes \"" + secret + "\", which"));
  const std::string by_another = text(with_key(kernel, [](auto& key) { key.compiler += "x"; }), form);
  CHECK(by_another.starts_with(comment + " compiled again with "));
  CHECK(contains(by_another, again));
}

}  // namespace

TEST_CASE("ptx is compiled again from the key") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  const Contents kernel = compiled(saxpy(), "sm_90");
  const std::string ptx = text(kernel, Form::ptx);
  CHECK(contains(ptx, ".target sm_90"));
  CHECK(contains(ptx, "mul.f32") != contains(ptx, "mul.rn.f32"));
  CHECK_FALSE(contains(ptx, "fma.rn.f32"));
  CHECK(ptx.find('\0') == std::string::npos);
  check_again(kernel, Form::ptx, "//");
  auto contracted = saxpy();
  contracted.compile.contract = true;
  CHECK(contains(text(compiled(contracted, "sm_90"), Form::ptx), "fma.rn.f32"));
  CHECK(contains(text(kernel, Form::source), "return a * x + y;"));
  CHECK(refusal<kiln::TypeError>(kernel, Form::llvm_ir) ==
        "there is no llvm-ir of \"saxpy\" for sm_90: its forms are source, ptx, sass, asm");
}

TEST_CASE("PTX that is kept for a newer device is shown as it is") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  Contents kernel = compiled(saxpy(), "sm_90");
  const std::string ptx = text(kernel, Form::ptx);
  kernel = with_key(kernel, [](auto& key) { key.target = "sm_999 (PTX for compute_90, finished by the driver of CUDA 13.0)"; });
  kernel.code = ptx + '\0';
  CHECK(text(kernel, Form::ptx) == ptx);
  CHECK(refusal<kiln::TypeError>(kernel, Form::sass) == "there is no sass of \"saxpy\" for sm_999: its forms are source, ptx");
  CHECK(kiln::inspect::resources(kernel).code_bytes == 0);
  CHECK_FALSE(kiln::inspect::resources(kernel).registers.has_value());
}

TEST_CASE("sass needs a cubin before it needs a tool") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  Contents kernel = compiled(saxpy(), "sm_90");
  kernel.code = "no cubin";
  CHECK(refusal<kiln::IoError>(kernel, Form::sass) == "the machine code of \"saxpy\" for sm_90 is damaged: it is no ELF file");
}

TEST_CASE("amdgcn is disassembled with no ROCm") {
  if (!have_compiler(kiln::DeviceKind::hip)) return;
  const Contents kernel = compiled(saxpy(), "gfx90a:xnack-");
  CHECK(refusal<kiln::TypeError>(kernel, Form::ptx) ==
        "there is no ptx of \"saxpy\" for gfx90a:xnack-: its forms are source, amdgcn, asm");
#if KILN_HAVE_CPU
  const std::string code = text(kernel, Form::amdgcn);
  CHECK(code.starts_with("kiln_kernel:\n"));
  CHECK(code.ends_with("s_endpgm\n"));
  CHECK(contains(code, "v_mul_f32"));
  CHECK(contains(code, "global_load_dword"));
  CHECK(contains(code, "s_cbranch_"));
  CHECK(contains(code, "\n.L1:\n"));
  CHECK_FALSE(contains(code, ".byte"));
  CHECK(text(kernel, Form::assembly) == code);
  for (const char* target : {"gfx803", "gfx906", "gfx1030"}) {
    CAPTURE(target);
    const std::string other = text(compiled(saxpy(), target), Form::amdgcn);
    CHECK(contains(other, "s_endpgm"));
    CHECK_FALSE(contains(other, ".byte"));
  }
  CHECK(refusal<kiln::DeviceError>(compiled(saxpy(), "gfx700"), Form::amdgcn) ==
        "LLVM does not disassemble gfx700: it begins with gfx8");
#else
  CHECK(contains(refusal<kiln::DeviceError>(kernel, Form::amdgcn), "configure it with -DKILN_CPU=ON"));
#endif
}

#if KILN_HAVE_CPU
TEST_CASE("assembly of the CPU shows the vector loop") {
#if defined(__x86_64__)
  const Contents kernel = compiled(saxpy(), "x86-64-v3");
  const std::string code = text(kernel, Form::assembly);
  CAPTURE(code);
  CHECK(code.starts_with("kiln_kernel:\n"));
  CHECK(contains(code, "\nrun_blocks:\n"));
  CHECK(contains(code, "vmulps ymm"));
  CHECK(contains(code, "vaddps ymm"));
  CHECK_FALSE(contains(code, "vfmadd"));
  CHECK_FALSE(contains(code, ".byte"));
  CHECK(contains(code, "\n.L1:\n"));
  auto contracted = saxpy();
  contracted.compile.contract = true;
  CHECK(contains(text(compiled(contracted, "x86-64-v3"), Form::assembly), "vfmadd"));
  CHECK(refusal<kiln::TypeError>(kernel, Form::sass) ==
        "there is no sass of \"saxpy\" for x86-64-v3: its forms are source, asm, llvm-ir");
  // A call of the vector mathematics has its name.
  const auto exponential = compiled({.name = "e", .signatures = {"float64(float64 x)"}, .body = "return exp(x);"}, "x86-64-v3");
  const std::string called = text(exponential, Form::assembly);
  const std::string call = "call _ZGVdN4v_exp\n";
  CHECK(contains(called, call));
  // One vector at a time: values of others would go to the stack across the call.
  CHECK(called.find(call) == called.rfind(call));
#endif
}

TEST_CASE("llvm-ir is compiled again from the key, for this processor and for others") {
  const Contents kernel = compiled(saxpy(), "native");
  CHECK(contains(text(kernel, Form::llvm_ir), "define"));
  CHECK(contains(text(kernel, Form::llvm_ir), "fmul <"));
  check_again(kernel, Form::llvm_ir, ";");
#if defined(__x86_64__)
  check_again(compiled(saxpy(), "x86-64-v2"), Form::llvm_ir, ";");
  // An entry of another machine: its whole feature list is in the key.
  auto key = kiln::cache::parse_key(kernel.key);
  REQUIRE(key.has_value());
  const std::size_t tune = key->target.rfind(" tune=");
  REQUIRE(tune != std::string::npos);
  const std::string other = key->target.substr(0, tune) + " tune=znver2";
  REQUIRE(other != key->target);
  const Contents elsewhere = compiled(saxpy(), other);
  CHECK(contains(text(elsewhere, Form::llvm_ir), "\"tune-cpu\"=\"znver2\""));
  Contents hostile = with_key(elsewhere, [](auto& each) { each.target += ",x -load /tmp/x.so"; });
  CHECK(contains(refusal<kiln::DeviceError>(hostile, Form::llvm_ir), "unknown target"));
#endif
}
#endif

TEST_CASE("a target that nobody knows is refused") {
  Contents kernel;
  kernel.entry.kernel = "k";
  kernel.entry.target = "vax";
  kernel.source = "the source";
  CHECK(contains(refusal<kiln::DeviceError>(kernel, Form::assembly), "cannot look into a kernel for \"vax\""));
  CHECK(text(kernel, Form::source) == "the source");
}
