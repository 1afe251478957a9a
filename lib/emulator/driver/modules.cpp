// The driver's calls of modules and kernels.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "emulator/driver/state.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/run/driver_functions.hpp"

namespace kiln::emulator {
namespace {

constexpr int kBlocksPerMultiprocessor = 2;
/// What machine code begins with.
constexpr std::string_view kElf =
    "\x7f"
    "ELF";

/// Where a caller wants the words about what is wrong.
struct Log {
  Log(unsigned count, const int* options, void** values) {
    constexpr int kErrorLog = 5;
    constexpr int kErrorLogBytes = 6;
    for (unsigned k = 0; k < count; ++k) {
      if (options[k] == kErrorLog) buffer = static_cast<char*>(values[k]);
      if (options[k] == kErrorLogBytes) bytes = reinterpret_cast<std::uintptr_t>(values[k]);
    }
  }
  Log(char* caller_buffer, std::size_t caller_bytes) : buffer(caller_buffer), bytes(caller_bytes) {}
  void write(const std::string& text) const {
    if (buffer == nullptr || bytes == 0) return;
    const std::size_t length = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  char* buffer = nullptr;
  std::size_t bytes = 0;
};

/// A text that is linked to others: without its places in sources, whose files are numbered again in each.
std::string without_places(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t word = std::min(line.find_first_not_of(" \t"), line.size());
    if (!line.substr(word).starts_with(".loc") && !line.substr(word).starts_with(".file")) kept += line;
    text.remove_prefix(end);
  }
  return kept;
}

/// What is called and defined nowhere; empty: nothing.
std::string undefined_in(const Module& module) {
  for (const auto& [name, function] : module.functions) {
    const bool is_known = !function.is_declared_only || module.aliases.count(name) != 0;
    if (!is_known && driver_function(function) == nullptr) return std::string(name);
  }
  return {};
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
int call_of_link(void* link, const Body& body) {
  return call([&]() -> int {
    const auto found = state().links.find(link);
    return found == state().links.end() ? invalid_handle : body(*found->second);
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
      Log(count, options, values).write("the emulator runs PTX; this is machine code");
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
      Log(count, options, values).write(error.what());
      return invalid_ptx;
    }
  });
}
int cuLinkCreate_v2(unsigned count, const int* options, void** values, void** link) {
  return call([&]() -> int {
    const Log log(count, options, values);
    auto made = std::make_unique<Link>(Link{{}, log.buffer, log.bytes});
    *link = made.get();
    state().links.emplace(*link, std::move(made));
    return success;
  });
}
int cuLinkAddData_v2(void* link, int type, const void* bytes, std::size_t size, const char* name, unsigned, int*, void**) {
  return call_of_link(link, [&](Link& into) -> int {
    constexpr int kPtx = 1;
    if (type != kPtx) {
      Log(into.log, into.log_bytes)
          .write(std::string(name) +
                 ": the emulator links PTX alone; give it what `nvcc -ptx -rdc=true` makes of the same source");
      return invalid_image;
    }
    std::string_view text(static_cast<const char*>(bytes), size);
    text = text.substr(0, text.find('\0'));
    into.text += into.text.empty() ? std::string(text) : without_places(text);
    into.text += '\n';
    return success;
  });
}
int cuLinkComplete(void* link, void** code, std::size_t* size) {
  return call_of_link(link, [&](Link& of) -> int {
    try {
      if (const std::string missing = undefined_in(parse(of.text)); !missing.empty()) {
        Log(of.log, of.log_bytes).write("Undefined reference to '" + missing + "'");
        return invalid_ptx;
      }
    } catch (const PtxError& error) {
      Log(of.log, of.log_bytes).write(error.what());
      return invalid_ptx;
    }
    *code = of.text.data();
    *size = of.text.size();
    return success;
  });
}
int cuLinkDestroy(void* link) {
  return call([&]() -> int { return state().links.erase(link) == 1 ? success : invalid_handle; });
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
// Without a context: the function knows its own.
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  const std::lock_guard guard(state().mutex);
  const auto found = state().kernels.find(function);
  if (found == state().kernels.end()) return invalid_handle;
  const Kernel& kernel = *found->second;
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
