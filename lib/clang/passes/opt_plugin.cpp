// kiln's passes as a plug-in of LLVM's opt: -passes=kiln-conditional-divisions, and so on, each as compile() registers it.
//
// A pass with several parts runs all of them in the pipeline's order; kiln-short-rows<loop> runs one part alone. The parts are
// start, peephole, early, loop, vectorizer and last: the extension points of LLVM's pipeline.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

#include <iterator>
#include <utility>

#include "clang/passes/allocas.hpp"
#include "clang/passes/conditional_divisions.hpp"
#include "clang/passes/debug_names.hpp"
#include "clang/passes/division_lanes.hpp"
#include "clang/passes/gpu_module.hpp"
#include "clang/passes/half_promotion.hpp"
#include "clang/passes/inlined_functions.hpp"
#include "clang/passes/internal_symbols.hpp"
#include "clang/passes/joined_lanes.hpp"
#include "clang/passes/masked_bodies.hpp"
#include "clang/passes/noted_faults.hpp"
#include "clang/passes/passed_structures.hpp"
#include "clang/passes/reported_accesses.hpp"
#include "clang/passes/reported_operations.hpp"
#include "clang/passes/short_rows.hpp"
#include "clang/passes/stoppable_loops.hpp"
#include "clang/passes/thread_places.hpp"
#include "clang/passes/vector_math.hpp"
#include "clang/spmd/blocks.hpp"
#include "clang/spmd/spmd.hpp"

namespace {

using namespace kiln::clang_module;

struct NamedPass {
  llvm::StringRef name;
  void (*add)(llvm::PassBuilder& builder);
};
const NamedPass kPasses[] = {
    {"kiln-allocas", keep_allocas},
    {"kiln-approximate-math", approximate_where_allowed},
    {"kiln-conditional-divisions", guard_conditional_divisions},
    {"kiln-debug-names", [](llvm::PassBuilder& builder) { name_bodies(builder, "saxpy"); }},
    {"kiln-division-lanes", limit_division_lanes},
    {"kiln-half-promotion", widen_halves},
    {"kiln-hidden-functions", hide_all_but_kernel},
    {"kiln-inlined-functions", inline_small_functions},
    {"kiln-internal-symbols", make_hidden_internal},
    {"kiln-joined-lanes", join_lanes},
    {"kiln-masked-bodies", decide_masked_bodies},
    {"kiln-noted-faults", note_faults},
    {"kiln-passed-structures", split_passed_structures},
    {"kiln-reported-accesses", report_accesses},
    {"kiln-reported-operations", define_what_is_reported},
    {"kiln-short-rows", keep_short_rows},
    {"kiln-spmd", vectorize_items_with_loops},
    {"kiln-spmd-blocks", let_threads_wait},
    {"kiln-stoppable-loops", let_loops_stop},
    {"kiln-thread-places", give_places},
    {"kiln-users-lines", tell_users_lines},
    {"kiln-vector-math", use_vector_math},
};

/// A pass that a pipeline's text names, and which of its parts run.
class Asked {
 public:
  explicit Asked(llvm::StringRef text) {
    const llvm::OptimizationLevel level = llvm::OptimizationLevel::O3;
    auto [name, part] = text.split('<');
    part.consume_back(">");
    const auto* const found = llvm::find_if(kPasses, [name = name](const NamedPass& each) { return each.name == name; });
    if (found != std::end(kPasses)) found->add(builder_);
    const auto wants = [&, part = part](llvm::StringRef each) {
      return found != std::end(kPasses) && (part.empty() || part == each);
    };
    if (wants("start")) builder_.invokePipelineStartEPCallbacks(start_, level);
    if (wants("peephole")) builder_.invokePeepholeEPCallbacks(peephole_, level);
    llvm::LoopPassManager loops;
    if (wants("loop")) builder_.invokeLateLoopOptimizationsEPCallbacks(loops, level);
    if (!loops.isEmpty()) loop_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
    llvm::CGSCCPassManager callees;
    if (wants("callees")) builder_.invokeCGSCCOptimizerLateEPCallbacks(callees, level);
    if (!callees.isEmpty()) early_.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(std::move(callees)));
    if (wants("early")) builder_.invokeOptimizerEarlyEPCallbacks(early_, level);
    if (wants("vectorizer")) builder_.invokeVectorizerStartEPCallbacks(vectorizer_, level);
    if (wants("last")) builder_.invokeOptimizerLastEPCallbacks(last_, level);
  }

  /// Adds a pass whose parts are all of functions, so that other passes of functions may follow it. Whether it is one.
  bool add_to(llvm::FunctionPassManager& passes) {
    const bool of_module = !start_.isEmpty() || !early_.isEmpty() || !last_.isEmpty();
    if (of_module || (peephole_.isEmpty() && loop_.isEmpty() && vectorizer_.isEmpty())) return false;
    passes.addPass(std::move(peephole_));
    passes.addPass(std::move(loop_));
    passes.addPass(std::move(vectorizer_));
    return true;
  }

  /// Adds any other pass.
  bool add_to(llvm::ModulePassManager& passes) {
    if (start_.isEmpty() && early_.isEmpty() && last_.isEmpty()) return false;
    passes.addPass(std::move(start_));
    if (!peephole_.isEmpty()) passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(peephole_)));
    if (!loop_.isEmpty()) passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(loop_)));
    passes.addPass(std::move(early_));
    if (!vectorizer_.isEmpty()) passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(vectorizer_)));
    passes.addPass(std::move(last_));
    return true;
  }

 private:
  llvm::PassBuilder builder_;
  llvm::ModulePassManager start_;
  llvm::FunctionPassManager peephole_;
  llvm::FunctionPassManager loop_;
  llvm::ModulePassManager early_;
  llvm::FunctionPassManager vectorizer_;
  llvm::ModulePassManager last_;
};

template <class Passes>
bool add(llvm::StringRef name, Passes& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  return Asked(name).add_to(passes);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "kiln", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            builder.registerPipelineParsingCallback(add<llvm::FunctionPassManager>);
            builder.registerPipelineParsingCallback(add<llvm::ModulePassManager>);
          }};
}
