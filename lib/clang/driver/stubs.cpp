// What clang and lld refer to and kiln never runs: code generation for targets that are neither the kernels' machine nor a GPU
// (lld initializes all of them) and the pass plug-ins that the distribution builds in. Empty definitions keep them out of the
// module.
#include <llvm/Passes/PassPlugin.h>

#if KILN_KERNELS_OF_X86
#define X86 TheMachine  // stays real: the empty one gets a name that nobody calls
#else
#define AArch64 TheMachine
#endif
// So do those of the GPUs.
#define AMDGPU TheGpuOfAmd
#define NVPTX TheGpuOfNvidia

#define KILN_LEAVE_OUT(target)                 \
  extern "C" {                                 \
  void LLVMInitialize##target##Target();       \
  void LLVMInitialize##target##AsmPrinter();   \
  void LLVMInitialize##target##AsmParser();    \
  void LLVMInitialize##target##Target() {}     \
  void LLVMInitialize##target##AsmPrinter() {} \
  void LLVMInitialize##target##AsmParser() {}  \
  }
#define LLVM_TARGET(target) KILN_LEAVE_OUT(target)
#include <llvm/Config/Targets.def>

#define KILN_LEAVE_OUT_TABLES(target)          \
  extern "C" {                                 \
  void LLVMInitialize##target##TargetInfo();   \
  void LLVMInitialize##target##TargetMC();     \
  void LLVMInitialize##target##TargetInfo() {} \
  void LLVMInitialize##target##TargetMC() {}   \
  }
#define LLVM_TARGET(target) KILN_LEAVE_OUT_TABLES(target)
#include <llvm/Config/Targets.def>

#define HANDLE_EXTENSION(plugin)                                                      \
  llvm::PassPluginLibraryInfo get##plugin##PluginInfo();                              \
  llvm::PassPluginLibraryInfo get##plugin##PluginInfo() {                             \
    return {LLVM_PLUGIN_API_VERSION, #plugin, "left out", [](llvm::PassBuilder&) {}}; \
  }
#include <llvm/Support/Extension.def>
