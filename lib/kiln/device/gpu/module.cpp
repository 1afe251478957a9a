// Machine code loaded on a GPU.
#include "device/gpu/module.hpp"

#include <array>
#include <new>

#include "compiler/gpu/diagnostics.hpp"
#include "device/kernel_abi.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {

GpuModule::GpuModule(const Core& core, std::string_view code, const std::string& name) : core_(core), name_(name) {
  core.require_usable();
  const Current current(core);
  // A copy: aligned for an ELF reader and closed by a NUL for PTX, wherever the bytes came from.
  const std::string image(code);
  std::array<char, 4096> log{};
  std::array<int, 3> options = {abi::kJitErrorLogBuffer, abi::kJitErrorLogBufferBytes, abi::kJitGenerateLineInfo};
  // The driver takes small option values in the place of the pointer.
  std::array<void*, 3> values = {log.data(), reinterpret_cast<void*>(log.size()), reinterpret_cast<void*>(std::uintptr_t{1})};
  const bool text_with_lines = code.find("\n\t.loc\t") != std::string_view::npos;  // of PTX in debug mode
  const unsigned count = !core.dialect().load_log ? 0U : text_with_lines ? 3U : 2U;
  abi::Status status = core.calls().module_load(&module_, image.c_str(), count, options.data(), values.data());
  if (status != abi::kSuccess) {
    log.back() = '\0';
    const std::string words = normalize_log(log.data());
    const std::string what = "load module \"" + name + "\"";
    if (words.empty()) core.fail(status, what);
    const DeviceError plain = core.driver().error(status, what, core.index());
    throw DeviceError(std::string(plain.what()) + ": " + words, status, plain.code_name());
  }
  status = core.calls().module_function(&function_, module_, kKernelSymbol);
  if (status == abi::kSuccess) {
    blocks_ = ask_occupancy(kGpuBlock);
    if (image.find(kFaultsSymbol) != std::string::npos) faults_ = find_faults();
    return;
  }
  core.calls().module_unload(module_);
  core.fail(status, std::string("find the kernel ") + kKernelSymbol + " in module \"" + name + "\"");
}

void* GpuModule::find_faults() const {
  if (core_.calls().module_global == nullptr) {
    throw DeviceError("failed to load module \"" + name_ + "\" on " + core_.name() + ": it reports faults or statuses, and " +
                      core_.driver().path() +
                      " cannot tell where they are; turn .compile.debug off, and declare functions with DeviceAbi::c");
  }
  abi::Address address = 0;
  std::size_t bytes = 0;
  const abi::Status status = core_.calls().module_global(&address, &bytes, module_, kFaultsSymbol);
  // A kernel may have nothing to check, and so no buffer.
  return status == abi::kSuccess ? reinterpret_cast<void*>(address) : nullptr;
}

ModuleVariable GpuModule::variable(const std::string& symbol) const {
  if (core_.calls().module_global == nullptr) {
    throw DeviceError("failed to find \"" + symbol + "\" in module \"" + name_ + "\" on " + core_.name() + ": " +
                      core_.driver().path() + " cannot tell where variables are; pass the values as an array");
  }
  const Current current(core_);
  abi::Address address = 0;
  std::size_t bytes = 0;
  if (core_.calls().module_global(&address, &bytes, module_, symbol.c_str()) != abi::kSuccess) return {};
  return {reinterpret_cast<void*>(address), bytes};
}

// A driver that cannot say costs a guess, not the launch.
int GpuModule::ask_occupancy(int threads) const noexcept {
  int blocks = 0;
  const bool answered = core_.calls().occupancy(&blocks, function_, threads, 0) == abi::kSuccess;
  return answered && blocks > 0 ? blocks : 1;
}

int GpuModule::attribute(int number, int otherwise) const noexcept {
  int value = 0;
  auto* const get = core_.calls().function_get;
  return get != nullptr && get(&value, number, function_) == abi::kSuccess ? value : otherwise;
}

int GpuModule::own_shared() const noexcept {
  int bytes = own_shared_.load(std::memory_order_relaxed);
  if (bytes < 0) own_shared_.store(bytes = attribute(abi::kFunctionShared, 0), std::memory_order_relaxed);
  return bytes;
}

void GpuModule::allow_shared(int bytes) const {
  const std::lock_guard guard(mutex_);
  if (bytes <= shared_allowed_) return;
  core_.check(core_.calls().function_set(function_, abi::kFunctionMostDynamicShared, bytes), "allow more shared memory");
  shared_allowed_ = bytes;
}

GpuModule::~GpuModule() {
  if (!core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (!current.ok()) return;
  // Its kernel may still run on some stream.
  if (core_.calls().synchronize() == abi::kSuccess) core_.calls().module_unload(module_);
}

}  // namespace kiln::backend::gpu
