#include "compiler/gpu/jit_link.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "base/environment.hpp"
#include "kiln/error.hpp"
#include "library/arch.hpp"
#include "library/dialect.hpp"
#include "library/driver.hpp"
#include "library/library.hpp"
#include "library/resolve.hpp"
#include "library/vendor_use.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr const char* kVariable = "KILN_NVJITLINK";
constexpr const char* kPackages[] = {"nvidia/cu13/lib", "nvidia/nvjitlink/lib"};
constexpr const char* kSonames[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
constexpr int kSuccess = 0;

/// nvJitLinkInputType; 0 for what is not its to link.
int jit_input_type(LinkFormat format) {
  switch (format) {
    case LinkFormat::cubin:
      return 1;
    case LinkFormat::ptx:
      return 2;
    case LinkFormat::lto_ir:
      return 3;
    case LinkFormat::fatbin:
      return 4;
    case LinkFormat::gpu_object:
      return 5;
    case LinkFormat::gpu_library:
      return 6;
    default:
      return 0;
  }
}

/// Options of the code generator where it runs here, as NVRTC's options of the same effect.
std::vector<std::string> options_of(const CompileRequest& request, bool lto) {
  std::vector<std::string> options;
  if (request.debug) options.emplace_back("-lineinfo");
  if (!lto) return options;
  options.emplace_back("-lto");
  if (request.arithmetic.fast_math) {
    options.insert(options.end(), {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  } else {
    options.emplace_back(request.arithmetic.contract ? "-fma=1" : "-fma=0");
  }
  return options;
}

constexpr const char* kAdvice = "; name its file in KILN_NVJITLINK, or unset that to leave PTX to the driver";

}  // namespace

/// One job of the library.
class JitLink::Session {
 public:
  Session(const Calls& calls, const std::string& arch, const std::vector<std::string>& others = {}) : calls_(calls) {
    const std::string option = "-arch=" + arch;
    std::vector<const char*> options{option.c_str(), "-verbose"};
    for (const std::string& other : others) options.push_back(other.c_str());
    status_ = calls_.create(&handle_, static_cast<std::uint32_t>(options.size()), options.data());
    if (status_ != kSuccess) handle_ = nullptr;  // and whatever it is, it has no log
  }
  ~Session() {
    if (handle_ != nullptr) calls_.destroy(&handle_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] int status() const { return status_; }
  /// The name of what it did not take, for the message.
  void add(LinkFormat format, const std::string& bytes, const std::string& name) {
    if (status_ != kSuccess) return;
    const std::size_t end = format == LinkFormat::ptx ? 1 : 0;  // its NUL counts
    status_ = calls_.add_data(handle_, jit_input_type(format), bytes.c_str(), bytes.size() + end, name.c_str());
    if (status_ != kSuccess) refused_ = name;
  }
  [[nodiscard]] const std::string& refused() const { return refused_; }
  void complete(std::string& cubin) {
    if (status_ == kSuccess) status_ = calls_.complete(handle_);
    std::size_t bytes = 0;
    if (status_ == kSuccess) status_ = calls_.cubin_size(handle_, &bytes);
    cubin.resize(bytes);
    if (status_ == kSuccess) status_ = calls_.cubin(handle_, cubin.data());
  }
  [[nodiscard]] std::string errors() const { return log(calls_.error_log_size, calls_.error_log); }
  [[nodiscard]] std::string report() const { return log(calls_.info_log_size, calls_.info_log); }

 private:
  std::string log(int (*size)(Handle, std::size_t*), int (*get)(Handle, char*)) const {
    std::size_t bytes = 0;
    if (handle_ == nullptr || size(handle_, &bytes) != kSuccess || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (get(handle_, text.data()) != kSuccess) return {};
    text.resize(std::min(text.size(), text.find('\0')));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  const VendorUse use_{"nvJitLink"};
  const Calls& calls_;
  Handle handle_ = nullptr;
  int status_;
  std::string refused_;
};

std::vector<std::string> JitLink::places() {
  LibrarySearch search = dialect_of(DeviceKind::cuda).compiler_library;
  search.variable = "";
  search.sonames = kSonames;
  search.packages = kPackages;
  return candidates(search, {}, driver_version_major(DeviceKind::cuda));
}

const JitLink* JitLink::wanted() {
  // Leaked on purpose: kernels may be compiled while the process exits.
  static const JitLink* const found = []() -> const JitLink* {
    const std::string named = base::env(kVariable).value_or("");
    return named.empty() ? nullptr : new JitLink(named == "auto" ? places() : std::vector<std::string>{named});
  }();
  return found;
}

JitLink::JitLink(const std::vector<std::string>& names) {
  Located located = locate(names);
  if (located.path.empty()) {
    throw DeviceError("nvJitLink was not found: tried " + base::describe(located.attempts) + kAdvice);
  }
  path_ = std::move(located.path);
  library_ = std::move(located.library);
  const std::string id = build_id(path_);
  version_ = version_in_name(path_) + (id.empty() ? "" : "+" + id);
}

const JitLink::Calls& JitLink::calls() const {
  std::call_once(loaded_, [this] { load(); });
  return calls_;
}

void JitLink::load() const {
  if (!library_) {
    auto opened = base::DynamicLibrary::open_first(std::span(&path_, 1), base::Unload::never);
    if (!opened.library) {
      throw DeviceError("failed to load nvJitLink: " + base::describe(opened.attempts) + kAdvice);
    }
    library_ = std::move(opened.library);
  }
  const Resolver resolve{library_, DeviceKind::cuda, path_};
  const auto need = [&](auto& slot, const char* name) { resolve(slot, name, "", Need::required); };
  need(calls_.create, "nvJitLinkCreate");
  need(calls_.destroy, "nvJitLinkDestroy");
  need(calls_.add_data, "nvJitLinkAddData");
  need(calls_.complete, "nvJitLinkComplete");
  need(calls_.cubin_size, "nvJitLinkGetLinkedCubinSize");
  need(calls_.cubin, "nvJitLinkGetLinkedCubin");
  need(calls_.error_log_size, "nvJitLinkGetErrorLogSize");
  need(calls_.error_log, "nvJitLinkGetErrorLog");
  need(calls_.info_log_size, "nvJitLinkGetInfoLogSize");
  need(calls_.info_log, "nvJitLinkGetInfoLog");
}

std::string JitLink::display() const {
  const std::string release = version_.substr(0, version_.find('+'));
  return "nvJitLink " + release.substr(0, release.find('.', release.find('.') + 1));
}

bool JitLink::knows(const std::string& arch) const {
  // Of the release that NVRTC has. It is not asked: it would answer on standard error, too.
  return known_to_nvrtc(compute_capability(arch), release_number(version_));
}

bool JitLink::is_named() {
  const std::string named = base::env(kVariable).value_or("");
  return !named.empty() && named != "auto";
}

const JitLink& JitLink::machine() {
  if (const JitLink* const named = wanted()) return *named;
  static std::mutex mutex;
  static const JitLink* found = nullptr;
  const std::lock_guard guard(mutex);
  if (found == nullptr) found = new JitLink(places());
  return *found;
}

std::string JitLink::link(const KernelPart& kernel, const CompileRequest& request, const std::string& arch) const {
  const bool lto = kernel.format == LinkFormat::lto_ir || std::ranges::any_of(request.link, &LinkPart::lto);
  Session session(calls(), arch, options_of(request, lto));
  session.add(kernel.format, kernel.code, request.name);
  for (const LinkPart& file : request.link) {
    if (jit_input_type(file.format) != 0) session.add(file.format, *file.bytes, file.name);
  }
  std::string cubin;
  session.complete(cubin);
  if (session.status() == kSuccess) return cubin;
  std::string words = session.errors();
  if (words.empty()) words = "status " + std::to_string(session.status());
  if (!session.refused().empty()) words = session.refused() + ": " + words;
  throw link_error(request, arch, display(), words);
}

JitLink::Code JitLink::assemble(const std::string& ptx, const std::string& arch, const CompileRequest& request) const {
  Session session(calls(), arch, options_of(request, false));
  Code code;
  session.add(LinkFormat::ptx, ptx, request.name);
  session.complete(code.cubin);
  if (session.status() != kSuccess) {
    const std::string log = session.errors();
    throw DeviceError(display() + " makes no machine code of kernel \"" + request.name + "\" for " + arch + ": " +
                          (log.empty() ? "status " + std::to_string(session.status()) : log) + "; unset " + kVariable +
                          " to leave its PTX to the driver",
                      session.status(), log);
  }
  code.report = session.report();
  return code;
}

}  // namespace kiln::backend::gpu
