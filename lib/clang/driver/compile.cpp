#include "clang/driver/compile.hpp"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Stack.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Triple.h>

#include <chrono>
#include <memory>
#include <utility>

#include "clang/driver/linked_bitcode.hpp"
#include "clang/driver/machine.hpp"
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

namespace kiln::clang_module {
namespace {

constexpr const char* kMainFile = "/kiln/kernel.cpp";
constexpr const char* kHeaderFolder = KILN_CLANG_FOLDER;

llvm::StringRef text(const kiln_clang_text& from) {
  return {from.data, from.size};
}

/// Keeps each diagnostic as values, beside the text that clang would print.
class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(Compiled& out, llvm::raw_ostream& log, clang::DiagnosticOptions* options) : out_(out), printer_(log, options) {}

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) override {
    printer_.BeginSourceFile(language, preprocessor);
  }
  void EndSourceFile() override { printer_.EndSourceFile(); }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    printer_.HandleDiagnostic(level, info);
    if (level == clang::DiagnosticsEngine::Ignored) return;
    Diagnostic found;
    found.severity = level >= clang::DiagnosticsEngine::Error     ? KILN_CLANG_ERROR
                     : level == clang::DiagnosticsEngine::Warning ? KILN_CLANG_WARNING
                                                                  : KILN_CLANG_NOTE;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    found.text = message.str().str();
    if (info.hasSourceManager() && info.getLocation().isValid()) locate(info.getSourceManager(), info.getLocation(), found);
    out_.diagnostics.push_back(std::move(found));
  }

 private:
  static void locate(const clang::SourceManager& sources, clang::SourceLocation location, Diagnostic& found) {
    const clang::PresumedLoc presumed = sources.getPresumedLoc(location);
    if (presumed.isInvalid()) return;
    found.file = presumed.getFilename();
    if (llvm::StringRef(found.file).starts_with(kHeaderFolder)) found.file.erase(0, llvm::StringRef(kHeaderFolder).size());
    found.line = static_cast<int>(presumed.getLine());
    found.column = static_cast<int>(presumed.getColumn());
    const auto [file, offset] = sources.getDecomposedExpansionLoc(location);
    bool invalid = false;
    const llvm::StringRef buffer = sources.getBufferData(file, &invalid);
    if (invalid || offset > buffer.size()) return;
    const std::size_t before = buffer.rfind('\n', offset);
    const llvm::StringRef rest = offset == 0 || before == llvm::StringRef::npos ? buffer : buffer.drop_front(before + 1);
    found.source_line = rest.take_until([](char c) { return c == '\n' || c == '\r'; }).str();
  }

  Compiled& out_;
  clang::TextDiagnosticPrinter printer_;
};

/// '#pragma clang __debug' crashes the compiler, or prints what it knows.
class RefuseDebugging : public clang::PragmaHandler {
 public:
  RefuseDebugging() : PragmaHandler("__debug") {}
  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer /*introducer*/, clang::Token& name) override {
    clang::DiagnosticsEngine& engine = preprocessor.getDiagnostics();
    engine.Report(name.getLocation(), engine.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                             "'#pragma clang __debug' is of no use in a kernel; remove it"));
    preprocessor.DiscardUntilEndOfDirective();
  }
};

template <class Action>
class Refusing : public Action {
 public:
  using Action::Action;

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& instance) override {
    clang::Preprocessor& preprocessor = instance.getPreprocessor();
    auto refusal = std::make_unique<RefuseDebugging>();
    preprocessor.RemovePragmaHandler("clang", refusal.get());  // the one of that name
    preprocessor.AddPragmaHandler("clang", refusal.release());
    return Action::BeginSourceFileAction(instance);
  }
};

/// Notes when LLVM's passes begin and end. Must outlive the compile.
class Stages {
 public:
  using Clock = std::chrono::steady_clock;

  /// Before other passes of kiln's are registered.
  void note_begin(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [this](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(Note(begin_)); });
  }
  /// Behind the others.
  void note_end(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback(
        [this](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(Note(end_)); });
  }
  /// Of a compile that ends now.
  [[nodiscard]] CompileTimes times() const {
    const auto ms = [](Clock::duration span) { return std::chrono::duration<double, std::milli>(span).count(); };
    return {.front_end = ms(begin_ - start_), .passes = ms(end_ - begin_), .code = ms(Clock::now() - end_)};
  }

 private:
  struct Note : llvm::PassInfoMixin<Note> {
    explicit Note(Clock::time_point& into) : time(&into) {}
    Clock::time_point* time;
    llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&) {
      *time = Clock::now();
      return llvm::PreservedAnalyses::all();
    }
  };

  Clock::time_point start_ = Clock::now();
  Clock::time_point begin_ = start_;
  Clock::time_point end_ = start_;
};

/// Has Clang give instructions their places in the text, for the passes alone. Whether they would have none.
bool track_locations(clang::CodeGenOptions& options) {
  if (options.getDebugInfo() != llvm::codegenoptions::NoDebugInfo) return false;
  options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  return true;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files_of(const kiln_clang_request& request) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(kMainFile, 0, llvm::MemoryBuffer::getMemBufferCopy(text(request.source), kMainFile));
  for (std::size_t i = 0; i < request.header_count; ++i) {
    const std::string path = kHeaderFolder + text(request.headers[i].name).str();
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text(request.headers[i].text), path));
  }
  return files;
}

}  // namespace

void initialize() {
  initialize_machine();
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUDisassembler();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

void compile(const kiln_clang_request& request, Compiled& out) {
  clang::noteBottomOfStack();
  Stages stages;
  llvm::raw_string_ostream log(out.log);

  std::vector<const char*> arguments(request.arguments, request.arguments + request.argument_count);
  const std::string include = std::string("-I") + kHeaderFolder;
  arguments.push_back(include.c_str());
  arguments.push_back(kMainFile);

  // The options of the invocation itself, or #line would be ignored.
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  clang::DiagnosticOptions& options = invocation->getDiagnosticOpts();
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
  Collector early(out, log, &options);
  clang::DiagnosticsEngine engine(ids, &options, &early, /*ShouldOwnClient=*/false);
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, engine)) return;

  const llvm::Triple target(invocation->getTargetOpts().Triple);
  auto& passes = invocation->getCodeGenOpts().PassBuilderCallbacks;
  passes.emplace_back([&stages](llvm::PassBuilder& builder) { stages.note_begin(builder); });
  passes.emplace_back(decide_masked_bodies);
  const bool debugs = request.debugs.size > 0;
  const bool of_host = !target.isAMDGPU() && !target.isNVPTX();
  const bool reports = of_host && request.form != KILN_CLANG_IR && request.form != KILN_CLANG_BITCODE;
  if (reports) passes.emplace_back([&out](llvm::PassBuilder& builder) { note_reasons(builder, out.report); });
  const bool locates = reports && track_locations(invocation->getCodeGenOpts());
  if (debugs) {
    passes.emplace_back(define_what_is_reported);
    passes.emplace_back([name = text(request.debugs).str()](llvm::PassBuilder& builder) { name_bodies(builder, name); });
  }
  if (!of_host) {
    passes.emplace_back(hide_all_but_kernel);
    passes.emplace_back(tell_users_lines);
    passes.emplace_back(approximate_where_allowed);
  } else {
    if (debugs) {
      passes.emplace_back(let_loops_stop);
      passes.emplace_back(note_faults);
      passes.emplace_back(report_accesses);  // behind the others, which know functions of the user's by their names
    }
    // Whoever links with the kernel, or debugs it, may use what it does not.
    const bool alone = request.object_count == 0 && (request.form == KILN_CLANG_SHARED_OBJECT ||
                                                     request.form == KILN_CLANG_LOADABLE || request.form == KILN_CLANG_IR);
    if (alone && !debugs) passes.emplace_back(make_hidden_internal);
    if (!debugs) {
      passes.emplace_back(inline_small_functions);
      passes.emplace_back(split_passed_structures);
    }
    passes.emplace_back(keep_allocas);
    passes.emplace_back(join_lanes);  // in front of vector math, which inlines each call alone
    passes.emplace_back(use_vector_math);
    passes.emplace_back(widen_halves);
    passes.emplace_back(keep_short_rows);
    if (!debugs) passes.emplace_back(vectorize_items_with_loops);
    passes.emplace_back(give_places);
    passes.emplace_back(let_threads_wait);
    passes.emplace_back(limit_division_lanes);
  }
  // Behind passes that make loops. LLVM makes no vectors of loops for NVIDIA's GPUs.
  if (!target.isNVPTX()) passes.emplace_back(guard_conditional_divisions);
  if (reports) passes.emplace_back([&](llvm::PassBuilder& builder) { note_code(builder, out.report, locates); });
  passes.emplace_back([&stages](llvm::PassBuilder& builder) { stages.note_end(builder); });
  const auto files = files_of(request);
  if (!link_bitcode(request, *invocation, *files, out)) return;
  clang::CompilerInstance instance;
  instance.setInvocation(invocation);
  instance.setVerboseOutputStream(log);  // else "1 error generated." goes to stderr
  instance.createDiagnostics(new Collector(out, log, &options));
  instance.createFileManager(files);
  instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(out.output));

  llvm::LLVMContext context;
  const auto run = [&](auto&& action) {
    out.ok = instance.ExecuteAction(action) && !instance.getDiagnostics().hasErrorOccurred();
  };
  if (request.form == KILN_CLANG_IR) {
    run(Refusing<clang::EmitLLVMAction>(&context));
  } else if (request.form == KILN_CLANG_ASSEMBLY) {
    run(Refusing<clang::EmitAssemblyAction>(&context));
    if (out.ok) out.undefined = undefined_functions({out.output.data(), out.output.size()});
  } else if (request.form == KILN_CLANG_BITCODE) {
    run(Refusing<clang::EmitBCAction>(&context));
  } else {
    run(Refusing<clang::EmitObjAction>(&context));
  }
  if (out.ok) out.times = stages.times();
}

}  // namespace kiln::clang_module
