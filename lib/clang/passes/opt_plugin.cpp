// kiln's passes as a plugin of LLVM's opt, each alone: -passes=kiln-conditional-divisions, and so on.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "clang/passes/conditional_divisions.hpp"
#include "clang/passes/joined_lanes.hpp"
#include "clang/spmd/spmd.hpp"

namespace {

using namespace kiln::clang_module;

/// A pass as compile() registers it, by the name that `opt` is given.
struct NamedPass {
  llvm::StringRef name;
  void (*add)(llvm::PassBuilder& builder);
};
constexpr NamedPass kPasses[] = {
    {"kiln-conditional-divisions", guard_conditional_divisions},
    {"kiln-vectorize-items", vectorize_items_with_loops},
};
/// Those at the end of the pipeline.
constexpr NamedPass kLastPasses[] = {
    {"kiln-join-lanes", join_lanes},
};

bool add_pass(llvm::StringRef name, llvm::FunctionPassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  for (const NamedPass& each : kPasses) {
    if (each.name != name) continue;
    llvm::PassBuilder builder;
    each.add(builder);
    builder.invokeVectorizerStartEPCallbacks(passes, llvm::OptimizationLevel::O3);
    return true;
  }
  return false;
}

bool add_last_pass(llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  for (const NamedPass& each : kLastPasses) {
    if (each.name != name) continue;
    llvm::PassBuilder builder;
    each.add(builder);
    builder.invokeOptimizerLastEPCallbacks(passes, llvm::OptimizationLevel::O3);
    return true;
  }
  return false;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "kiln", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            builder.registerPipelineParsingCallback(add_pass);
            builder.registerPipelineParsingCallback(add_last_pass);
          }};
}
