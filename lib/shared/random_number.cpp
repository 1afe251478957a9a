// LLVM, and libstdc++ where it is linked statically, ask glibc 2.36 for a random number. With this one in its place a library
// runs on systems that have glibc 2.34.
#include <sys/random.h>

#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() {
  std::uint32_t number = 0;
  // Names of temporary files are made of it: without entropy they are tried again.
  static_cast<void>(getrandom(&number, sizeof number, 0));
  return number;
}
