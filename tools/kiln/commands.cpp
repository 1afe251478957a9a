#include "commands.hpp"

#include "cache_command.hpp"
#include "compile_command.hpp"
#include "devices_command.hpp"
#include "environment_command.hpp"
#include "eval_command.hpp"
#include "explain_command.hpp"
#include "functions_command.hpp"
#include "inspect_command.hpp"
#include "tune_command.hpp"

namespace kiln::tool {
namespace {

constexpr CommandRow kCommands[] = {
    {"eval", "Run a kernel on .npy files and numbers", &make_command<EvalCommand>},
    {"functions", "List the functions of the standard library", &make_command<FunctionsCommand>},
    {"devices", "List the devices that kernels can run on", &make_command<DevicesCommand>},
    {"cache", "Look into the kernel cache, and after it", &make_command<CacheCommand>},
    {"compile", "Fill the kernel cache from manifests, for processors that need not be here", &make_command<CompileCommand>},
    {"tune", "Measure a kernel's launch shapes on a GPU, and keep the best in the kernel cache", &make_command<TuneCommand>},
    {"inspect", "Look into compiled kernels: resources, assembly, source", &make_command<InspectCommand>},
    {"explain", "Say what errors mean, and how to correct a call", &make_command<ExplainCommand>},
    {"environment", "List the environment variables that kiln reads", &make_command<EnvironmentCommand>},
};

}  // namespace

std::span<const CommandRow> commands() noexcept {
  return kCommands;
}

}  // namespace kiln::tool
