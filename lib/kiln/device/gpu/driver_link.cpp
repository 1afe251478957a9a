#include "device/gpu/driver_link.hpp"

#include <array>
#include <string_view>

#include "compiler/gpu/diagnostics.hpp"
#include "device/gpu/core.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

/// CUjitInputType; -1 for what the driver does not take.
int driver_input_type(LinkFormat format) {
  switch (format) {
    case LinkFormat::cubin:
      return 0;
    case LinkFormat::ptx:
      return 1;
    case LinkFormat::fatbin:
      return 2;
    case LinkFormat::gpu_object:
      return 3;
    case LinkFormat::gpu_library:
      return 4;
    default:
      return -1;
  }
}

/// A link of the driver's: made, filled, destroyed at the end of the scope. The log stays in place for its whole life.
class Link {
 public:
  explicit Link(const DriverTable& calls) : calls_(calls) {
    status_ = calls.link_create(static_cast<unsigned>(options_.size()), options_.data(), values_.data(), &state_);
  }
  ~Link() {
    if (state_ != nullptr) calls_.link_destroy(state_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void add(int type, const std::string& bytes, const char* name) {
    if (status_ != abi::kSuccess) return;
    // PTX ends with a NUL, which is counted.
    status_ = calls_.link_add_data(state_, type, bytes.data(), bytes.size() + (type == 1 ? 1 : 0), name, 0, nullptr, nullptr);
  }
  [[nodiscard]] std::string complete() {
    void* code = nullptr;
    std::size_t bytes = 0;
    if (status_ == abi::kSuccess) status_ = calls_.link_complete(state_, &code, &bytes);
    return status_ == abi::kSuccess ? std::string(static_cast<const char*>(code), bytes) : std::string();
  }
  [[nodiscard]] abi::Status status() const { return status_; }
  [[nodiscard]] std::string log() { return normalize_log(log_.data()); }

 private:
  const DriverTable& calls_;
  std::array<char, 4096> log_{};
  std::array<int, 2> options_{abi::kJitErrorLogBuffer, abi::kJitErrorLogBufferBytes};
  // The driver takes small option values in the place of the pointer.
  std::array<void*, 2> values_{log_.data(), reinterpret_cast<void*>(log_.size() - 1)};
  abi::Handle state_ = nullptr;
  abi::Status status_;
};

}  // namespace

std::string DriverLink::mark() const {
  return driver_.is_emulator() ? "kiln's emulator" : "the driver of " + driver_.version_text();
}

std::string DriverLink::link(const KernelPart& kernel, const CompileRequest& request, const std::string& arch) const {
  const DriverTable& calls = driver_.calls();
  if (calls.link_create == nullptr || calls.link_add_data == nullptr || calls.link_complete == nullptr ||
      calls.link_destroy == nullptr) {
    throw DeviceError("failed to link kernel \"" + request.name + "\": " + driver_.path() + " has no cuLinkCreate");
  }
  const Core core(driver_, index_);
  const Current current(core);
  Link work(calls);
  work.add(driver_input_type(kernel.format), kernel.code, request.name.c_str());
  for (const LinkPart& file : request.link) {
    if (file.format == LinkFormat::bitcode) continue;  // clang's, which is done
    const int type = driver_input_type(file.format);
    if (type < 0) {
      throw link_error(request, arch, mark(), file.name + " is " + name_of(file.format) + ", which only nvJitLink takes");
    }
    work.add(type, *file.bytes, file.name.c_str());
  }
  std::string code = work.complete();
  if (work.status() != abi::kSuccess) {
    const std::string words = work.log();
    if (words.empty()) throw driver_.error(work.status(), "link kernel \"" + request.name + "\"", index_);
    throw link_error(request, arch, mark(), words);
  }
  return code;
}

}  // namespace kiln::backend::gpu
