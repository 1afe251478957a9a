#include "compiler/gpu/hiprtc_link.hpp"

#include <algorithm>

#include "compiler/gpu/linker.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr int kBitcodeInput = 100;  // HIPRTC_JIT_INPUT_LLVM_BITCODE

}  // namespace

bool can_link(const CompilerLibrary& library, const std::vector<LinkPart>& files) {
  const CompilerTable& calls = library.table();
  if (calls.link_code == nullptr || calls.link_create == nullptr || calls.link_add_data == nullptr ||
      calls.link_complete == nullptr || calls.link_destroy == nullptr) {
    return false;
  }
  return std::ranges::all_of(files, [](const LinkPart& file) { return file.format == LinkFormat::bitcode; });
}

std::string link_by_hiprtc(const CompilerLibrary& library, const std::string& kernel, const CompileRequest& request,
                           const std::string& arch) {
  const CompilerTable& calls = library.table();
  abi::Handle link = nullptr;
  std::string refused;
  abi::Status status = calls.link_create(0, nullptr, nullptr, &link);
  const auto add = [&](const std::string& bytes, const std::string& name) {
    if (status != abi::kSuccess) return;
    // hipRTC takes the bytes as its own to change, and changes none.
    void* const data = const_cast<char*>(bytes.data());
    status = calls.link_add_data(link, kBitcodeInput, data, bytes.size(), name.c_str(), 0, nullptr, nullptr);
    if (status != abi::kSuccess) refused = name + ": ";
  };
  add(kernel, request.name);
  for (const LinkPart& file : request.link) add(*file.bytes, file.name);
  void* code = nullptr;
  std::size_t bytes = 0;
  if (status == abi::kSuccess) status = calls.link_complete(link, &code, &bytes);
  std::string linked;
  if (status == abi::kSuccess) linked.assign(static_cast<const char*>(code), bytes);
  if (link != nullptr) calls.link_destroy(link);
  if (status != abi::kSuccess) throw link_error(request, arch, library.display(), refused + calls.error_text(status));
  return linked;
}

}  // namespace kiln::backend::gpu
