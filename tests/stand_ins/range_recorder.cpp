// Stands in for NVTX's and ROCTX's libraries, and for a profiler's that NVTX_INJECTION64_PATH names: appends each call to the
// file that KILN_RANGE_LOG names.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

int note(const char* who, const char* what, const char* name) {
  std::FILE* const log = std::fopen(std::getenv("KILN_RANGE_LOG"), "a");
  if (log == nullptr) return -1;
  std::fprintf(log, "%s %s%s\n", who, what, name);
  std::fclose(log);
  return 0;
}

using AnyFunction = void (*)();
// As nvtxTypes.h of NVTX 3 has them.
struct Callbacks {
  std::size_t size;
  int (*functions_of)(int module, AnyFunction*** table, unsigned* count);
};

}  // namespace

extern "C" {
int nvtxRangePushA(const char* name) {
  return note("nvtx", "push ", name);
}
int nvtxRangePop() {
  return note("nvtx", "pop", "");
}
int roctxRangePushA(const char* name) {
  return note("roctx", "push ", name);
}
int roctxRangePop() {
  return note("roctx", "pop", "");
}

int InitializeInjectionNvtx2(const void* (*table_of)(std::uint32_t)) {
  const auto* const callbacks = static_cast<const Callbacks*>(table_of(1));
  AnyFunction** table = nullptr;
  unsigned count = 0;
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks) || callbacks->functions_of(1, &table, &count) == 0) return 0;
  if (count != 16 || callbacks->functions_of(2, nullptr, nullptr) != 0) return 0;
  // All that there are, as a profiler does it.
  for (unsigned i = 1; i < count; ++i) {
    if (table[i] != nullptr) *table[i] = [] {};
  }
  *table[9] = reinterpret_cast<AnyFunction>(+[](const char* name) { return note("injected", "push ", name); });
  *table[11] = reinterpret_cast<AnyFunction>(+[] { return note("injected", "pop", ""); });
  return 1;
}
}
