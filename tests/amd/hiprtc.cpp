// hipRTC's interface over clang++-19, for architectures that the hipRTC at hand does not know. KILN_HIPRTC names this library.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Status = int;

enum : Status { kOk = 0, kInvalidInput = 3, kCompilation = 6, kInternal = 11 };

struct Program {
  std::string source;
  std::string name;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string log;
  std::string code;
};

bool write(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  return static_cast<bool>(std::ofstream(path, std::ios::binary) << text);
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The exit status; -1 where it could not run. In `folder`, so that messages have the names that the program was given.
int run(std::vector<std::string> words, const fs::path& folder) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string log = (folder / "log").string();
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0 || std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(127);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// A folder of its own, removed at the end.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "kiln-amd-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path = name;
  }
  ~Folder() {
    std::error_code error;
    if (!path.empty()) fs::remove_all(path, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

/// AMD's mathematical functions, as bitcode, and how they are meant. What they ask of the architecture gfx90a and gfx1030
/// answer as their successors do.
std::vector<std::string> device_libraries(const std::vector<std::string>& options) {
  const auto has = [&options](const char* start) {
    return std::any_of(options.begin(), options.end(), [start](const std::string& each) { return each.starts_with(start); });
  };
  const bool wide = has("--offload-arch=gfx9");
  const std::string fast = has("-ffast-math") ? "on" : "off";
  std::vector<std::string> libraries;
  for (const std::string& name :
       {std::string("ocml"), std::string("ockl"), "oclc_isa_version_" + std::string(wide ? "90a" : "1030"),
        "oclc_wavefrontsize64_" + std::string(wide ? "on" : "off"), "oclc_finite_only_" + fast, "oclc_unsafe_math_" + fast,
        std::string("oclc_daz_opt_off"), std::string("oclc_correctly_rounded_sqrt_on"), std::string("oclc_abi_version_400")}) {
    libraries.push_back(std::string(KILN_AMD_BITCODE) + "/" + name + ".bc");
  }
  return libraries;
}

Status give(const std::string& text, char* to) {
  std::copy(text.begin(), text.end(), to);
  return kOk;
}

}  // namespace

extern "C" {

Status hiprtcVersion(int* major, int* minor) {
  *major = 6;
  *minor = 2;
  return kOk;
}
const char* hiprtcGetErrorString(Status status) {
  return status == kOk ? "HIPRTC_SUCCESS" : status == kCompilation ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR_INTERNAL_ERROR";
}
Status hiprtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts,
                           const char* const* names) {
  auto* const made = new Program{source, name, {}, {}, {}};
  for (int i = 0; i < headers; ++i) made->headers.emplace_back(names[i], texts[i]);
  *program = made;
  return kOk;
}
Status hiprtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return kOk;
}
Status hiprtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = *static_cast<Program*>(handle);
  const Folder folder;
  if (folder.path.empty() || !write(folder.path / program.name, program.source)) return kInternal;
  for (const auto& [name, text] : program.headers) {
    if (!write(folder.path / name, text)) return kInternal;
  }
  std::vector<std::string> words = {KILN_AMD_CLANG,
                                    "-x",
                                    "hip",
                                    "--cuda-device-only",
                                    "--no-gpu-bundle-output",
                                    "-nogpulib",
                                    "-nogpuinc",
                                    "-D__HIPCC_RTC__=1",
                                    "-include",
                                    KILN_AMD_PRELUDE,
                                    "-I.",
                                    "-o",
                                    "code"};
  words.insert(words.end(), options, options + count);
  words.push_back(program.name);
  for (const std::string& library : device_libraries(words))
    words.insert(words.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library});
  const int status = run(words, folder.path);
  program.log = contents(folder.path / "log");
  if (status != 0) return kCompilation;
  program.code = contents(folder.path / "code");
  return kOk;
}
Status hiprtcGetProgramLogSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->log.size() + 1;
  return kOk;
}
Status hiprtcGetProgramLog(void* program, char* log) {
  const std::string& text = static_cast<Program*>(program)->log;
  log[text.size()] = '\0';
  return give(text, log);
}
Status hiprtcGetCodeSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<Program*>(program)->code.size();
  return kOk;
}
Status hiprtcGetCode(void* program, char* code) {
  return give(static_cast<Program*>(program)->code, code);
}

}  // extern "C"
