// nvJitLink behind Clang: machine code of its PTX, in the place of the driver's.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "binary/cubin.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/clang_compiler.hpp"
#include "compiler/gpu/compiler.hpp"
#include "compiler/gpu/jit_link.hpp"
#include "kiln/error.hpp"
#include "source/user_text.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using backend::gpu::JitLink;
using test::message_of;

/// The machine's; null, and told, where there is none.
const JitLink* link() {
  static const JitLink* const found = []() -> const JitLink* {
    try {
      return new JitLink(JitLink::places());
    } catch (const DeviceError&) {
      return nullptr;
    }
  }();
  if (found != nullptr && backend::have_clang()) return found;
  std::printf("KILN-NOT-RUN nvJitLink 1\n");
  return nullptr;
}

backend::CompileRequest sample() {
  backend::CompileRequest made{
      .name = "k",
      .source =
          "#include \"kiln/core/portable.hpp\"\n"
          "extern \"C\" __global__ void kiln_kernel(float* o) { o[threadIdx.x] *= o[threadIdx.x + 1]; }"};
  made.headers = codegen::resolve_includes({{"k", made.source}}, {}, {});
  return made;
}

}  // namespace

TEST_CASE("nvJitLink makes machine code for every architecture that both know") {
  const JitLink* const found = link();
  if (found == nullptr) return;
  for (const char* const target :
       {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120", "sm_121"}) {
    CAPTURE(target);
    if (!found->knows(target)) continue;
    const auto compiler = backend::gpu::make_clang_compiler({.name = target, .of_device = true, .finisher = found});
    CHECK(compiler->target() == target);
    CHECK(backend::gpu::has_finisher("Clang " + compiler->version()));
    const backend::CompileResult made = compiler->compile(sample());
    const auto resources = backend::gpu::cubin_resources({.name = "k", .target = target, .bytes = made.code});
    CHECK(resources.registers.value_or(0) > 4);
    CHECK(made.report.spills == 0);
    CHECK(compiler->emit(sample(), inspect::Form::ptx).find(".visible .entry kiln_kernel(") != std::string::npos);
  }
  const auto without = backend::gpu::make_clang_compiler({.name = "sm_90"});
  CHECK(without->target() == "sm_90 (PTX for sm_90)");
  CHECK_FALSE(backend::gpu::has_finisher("Clang " + without->version()));
  // An entry is compiled again as it was.
  CHECK(backend::compiler_of_key("sm_90", "Clang " + without->version())->version() == without->version());
}

TEST_CASE("nvJitLink's own words are in the error") {
  const JitLink* const found = link();
  if (found == nullptr) return;
  const std::string wrong = message_of([&] { static_cast<void>(found->assemble("nonsense", "sm_90", {.name = "saxpy"})); });
  CAPTURE(wrong);
  CHECK(wrong.starts_with(found->display() + " makes no machine code of kernel \"saxpy\" for sm_90: "));
  CHECK(wrong.ends_with("; unset KILN_NVJITLINK to leave its PTX to the driver"));
  CHECK_FALSE(found->knows("sm_1"));
}

TEST_CASE("nvJitLink that is not there, or is something else") {
  CHECK(message_of([] { const JitLink missing({"/nowhere/libnvJitLink.so.13"}); }) ==
        "nvJitLink was not found: tried /nowhere/libnvJitLink.so.13 (no such file); name its file in KILN_NVJITLINK, or unset "
        "that "
        "to leave PTX to the driver");
  const JitLink other({"libm.so.6"});
  CHECK(message_of([&] {
          static_cast<void>(other.assemble("", "sm_90", {.name = "k"}));
        }).find(" has no symbol nvJitLinkCreate, which kiln needs: it is too old, or not the library it is named as") !=
        std::string::npos);
}
