// hipRTC's calls, as ROCm 6's hiprtc.h declares them. A program's bitcode is "bitcode(SOURCE; OPTIONS)", what is linked is
// "linked(TYPE NAME BYTES; …)". A source or a file with "refused" in it is not taken.
#include <cstddef>
#include <cstring>
#include <string>

namespace {

constexpr int kSuccess = 0;
constexpr int kCompilation = 6;
constexpr int kLinking = 100;

struct Program {
  std::string source;
  std::string bitcode;
};
struct Link {
  std::string all;
};

Program& program(void* handle) {
  return *static_cast<Program*>(handle);
}

}  // namespace

extern "C" {

int hiprtcVersion(int* major, int* minor) {
  *major = 6;
  *minor = 2;
  return kSuccess;
}
const char* hiprtcGetErrorString(int status) {
  return status == kSuccess ? "HIPRTC_SUCCESS" : status == kLinking ? "HIPRTC_ERROR_LINKING" : "HIPRTC_ERROR_COMPILATION";
}
int hiprtcCreateProgram(void** made, const char* source, const char*, int, const char* const*, const char* const*) {
  *made = new Program{source, {}};
  return kSuccess;
}
int hiprtcDestroyProgram(void** handle) {
  delete &program(*handle);
  return kSuccess;
}
int hiprtcCompileProgram(void* handle, int count, const char* const* options) {
  if (program(handle).source.find("refused") != std::string::npos) return kCompilation;
  std::string words;
  for (int i = 0; i < count; ++i) words += std::string(" ") + options[i];
  program(handle).bitcode = "bitcode(" + program(handle).source + ";" + words + ")";
  return kSuccess;
}
int hiprtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}
int hiprtcGetProgramLog(void*, char*) {
  return kSuccess;
}
int hiprtcGetCodeSize(void*, std::size_t* bytes) {
  *bytes = 4;
  return kSuccess;
}
int hiprtcGetCode(void*, char* code) {
  std::memcpy(code, "code", 4);
  return kSuccess;
}
int hiprtcGetBitcodeSize(void* handle, std::size_t* bytes) {
  *bytes = program(handle).bitcode.size();
  return kSuccess;
}
int hiprtcGetBitcode(void* handle, char* bitcode) {
  std::memcpy(bitcode, program(handle).bitcode.data(), program(handle).bitcode.size());
  return kSuccess;
}
int hiprtcLinkCreate(unsigned, int*, void**, void** link) {
  *link = new Link;
  return kSuccess;
}
int hiprtcLinkAddData(void* link, int type, void* bytes, std::size_t size, const char* name, unsigned, int*, void**) {
  const std::string text(static_cast<const char*>(bytes), size);
  if (text.find("refused") != std::string::npos) return kLinking;
  std::string& all = static_cast<Link*>(link)->all;
  all += (all.empty() ? "linked(" : "; ") + std::to_string(type) + " " + name + " " + text;
  return kSuccess;
}
int hiprtcLinkComplete(void* link, void** code, std::size_t* size) {
  std::string& all = static_cast<Link*>(link)->all;
  all += ")";
  *code = all.data();
  *size = all.size();
  return kSuccess;
}
int hiprtcLinkDestroy(void* link) {
  delete static_cast<Link*>(link);
  return kSuccess;
}
}
