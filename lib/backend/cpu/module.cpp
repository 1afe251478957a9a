#include "backend/cpu/module.hpp"

#include "kiln/error.hpp"

namespace kiln::backend::cpu {

CpuModule::CpuModule(std::string_view code, const std::string& name)
    : image_(code, name), entry_(reinterpret_cast<void (*)()>(image_.symbol(kKernelSymbol))) {
  if (entry_ == nullptr) {
    throw DeviceError("failed to load kernel \"" + name + "\" on the CPU: its code holds no function " + kKernelSymbol);
  }
  faults_ = image_.symbol(kFaultsSymbol);
}

}  // namespace kiln::backend::cpu
