// The folder that debug information names.
#include "compiler/debug_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace kiln::backend {
namespace {

TEST_CASE("debug folder: the loader's takes the place of the one in the code") {
  const std::string compiled = debug_folder_options().front();
  const std::string named = compiled.substr(compiled.find('=') + 1);
  REQUIRE(named.size() == kLongestDebugFolder);
  const std::string code = "ELF" + named + std::string("\0", 1) + named + "/include/a.hpp" + std::string("\0tail", 5);

  const std::string on_cpu = with_debug_folder(code, "/c/debug/1", DeviceKind::cpu);
  CHECK(on_cpu.size() == code.size());
  CHECK(on_cpu.find(named) == std::string::npos);
  CHECK(std::string(on_cpu.c_str() + 3) == "/c/debug/1");
  CHECK(std::string(on_cpu.c_str() + 3 + named.size() + 1) == "/c/debug/1/include/a.hpp");
  CHECK(on_cpu.ends_with(std::string("\0tail", 5)));

  const std::string on_gpu = with_debug_folder(code, "/c/debug/1", DeviceKind::cuda);
  CHECK(on_gpu.size() == code.size());
  const std::string padded = "/c/debug/1" + std::string(kLongestDebugFolder - 10, '/');
  CHECK(std::string(on_gpu.c_str() + 3) == padded);
  CHECK(std::string(on_gpu.c_str() + 3 + named.size() + 1) == padded + "/include/a.hpp");

  CHECK(with_debug_folder(code, "", DeviceKind::cpu) == code);
  CHECK(with_debug_folder(code, std::string(kLongestDebugFolder + 1, 'x'), DeviceKind::cpu) == code);
  CHECK(with_debug_folder("no debug information", "/c", DeviceKind::cpu) == "no debug information");
}

}  // namespace
}  // namespace kiln::backend
