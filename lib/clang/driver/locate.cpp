#include "clang/driver/locate.hpp"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "clang/driver/users_texts.hpp"

namespace kiln::clang_module {
void locate(llvm::StringRef code, std::uint64_t address, std::vector<Diagnostic>& found) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(code, "kernel"));
  if (!object) return llvm::consumeError(object.takeError());
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  const auto context =
      llvm::DWARFContext::create(**object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", ignore, ignore);
  const llvm::DIInliningInfo frames = context->getInliningInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath, llvm::DILineInfoSpecifier::FunctionNameKind::None});
  for (unsigned i = 0; i < frames.getNumberOfFrames(); ++i) {  // innermost first
    const llvm::DILineInfo& frame = frames.getFrame(i);
    if (frame.Line == 0 || is_kilns_file(frame.FileName)) continue;
    Diagnostic place;
    place.file = name_in_text(frame.FileName).str();
    place.line = static_cast<int>(frame.Line);
    place.column = static_cast<int>(frame.Column);
    found.push_back(std::move(place));
    return;
  }
}

}  // namespace kiln::clang_module
