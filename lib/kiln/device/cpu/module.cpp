#include "device/cpu/module.hpp"

#include <dlfcn.h>

#include "kiln/error.hpp"

namespace kiln::backend::cpu {

CpuModule::CpuModule(std::string_view code, const std::string& name, const std::string& debug_folder)
    : image_(code, name, debug_folder), entry_(reinterpret_cast<void (*)()>(image_.symbol(kKernelSymbol))) {
  if (entry_ == nullptr) {
    throw DeviceError("failed to load kernel \"" + name + "\" on the CPU: its code holds no function " + kKernelSymbol);
  }
  faults_ = image_.symbol(kFaultsSymbol);
  crashed_ = reinterpret_cast<decltype(crashed_)>(image_.symbol(kCrashedSymbol));
  if (crashed_ != nullptr) code_ = code;
  if (faults_ != nullptr) races_ = image_.symbol(kRacesSymbol);
}

SourcePlace CpuModule::place_of(std::uintptr_t instruction) const {
  const std::lock_guard guard(place_mutex_);
  if (instruction == placed_) return place_;  // every element of a call may crash there
  Dl_info own{};
  Dl_info other{};
  const bool inside = ::dladdr(reinterpret_cast<void*>(entry_), &own) != 0 &&
                      ::dladdr(reinterpret_cast<void*>(instruction), &other) != 0 && own.dli_fbase == other.dli_fbase;
  place_ = inside ? locate(code_, instruction - reinterpret_cast<std::uintptr_t>(own.dli_fbase)) : SourcePlace{};
  placed_ = instruction;
  return place_;
}

void CpuModule::report(const Crash& crash) const {
  const SourcePlace place = place_of(crash.instruction);
  crashed_(crash.signal, crash.address, static_cast<int>(crash.kind), place.line, place.column, place.file.c_str());
}

}  // namespace kiln::backend::cpu
