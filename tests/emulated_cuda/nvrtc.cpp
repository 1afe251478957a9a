// NVRTC's interface over libkiln-clang.so: its "cubin" is a shared object of the host that libemulatedcuda.so runs.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/cpu/clang/interface.h"
#include "rewriting.hpp"

namespace kiln_emulated {
/// abi.hpp and gpu.hpp, as they are in the source tree.
extern const char* const kAbiText;
extern const char* const kGpuText;
}  // namespace kiln_emulated

namespace {

using namespace kiln_emulated;

enum Status { kOk = 0, kInvalidInput = 3, kInvalidOption = 5, kCompilation = 6, kInternal = 11 };

constexpr int kVersion[] = {13, 0};
constexpr int kArchs[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

const kiln_clang_api* clang() {
  static const kiln_clang_api* const api = []() -> const kiln_clang_api* {
    void* const library = dlopen(KILN_CLANG_MODULE, RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library == nullptr ? nullptr : dlsym(library, KILN_CLANG_SYMBOL);
    return symbol == nullptr ? nullptr : reinterpret_cast<decltype(&kiln_clang)>(symbol)(KILN_CLANG_INTERFACE);
  }();
  return api;
}

struct Program {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string log = {}, code = {};
};

// As the CPU backend's, but -O0: most kernels run once over a few hundred elements.
constexpr const char* kArguments[] = {
    "-x",
    "c++",
    "-std=c++20",
    "-O0",
    "-fno-rounding-math",
    "-mrelocation-model",
    "pic",
    "-pic-level",
    "2",
    "-fvisibility=hidden",
    "-fgnuc-version=4.2.1",
    "-nostdsysteminc",
    "-nobuiltininc",
    "-disable-llvm-verifier",
    "-ferror-limit",
    "20",
    "-Wno-unknown-pragmas",
    "-Wno-pass-failed",
    "-fsanitize=alignment",  // a GPU refuses what the host's processor lets pass
    "-fsanitize-trap=alignment",
    "-include",
    "kiln_emulated/gpu.hpp",
#if defined(__x86_64__)
    "-triple",
    "x86_64-pc-linux-gnu",
#else
    "-triple",
    "aarch64-unknown-linux-gnu",
#endif
};

constexpr const char* kFastMath[] = {
    "-menable-no-infs", "-menable-no-nans",  "-fapprox-func", "-funsafe-math-optimizations", "-fno-signed-zeros",
    "-mreassociate",    "-freciprocal-math", "-ffast-math",   "-ffinite-math-only"};

const char* processor() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "x86-64-v3" : "x86-64";  // fma() is slow without
#else
  return "generic";
#endif
}

/// False for an option that NVRTC does not know.
bool add_option(std::string_view option, std::vector<std::string>& arguments) {
  if (option.starts_with("-D")) {
    arguments.insert(arguments.end(), {"-D", std::string(option.substr(2))});
  } else if (option == "-use_fast_math") {
    arguments.insert(arguments.end(), std::begin(kFastMath), std::end(kFastMath));
    arguments.insert(arguments.end(), {"-ffp-contract=fast", "-O1"});
  } else if (option == "-fmad=true") {
    arguments.insert(arguments.end(), {"-ffp-contract=fast", "-O1"});  // by an optimization
  } else if (option == "-fmad=false") {
    arguments.emplace_back("-ffp-contract=off");
  } else if (option == "--diag-error=940") {
    arguments.emplace_back("-Werror=return-type");
  } else {
    return option.starts_with("--gpu-architecture=") || option.starts_with("--ptxas-options=") ||
           option.starts_with("--diag-suppress=") || option == "--std=c++20" || option == "-default-device" ||
           option == "--minimal" || option == "--no-cache" || option == "--no-source-include";
  }
  return true;
}

std::string text(const kiln_clang_text& from) {
  return {from.data == nullptr ? "" : from.data, from.size};
}

/// NVRTC's format, which has no column but a caret.
std::string log_of(const kiln_clang_result& result) {
  std::string log;
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) {
    const kiln_clang_diagnostic& each = result.diagnostics[i];
    constexpr const char* kWords[] = {"note", "warning", "error"};
    if (each.line == 0) {
      log += std::string("nvrtc: ") + kWords[each.severity] + ": " + text(each.text) + "\n";
      continue;
    }
    log += text(each.file) + "(" + std::to_string(each.line) + "): " + kWords[each.severity] + ": " + text(each.text) + "\n  " +
           text(each.source_line) + "\n" + std::string(static_cast<std::size_t>(std::max(each.column, 1)) + 1, ' ') + "^\n\n";
  }
  for (std::size_t i = 0; i < result.undefined_count; ++i) {
    log += "ptxas fatal   : Unresolved extern function '" + text(result.undefined[i]) + "'\n";
  }
  return log;
}

Status compile(Program& program, const std::vector<std::string>& options) {
  std::vector<std::string> arguments(std::begin(kArguments), std::end(kArguments));
  arguments.insert(arguments.end(), {"-target-cpu", processor()});
  program.code.clear();
  for (const std::string& option : options) {
    if (add_option(option, arguments)) continue;
    program.log = "nvrtc: error: unrecognized option " + option + " found\n";
    return kInvalidOption;
  }
  std::set<std::string> kernels;
  std::vector<std::pair<std::string, std::string>> texts = {{"kiln_emulated/abi.hpp", kAbiText}};
  find_kernels(program.source, kernels);
  for (const auto& [name, header] : program.headers) {
    find_kernels(header, kernels);
    texts.emplace_back(name, with_dynamic_shared(header));
  }
  std::string gpu = kGpuText;
  for (const std::string& kernel : kernels) {
    gpu += "#define " + kernel + "(...) KILN_EMULATED_KERNEL(" + kernel + ", __VA_ARGS__)\n";
  }
  texts.emplace_back("kiln_emulated/gpu.hpp", std::move(gpu));

  const std::string source = "#line 1 \"" + program.name + "\"\n" + with_dynamic_shared(program.source);
  std::vector<kiln_clang_file> files;
  files.reserve(texts.size());
  for (const auto& [name, contents] : texts) {
    files.push_back({{name.data(), name.size()}, {contents.data(), contents.size()}});
  }
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  const kiln_clang_request request{.form = KILN_CLANG_SHARED_OBJECT,
                                   .source = {source.data(), source.size()},
                                   .headers = files.data(),
                                   .header_count = files.size(),
                                   .arguments = pointers.data(),
                                   .argument_count = pointers.size()};
  if (clang() == nullptr) {
    program.log = "nvrtc: error: " KILN_CLANG_MODULE " could not be opened\n";
    return kInternal;
  }
  const kiln_clang_result* const result = clang()->compile(&request);
  program.log = log_of(*result);
  if (result->status == KILN_CLANG_OK) program.code = text(result->code);
  if (result->status == KILN_CLANG_FAILED) program.log += "nvrtc: error: " + text(result->error) + "\n";
  clang()->release(result);
  return program.code.empty() ? kCompilation : kOk;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = kVersion[0];
  *minor = kVersion[1];
  return kOk;
}
const char* nvrtcGetErrorString(int status) {
  switch (status) {
    case kOk:
      return "NVRTC_SUCCESS";
    case kInvalidInput:
      return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidOption:
      return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation:
      return "NVRTC_ERROR_COMPILATION";
    default:
      return "NVRTC_ERROR_INTERNAL_ERROR";
  }
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchs));
  return kOk;
}
int nvrtcGetSupportedArchs(int* archs) {
  std::copy(std::begin(kArchs), std::end(kArchs), archs);
  return kOk;
}
int nvrtcCreateProgram(void** program, const char* source, const char* name, int count, const char* const* texts,
                       const char* const* names) {
  auto* const made = new Program{.source = source, .name = name == nullptr ? "default_program" : name};
  for (int i = 0; i < count; ++i) made->headers.emplace_back(names[i], texts[i]);
  *program = made;
  return kOk;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return kOk;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  return compile(*static_cast<Program*>(program), {options, options + count});
}
int nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->log.size() + 1;
  return kOk;
}
int nvrtcGetProgramLog(void* program, char* log) {
  const std::string& log_text = static_cast<Program*>(program)->log;
  std::memcpy(log, log_text.c_str(), log_text.size() + 1);
  return kOk;
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->code.size();
  return kOk;
}
int nvrtcGetCUBIN(void* program, char* code) {
  const std::string& bytes = static_cast<Program*>(program)->code;
  std::copy(bytes.begin(), bytes.end(), code);
  return kOk;
}
// The host has none.
int nvrtcGetPTXSize(void*, std::size_t* bytes) {
  *bytes = 0;
  return kInvalidInput;
}
int nvrtcGetPTX(void*, char*) {
  return kInvalidInput;
}

}  // extern "C"
