// backend::compile_by_clang() by the module that holds Clang.
#include <algorithm>
#include <memory>

#include "backend/clang.hpp"
#include "backend/cpu/clang_module.hpp"
#include "backend/cpu/fork_gate.hpp"

namespace kiln::backend::cpu {
namespace {

/// The user's names stand in a namespace of kiln's, which they need not know.
std::string without_own_namespace(std::string name) {
  constexpr std::string_view kOwn = "kiln::user::";
  for (std::size_t at = name.find(kOwn); at != std::string::npos; at = name.find(kOwn, at)) name.erase(at, kOwn.size());
  return name;
}

kiln_clang_text text(const std::string& from) {
  return {from.data(), from.size()};
}
std::string text(const kiln_clang_text& from) {
  return {from.data == nullptr ? "" : from.data, from.size};
}

Severity severity(int from) {
  return from == KILN_CLANG_ERROR ? Severity::error : from == KILN_CLANG_WARNING ? Severity::warning : Severity::note;
}

/// Gives a result back to the module that made it.
struct Release {
  const kiln_clang_api* api;
  void operator()(const kiln_clang_result* result) const { api->release(result); }
};

std::vector<Diagnostic> diagnostics_of(const kiln_clang_result& result, const ClangJob& job) {
  std::vector<Diagnostic> all;
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) {
    const kiln_clang_diagnostic& each = result.diagnostics[i];
    all.push_back({.severity = severity(each.severity),
                   .file = text(each.file),
                   .line = each.line,
                   .column = each.column,
                   .text = text(each.text),
                   .source_line = text(each.source_line)});
  }
  for (std::size_t i = 0; i < result.undefined_count; ++i) {
    all.push_back({.severity = Severity::error,
                   .file = job.request.name,
                   .text = "undefined function '" + without_own_namespace(text(result.undefined[i])) +
                           "': it is declared and used, but " + job.definers});
  }
  return all;
}

int form_of(ClangOutput output) {
  return output == ClangOutput::ptx  ? KILN_CLANG_ASSEMBLY
         : output == ClangOutput::ir ? KILN_CLANG_IR
                                     : KILN_CLANG_SHARED_OBJECT;
}

}  // namespace

std::string clang_release() {
  return clang_version();
}

std::string clang_version_for_keys() {
  return std::string(clang_version()) + "+" + std::to_string(KILN_CLANG_INTERFACE);
}

CompileResult compile_by_clang(const ClangJob& job) {
  const CompileRequest& request = job.request;
  const kiln_clang_api& module = clang_module();
  std::vector<std::string> words = job.arguments;
  for (const auto& [name, bytes] : job.bitcode) words.insert(words.end(), {"-mlink-builtin-bitcode", KILN_CLANG_FOLDER + name});
  std::vector<const char*> arguments;
  arguments.reserve(words.size());
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::vector<kiln_clang_file> headers;
  headers.reserve(request.headers.size() + job.bitcode.size());
  for (const auto& [name, contents] : request.headers) headers.push_back({text(name), text(contents)});
  for (const auto& [name, bytes] : job.bitcode) headers.push_back({text(name), text(bytes)});
  const kiln_clang_request call{.form = form_of(job.output),
                                .source = text(request.source),
                                .headers = headers.data(),
                                .header_count = headers.size(),
                                .arguments = arguments.data(),
                                .argument_count = arguments.size()};

  std::unique_ptr<const kiln_clang_result, Release> result(nullptr, Release{&module});
  {
    const ForkGate gate;
    result.reset(module.compile(&call));
  }
  if (result->status == KILN_CLANG_OK) {
    return {.code = text(result->code),
            .log = text(result->log),
            .warnings = of_severity(diagnostics_of(*result, job), Severity::warning)};
  }
  if (result->status == KILN_CLANG_FAILED && result->diagnostic_count == 0) {
    std::string reason = text(result->error);
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw DeviceError("failed to compile kernel \"" + request.name + "\" for " + job.target + ": " + reason);
  }
  throw CompileError({.diagnostics = diagnostics_of(*result, job),
                      .log = text(result->log),
                      .source = request.source,
                      .options = job.arguments,
                      .target = job.target,
                      .compiler = "Clang " + clang_release(),
                      .context = request.context});
}

}  // namespace kiln::backend::cpu
