// backend::compile_by_clang() by the module that holds Clang.
#include <algorithm>
#include <memory>

#include "compiler/clang.hpp"
#include "compiler/compiler_ended.hpp"
#include "compiler/compilers.hpp"
#include "library/clang_module.hpp"
#include "library/compile_limits.hpp"
#include "library/fork_gate.hpp"

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

Diagnostic diagnostic_of(const kiln_clang_diagnostic& found, const ClangJob& job) {
  return {.severity = severity(found.severity),
          .file = found.file.size == 0 ? job.request.name : text(found.file),
          .line = found.line,
          .column = found.column,
          .text = without_own_namespace(text(found.text)),
          .source_line = text(found.source_line)};
}

std::vector<Diagnostic> diagnostics_of(const kiln_clang_result& result, const ClangJob& job) {
  std::vector<Diagnostic> all;
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) all.push_back(diagnostic_of(result.diagnostics[i], job));
  for (std::size_t i = 0; i < result.undefined_count; ++i) {
    all.push_back({.severity = Severity::error,
                   .file = job.request.name,
                   .text = "undefined function '" + without_own_namespace(text(result.undefined[i])) +
                           "': it is declared and used, but " + job.definers});
  }
  return all;
}

CompileReport report_of(const kiln_clang_report& report, const ClangJob& job) {
  if (report.known == 0) return {};
  const bool scalar = report.vector_bits == 0 && report.scalar_because.text.size > 0;
  return {.vector_bits = report.vector_bits,
          .spills = report.spills,
          .local_bytes = report.stack_bytes,
          .scalar_because = scalar ? std::optional(diagnostic_of(report.scalar_because, job)) : std::nullopt};
}

int form_of(ClangOutput output) {
  switch (output) {
    case ClangOutput::shared_object:
      return KILN_CLANG_SHARED_OBJECT;
    case ClangOutput::ir:
      return KILN_CLANG_IR;
    case ClangOutput::ptx:
      return KILN_CLANG_ASSEMBLY;
    case ClangOutput::bitcode:
      return KILN_CLANG_BITCODE;
    case ClangOutput::object:
      return KILN_CLANG_OBJECT;
    case ClangOutput::loadable:
      return KILN_CLANG_LOADABLE;
  }
  return KILN_CLANG_SHARED_OBJECT;
}

std::vector<kiln_clang_file> bitcode_of(const ClangJob& job) {
  std::vector<kiln_clang_file> all;
  for (const LinkPart& file : job.request.link) {
    if (file.format == LinkFormat::bitcode) all.push_back({text(file.name), text(*file.bytes)});
  }
  return all;
}

/// A CompileError's, for what stands in no text.
CompileError::Details refusal(const ClangJob& job, std::string why) {
  return {.diagnostics = {{.severity = Severity::error, .file = job.request.name, .text = std::move(why)}},
          .log = {},
          .source = job.request.source,
          .options = job.arguments,
          .target = job.target,
          .compiler = "Clang " + clang_release(),
          .context = job.request.context};
}

std::vector<kiln_clang_object> objects_of(const ClangJob& job) {
  std::vector<kiln_clang_object> all;
  for (const LinkPart& file : job.request.link) {
    if (file.format != LinkFormat::object && file.format != LinkFormat::shared_object) continue;
    if (file.format == LinkFormat::shared_object && file.path.empty()) {
      throw CompileError(
          refusal(job, "cannot link " + file.name + ": a shared object is loaded from its file: give its path, not its bytes"));
    }
    all.push_back({.name = text(file.name),
                   .bytes = text(*file.bytes),
                   .path = file.format == LinkFormat::shared_object ? file.path.c_str() : nullptr,
                   .lazy = file.lazy ? 1 : 0});
  }
  return all;
}

}  // namespace

std::string clang_release() {
  return clang_version();
}

std::string clang_version_for_keys() {
  return clang_module_version();
}

CompileResult compile_by_clang(const ClangJob& job) {
  const CompileRequest& request = job.request;
  const kiln_clang_api& module = clang_module();
  std::vector<std::string> words = job.arguments;
  const std::vector<kiln_clang_file> bitcode = bitcode_of(job);
  const std::vector<kiln_clang_object> objects = objects_of(job);
  for (const auto& [name, bytes] : job.bitcode) words.insert(words.end(), {"-mlink-builtin-bitcode", KILN_CLANG_FOLDER + name});
  std::vector<const char*> arguments;
  arguments.reserve(words.size());
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::vector<kiln_clang_file> headers;
  headers.reserve(request.headers.size() + job.bitcode.size());
  for (const auto& [name, contents] : request.headers) headers.push_back({text(name), text(contents)});
  for (const auto& [name, bytes] : job.bitcode) headers.push_back({text(name), text(bytes)});
  const auto time_limit = request.time_limit > request.time_limit.zero() ? request.time_limit : compile_limits().time;
  const kiln_clang_request call{.form = form_of(job.output),
                                .source = text(request.source),
                                .headers = headers.data(),
                                .header_count = headers.size(),
                                .arguments = arguments.data(),
                                .argument_count = arguments.size(),
                                .objects = objects.data(),
                                .object_count = objects.size(),
                                .bitcode = bitcode.data(),
                                .bitcode_count = bitcode.size(),
                                .debugs = request.debug ? text(request.name) : kiln_clang_text{},
                                .time_limit_ms = time_limit.count(),
                                .memory_limit = compile_limits().memory};

  std::unique_ptr<const kiln_clang_result, Release> result(nullptr, Release{&module});
  {
    const ForkGate gate;
    result.reset(module.compile(&call));
  }
  if (result->status == KILN_CLANG_OK || (result->status == KILN_CLANG_UNDEFINED && job.links_later)) {
    return {
        .code = text(result->code),
        .log = text(result->log),
        .warnings = of_severity(diagnostics_of(*result, job), Severity::warning),
        .report = report_of(result->report, job),
        .times = CompileTimes{
            .front_end = result->front_end_ms, .passes = result->passes_ms, .code = result->code_ms, .link = result->link_ms}};
  }
  if (result->status >= KILN_CLANG_CRASHED) {
    CompileError::Details details = refusal(job, why_ended(*result, time_limit));
    details.log = text(result->log);
    // Its own crashes come again; what the system did may not, and another definition may have more time.
    throw CompilerEnded(std::move(details), result->status == KILN_CLANG_NO_MEMORY || result->status == KILN_CLANG_ENDED ||
                                                result->status == KILN_CLANG_TOO_LONG);
  }
  if (result->status == KILN_CLANG_UNLINKABLE || (result->status == KILN_CLANG_FAILED && result->diagnostic_count == 0)) {
    std::string reason = text(result->error);
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    // The linker's words about files of the user's.
    if (result->status == KILN_CLANG_UNLINKABLE && !objects.empty()) throw CompileError(refusal(job, std::move(reason)));
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

CompilerInfo clang_info() {
  CompilerInfo info{.kind = DeviceKind::cpu, .name = "Clang"};
  try {
    static_cast<void>(clang_module());
  } catch (const DeviceError& error) {
    info.reason = error.what();
    return info;
  }
  info.version = clang_version();
  for (const std::string& file : clang_module_candidates()) {
    if (info.file.empty() && ::access(file.c_str(), R_OK) == 0) info.file = file;
  }
  info.taken = true;
  info.reason = "kiln brings it";
  return info;
}

}  // namespace kiln::backend::cpu
