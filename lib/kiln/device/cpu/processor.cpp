#include "device/cpu/processor.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kiln::backend::cpu {

std::string processor_name() {
#if defined(__x86_64__)
  // Reading /proc/cpuinfo takes a tenth of a millisecond, and more with every processor.
  std::array<unsigned, 12> words{};
  bool known = true;
  for (unsigned i = 0; i < 3 && known; ++i) {
    unsigned* const w = words.data() + std::size_t{4} * i;
    known = __get_cpuid(0x80000002U + i, w, w + 1, w + 2, w + 3) != 0;
  }
  if (known) {
    const auto* const text = reinterpret_cast<const char*>(words.data());
    const std::string name(text, strnlen(text, sizeof words));
    const std::size_t begin = name.find_first_not_of(' ');
    if (begin != std::string::npos) return name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
  }
#endif
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(':');
    const std::size_t first = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (first != std::string::npos) return line.substr(first);
  }
  return "CPU";
}

std::int64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? std::int64_t{pages} * size : 0;
}

std::int64_t cache_bytes() {
  for (const int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    if (const long bytes = sysconf(level); bytes > 0) return bytes;
  }
  return 0;
}

}  // namespace kiln::backend::cpu
