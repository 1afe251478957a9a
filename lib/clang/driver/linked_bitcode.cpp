#include "clang/driver/linked_bitcode.hpp"

#include <clang/Basic/TargetOptions.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kiln::clang_module {
namespace {

constexpr const char* kLinkedFile = KILN_CLANG_FOLDER "kiln-linked.bc";
constexpr const char* kVersionFlag = "amdhsa_code_object_version";

/// Keeps what LLVM's linker says.
struct Words : llvm::DiagnosticHandler {
  explicit Words(std::string& to) : text(to) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error && text.empty()) {
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  std::string& text;
};

/// The version, times 100, that the module was made for.
std::optional<unsigned> code_object_version(const llvm::Module& module) {
  const auto* const value = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(kVersionFlag));
  return value == nullptr ? std::nullopt : std::optional(static_cast<unsigned>(value->getZExtValue()));
}

/// The same of a relocatable object.
std::optional<unsigned> code_object_version(llvm::StringRef object) {
  constexpr std::size_t kAbiVersionAt = 8;  // EI_ABIVERSION: 2 for version 4
  if (object.size() <= kAbiVersionAt) return std::nullopt;
  return 100 * (static_cast<unsigned char>(object[kAbiVersionAt]) + 2U);
}

void adopt(unsigned version, clang::TargetOptions& options) {
  using llvm::CodeObjectVersionKind;
  if (version == 500) options.CodeObjectVersion = CodeObjectVersionKind::COV_5;
  if (version == 600) options.CodeObjectVersion = CodeObjectVersionKind::COV_6;
}

void fail(Compiled& out, const kiln_clang_file& file, const std::string& why) {
  Diagnostic found;
  found.text = "cannot link " + std::string(file.name.data, file.name.size) + ": " + why;
  out.diagnostics.push_back(std::move(found));
}

}  // namespace

bool link_bitcode(const kiln_clang_request& request, clang::CompilerInvocation& invocation,
                  llvm::vfs::InMemoryFileSystem& files, Compiled& out) {
  const bool amd = llvm::Triple(invocation.getTargetOpts().Triple).isAMDGPU();
  if (amd && request.object_count > 0) {
    const kiln_clang_text& first = request.objects[0].bytes;
    if (const auto version = code_object_version(llvm::StringRef(first.data, first.size)))
      adopt(*version, invocation.getTargetOpts());
  }
  if (request.bitcode_count == 0) return true;

  std::string words;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Words>(words));
  std::unique_ptr<llvm::Module> all;
  for (std::size_t i = 0; i < request.bitcode_count; ++i) {
    const kiln_clang_file& file = request.bitcode[i];
    auto module = llvm::parseBitcodeFile({{file.text.data, file.text.size}, "linked"}, context);
    if (!module) {
      fail(out, file,
           llvm::toString(module.takeError()) + " (this is LLVM " LLVM_VERSION_STRING
                                                ", which reads its own bitcode and older)");
      return false;
    }
    if (all == nullptr) {
      all = std::move(*module);
    } else if (llvm::Linker::linkModules(*all, std::move(*module))) {
      fail(out, file, words.empty() ? "it does not go with the files before it" : words);
      return false;
    }
  }
  if (const auto version = code_object_version(*all); amd && version) adopt(*version, invocation.getTargetOpts());
  all->setTargetTriple(invocation.getTargetOpts().Triple);  // "linux-gnu" or "pc-linux-gnu": the same
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*all, stream);
  files.addFile(kLinkedFile, 0, llvm::MemoryBuffer::getMemBufferCopy(bytes, kLinkedFile));
  clang::CodeGenOptions::BitcodeFileToLink link;
  link.Filename = kLinkedFile;
  link.PropagateAttrs = true;
  link.Internalize = true;
  link.LinkFlags = llvm::Linker::Flags::LinkOnlyNeeded;
  invocation.getCodeGenOpts().LinkBitcodeFiles.push_back(std::move(link));
  return true;
}

}  // namespace kiln::clang_module
