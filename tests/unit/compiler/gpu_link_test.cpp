// The linkers of the GPUs' vendors that this machine lacks: hipRTC's, by a stand-in, and who is asked in their place.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../device/gpu_compilers.hpp"
#include "compiler/gpu/compiler.hpp"
#include "compiler/gpu/hiprtc_link.hpp"
#include "library/dialect.hpp"
#include "support/message.hpp"
#include "test_libraries.hpp"

using namespace kiln;
using namespace kiln::backend;
using kiln::test::message_of;

namespace {

const gpu::CompilerLibrary& hiprtc_that_links() {
  static const gpu::CompilerLibrary library(gpu::dialect_of(DeviceKind::hip), {KILN_FAKE_HIPRTC_LIBRARY});
  return library;
}

LinkPart part(const char* name, LinkFormat format, const char* bytes) {
  return {.name = name, .format = format, .kind = DeviceKind::hip, .bytes = std::make_shared<const std::string>(bytes)};
}

CompileRequest request(std::vector<LinkPart> link) {
  CompileRequest made;
  made.name = "k";
  made.source = "SOURCE";
  made.link = std::move(link);
  return made;
}

}  // namespace

TEST_CASE("hipRTC links the bitcode of a kernel with that of files") {
  const auto compiler = gpu::make_compiler(hiprtc_that_links(), {"gfx90a", "gfx90a", false, {}, false}, {.only_device = true});
  const CompileRequest two = request({part("a.bc", LinkFormat::bitcode, "A"), part("b.bc", LinkFormat::bitcode, "B")});
  REQUIRE(&compiler->linking(two.link) == compiler.get());
  const std::string code = compiler->compile(two).code;
  CHECK(code.starts_with("linked(100 k bitcode(SOURCE; --offload-arch=gfx90a "));
  CHECK(code.find(" -fgpu-rdc); 100 a.bc A; 100 b.bc B)") != std::string::npos);
  CHECK(compiler->compile(request({})).code == "code");
  CHECK(message_of([&] {
          (void)compiler->compile(request({part("odd.bc", LinkFormat::bitcode, "refused")}));
        }).find("k: error: cannot be linked: odd.bc: HIPRTC_ERROR_LINKING") != std::string::npos);
}

TEST_CASE("what hipRTC does not link is Clang's to link") {
  int asked = 0;
  const auto clang =
      gpu::make_compiler(hiprtc_that_links(), {"gfx90a", "stands for Clang", false, {}, false}, {.only_device = true});
  const gpu::Linking linking{.only_device = true, .by_clang = [&] {
                               ++asked;
                               return clang;
                             }};
  const std::vector<LinkPart> object{part("a.o", LinkFormat::object, "A")};
  const std::vector<LinkPart> bitcode{part("a.bc", LinkFormat::bitcode, "A")};
  // What is compiled ahead of time, for no device, and what a device asks for are one kernel.
  const auto compiler = gpu::make_compiler(hiprtc_that_links(), {"gfx90a", "gfx90a", false, {}, false}, linking);
  CHECK(&compiler->linking(bitcode) == clang.get());
  CHECK(&compiler->linking(bitcode) == clang.get());
  CHECK(asked == 1);
  // It would link for whichever device is current.
  const auto several = gpu::make_compiler(hiprtc_that_links(), {"gfx90a", "gfx90a", false, {}, false});
  CHECK(message_of([&] { (void)several->linking(bitcode); }) == "hipRTC 6.2 cannot link device code for gfx90a");
  const auto alone = gpu::make_compiler(hiprtc_that_links(), {"gfx90a", "gfx90a", false, {}, false});
  CHECK(message_of([&] { (void)alone->linking(object); }) == "hipRTC 6.2 cannot link device code for gfx90a");
  CHECK_FALSE(gpu::can_link(hiprtc_that_links(), object));
  CHECK(gpu::can_link(hiprtc_that_links(), bitcode));
}
