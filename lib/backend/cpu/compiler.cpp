#include "backend/cpu/compiler.hpp"

#include <algorithm>
#include <utility>

#include "backend/backend.hpp"
#include "backend/cpu/clang_module.hpp"
#include "backend/cpu/fork_gate.hpp"

namespace kiln::backend::cpu {
namespace {

// Only clang's driver adds the vectorizers; cc1 has neither by default, nor errno from math functions.
constexpr const char* kOptions[] = {"-x",
                                    "c++",
                                    "-std=c++20",
                                    "-O3",
                                    "-vectorize-loops",
                                    "-vectorize-slp",
                                    "-fno-rounding-math",
                                    "-mframe-pointer=none",
                                    "-mconstructor-aliases",
                                    "-mrelocation-model",
                                    "pic",
                                    "-pic-level",
                                    "2",
                                    "-fvisibility=hidden",
                                    "-fgnuc-version=4.2.1",
                                    "--system-header-prefix=kiln/",  // without warnings of theirs
                                    "-nostdsysteminc",
                                    "-nobuiltininc",
                                    "-disable-llvm-verifier",
                                    "-ferror-limit",
                                    "20",
                                    "-Werror=return-type",
                                    "-Wall",
                                    "-Wno-unused",
                                    "-Wno-pass-failed"};

// What clang's driver makes of -ffast-math.
constexpr const char* kFastMath[] = {
    "-menable-no-infs", "-menable-no-nans",  "-fapprox-func", "-funsafe-math-optimizations", "-fno-signed-zeros",
    "-mreassociate",    "-freciprocal-math", "-ffast-math",   "-ffinite-math-only"};

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

std::vector<Diagnostic> diagnostics_of(const kiln_clang_result& result, const std::string& kernel) {
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
                   .file = kernel,
                   .text = "undefined function '" + without_own_namespace(text(result.undefined[i])) +
                           "': it is declared and used, but neither the kernel nor the C math library defines it"});
  }
  return all;
}

}  // namespace

ClangCompiler::ClangCompiler(Target target) : target_(std::move(target)) {}

std::string ClangCompiler::version() const {
  return std::string(clang_version()) + "+" + std::to_string(KILN_CLANG_INTERFACE);
}

std::vector<std::string> ClangCompiler::options(const CompileRequest& request) const {
  std::vector<std::string> options(std::begin(kOptions), std::end(kOptions));
  options.insert(options.end(), target_.arguments.begin(), target_.arguments.end());
  if (request.fast_math) options.insert(options.end(), std::begin(kFastMath), std::end(kFastMath));
  // "fast" fuses across statements, as nvcc does; "on" only within one.
  options.emplace_back(request.contract || request.fast_math ? "-ffp-contract=fast" : "-ffp-contract=off");
  return options;
}

CompileResult ClangCompiler::compile(const CompileRequest& request) const {
  return run(request, KILN_CLANG_SHARED_OBJECT);
}

std::string ClangCompiler::emit(const CompileRequest& request, inspect::Form form) const {
  if (form != inspect::Form::llvm_ir) return Compiler::emit(request, form);
  return run(request, KILN_CLANG_IR).code;
}

CompileResult ClangCompiler::run(const CompileRequest& request, int form) const {
  const kiln_clang_api& module = clang_module();
  const std::vector<std::string> options = this->options(request);
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) arguments.push_back(option.c_str());
  std::vector<kiln_clang_file> headers;
  headers.reserve(request.headers.size());
  for (const auto& [name, contents] : request.headers) headers.push_back({text(name), text(contents)});
  const kiln_clang_request call{.form = form,
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
            .warnings = of_severity(diagnostics_of(*result, request.name), Severity::warning)};
  }
  if (result->status == KILN_CLANG_FAILED && result->diagnostic_count == 0) {
    std::string reason = text(result->error);
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw DeviceError("failed to compile kernel \"" + request.name + "\" for " + target_.short_name + ": " + reason);
  }
  throw CompileError({.diagnostics = diagnostics_of(*result, request.name),
                      .log = text(result->log),
                      .source = request.source,
                      .options = options,
                      .target = target_.short_name,
                      .compiler = name() + " " + clang_version(),
                      .context = request.context});
}

const std::shared_ptr<const Compiler>& native_compiler() {
  static const std::shared_ptr<const Compiler> compiler = std::make_shared<ClangCompiler>(native_target());
  return compiler;
}

const std::shared_ptr<const Compiler>& device_compiler() {
  static const std::shared_ptr<const Compiler> compiler = std::make_shared<ClangCompiler>(device_target());
  return compiler;
}

std::shared_ptr<const Compiler> compiler_for_target(std::string_view target) {
  if (target == "native") return native_compiler();
  std::optional<Target> found = target_named(target);
  return found ? std::make_shared<ClangCompiler>(*std::move(found)) : nullptr;
}

}  // namespace kiln::backend::cpu
