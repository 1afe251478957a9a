// The driver's calls of modules and kernels.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "emulator/driver/state.hpp"

namespace kiln::emulator {
namespace {

constexpr int kBlocksPerMultiprocessor = 2;
/// What machine code begins with.
constexpr std::string_view kElf =
    "\x7f"
    "ELF";

void write_log(const std::string& text, unsigned count, const int* options, void** values) {
  constexpr int kErrorLog = 5;
  constexpr int kErrorLogBytes = 6;
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == kErrorLog) buffer = static_cast<char*>(values[k]);
    if (options[k] == kErrorLogBytes) bytes = reinterpret_cast<std::uintptr_t>(values[k]);
  }
  if (buffer == nullptr || bytes == 0) return;
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
}

template <class Body>
int call_of_module(void* module, const Body& body) {
  return call([&]() -> int {
    const auto found = state().modules.find(module);
    // Kept: the body may unload it.
    return found == state().modules.end() ? invalid_handle : body(std::shared_ptr<Program>(found->second));
  });
}
template <class Body>
int call_of_kernel(void* function, const Body& body) {
  return call([&]() -> int {
    const auto found = state().kernels.find(function);
    return found == state().kernels.end() ? invalid_handle : body(*found->second);
  });
}

}  // namespace
}  // namespace kiln::emulator

using namespace kiln::emulator;

extern "C" {

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, const int* options, void** values) {
  return call([&]() -> int {
    const auto* const text = static_cast<const char*>(image);
    if (std::string_view(text).starts_with(kElf)) {
      write_log("the emulator runs PTX; this is machine code", count, options, values);
      return invalid_image;
    }
    try {
      std::shared_ptr<Program> program = machine().load(text);
      void* const made = program.get();
      state().modules.emplace(made, std::move(program));
      *module = made;
      return success;
    } catch (const PtxError& error) {
      state().message = error.what();
      write_log(error.what(), count, options, values);
      return invalid_ptx;
    }
  });
}
int cuModuleUnload(void* module) {
  return call_of_module(module, [&](const std::shared_ptr<Program>& program) {
    machine().unload(*program);
    std::erase_if(state().kernels, [&](const auto& kernel) { return kernel.second->program == program; });
    state().modules.erase(module);
    return success;
  });
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return call_of_module(module, [&](const std::shared_ptr<Program>& program) {
    const Code* const code = program->kernel(name);
    if (code == nullptr) return not_found;
    auto made = std::make_unique<Kernel>(Kernel{program, code});
    *function = made.get();
    state().kernels.emplace(*function, std::move(made));
    return success;
  });
}
int cuModuleGetGlobal_v2(void** address, std::size_t* bytes, void* module, const char* name) {
  return call_of_module(module, [&](const std::shared_ptr<Program>& program) {
    const auto& all = program->module.variables;
    const auto found = std::ranges::find_if(all, [&](const Variable& variable) {
      return variable.name == name && (variable.space == Space::global || variable.space == Space::constant);
    });
    if (found == all.end()) return not_found;
    *address = reinterpret_cast<void*>(program->addresses.find(name)->second);
    *bytes = found->bytes;
    return success;
  });
}
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  return call_of_kernel(function, [&](const Kernel& kernel) {
    const int most = kernel.code->function->most_threads;
    switch (attribute) {
      case 0:
        *value = most != 0 ? most : 1024;
        return success;
      case 1:
        *value = static_cast<int>(kernel.program->static_shared);
        return success;
      case 3:
        *value = static_cast<int>(kernel.code->local_bytes);
        return success;
      default:
        return invalid_value;
    }
  });
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  return call_of_kernel(function, [&](Kernel& kernel) {
    constexpr int kMostDynamicShared = 8;
    if (attribute != kMostDynamicShared) return invalid_value;
    if (value + static_cast<int>(kernel.program->static_shared) > machine().limits().shared_on_request) return invalid_value;
    kernel.dynamic_shared_allowed = value;
    return success;
  });
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
  *blocks = kBlocksPerMultiprocessor;
  return success;
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, void* stream, void** parameters, void**) {
  return call_of_kernel(function, [&](const Kernel& kernel) -> int {
    if (!machine().has_stream(address(stream))) return invalid_handle;
    if (Graph* const graph = captured(stream)) {
      CapturedLaunch launch{kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {}};
      for (std::size_t k = 0; k < kernel.code->parameters.size(); ++k) {
        const char* const bytes = static_cast<const char*>(parameters[k]);
        launch.parameters.emplace_back(bytes, bytes + kernel.code->parameters[k].bytes);
      }
      graph->push_back(std::move(launch));
      return success;
    }
    return machine().launch(kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, number(stream),
                            parameters);
  });
}

}  // extern "C"
