// A kernel's source with all that it includes, and what is said of it in errors and in the cache: what lib/kiln/program builds.
// It owns everything, and knows no kind of kernel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "kernel/spec.hpp"

namespace kiln::kinds {

struct Source {
  std::string name = {};       ///< the kernel's, as in #line; for messages
  std::string kind = {};       ///< "ufunc", "gufunc", "reduction", "kernel": for the entry
  std::string signature = {};  ///< of the loop, for messages and the entry; not in the key
  std::string variant = {};    ///< what tells it from the loop's other kernels: for the entry
  std::string body = {};       ///< the user's text: for the entry
  DeviceKind target = DeviceKind::cpu;
  std::string text = {};  ///< the whole translation unit
  /// The same with the user's texts as they are written, where `text` has others: what diagnostics are about.
  std::string as_written = {};
  std::map<std::string, std::string> headers = {};              ///< every file that an #include may name
  std::vector<std::pair<std::string, std::string>> texts = {};  ///< the user's, by the names that diagnostics have for them
  std::vector<std::string> defines = {};
  bool unnamed_parameters = false;                                   ///< the signature has types alone
  codegen::Operands operands = nullptr;                              ///< for messages
  std::shared_ptr<const backend::FaultTexts> fault_texts = nullptr;  ///< null: it checks nothing
};

struct SourceRequest {
  const codegen::UserText& text;
  const KernelSpec& spec;
  DeviceKind target;
  std::string kind;
  std::string signature;
  const std::map<std::string, std::string>& headers;
  const std::vector<std::string>& include_dirs;
};

/// Renders and resolves the includes. CompileError and IoError as resolve_includes() says.
[[nodiscard]] Source make_source(const SourceRequest& request);

}  // namespace kiln::kinds
