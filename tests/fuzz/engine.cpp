// One target under libFuzzer. usage: kiln-fuzz TARGET [libFuzzer's options and folders]
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "targets.hpp"

namespace {

const kiln::fuzz::Target* chosen = nullptr;

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are libFuzzer's
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// NOLINTEND(readability-identifier-naming)

// libFuzzer calls it before it reads the command line: the target's name is taken out of that.
int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const auto targets = kiln::fuzz::targets();
  const std::string_view name = *argc > 1 ? (*argv)[1] : "";
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](const kiln::fuzz::Target& target) { return target.name == name; });
  if (found == targets.end()) {
    std::fputs("usage: kiln-fuzz TARGET [libFuzzer's options and folders]; the targets are", stderr);
    for (const kiln::fuzz::Target& target : targets) std::fprintf(stderr, " %s", target.name);
    std::fputs("\n", stderr);
    std::exit(2);
  }
  chosen = &*found;
  std::copy(*argv + 2, *argv + *argc + 1, *argv + 1);
  --*argc;
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
