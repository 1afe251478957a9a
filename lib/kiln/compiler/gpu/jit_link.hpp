// nvJitLink: makes machine code of PTX, and links it with device code from files, with no device and no driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/dynamic_library.hpp"
#include "compiler/gpu/linker.hpp"

namespace kiln::backend::gpu {

/// Found at once, loaded at the first use. Thread-safe. Never unloaded.
class JitLink final : public Linker {
 public:
  /// What KILN_NVJITLINK asks for: a file, or "auto" for the machine's, with a CUDA driver present not newer than its major.
  /// Null where it is not set. DeviceError where nothing is there.
  [[nodiscard]] static const JitLink* wanted();

  /// The one of KILN_NVJITLINK, or the machine's, found once. DeviceError, every time, where there is none.
  [[nodiscard]] static const JitLink& machine();

  /// Whether KILN_NVJITLINK names a file: then no other linker is asked.
  [[nodiscard]] static bool is_named();

  /// Every file that may be the machine's, by kiln's search for NVRTC.
  [[nodiscard]] static std::vector<std::string> places();

  /// From a given list of names, for tests. DeviceError with every one of them where none is there.
  explicit JitLink(const std::vector<std::string>& names);

  /// "13.0.88+65be0db342ad": from the file's name and build id, so that asking does not load it; for keys.
  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  /// "nvJitLink 13.0", for messages.
  [[nodiscard]] std::string display() const;
  /// Whether its version is known to make code for "sm_90".
  [[nodiscard]] bool knows(const std::string& arch) const;

  [[nodiscard]] std::string mark() const override { return "nvJitLink-" + version_; }
  [[nodiscard]] bool takes_lto() const noexcept override { return true; }
  [[nodiscard]] std::string link(const KernelPart& kernel, const CompileRequest& request,
                                 const std::string& arch) const override;

  struct Code {
    std::string cubin;
    std::string report;  ///< of its assembler: registers and spills of each function
  };
  /// DeviceError, with its log, where it does not take the text, which is the request's.
  [[nodiscard]] Code assemble(const std::string& ptx, const std::string& arch, const CompileRequest& request) const;

 private:
  using Handle = void*;
  struct Calls {
    int (*create)(Handle* handle, std::uint32_t count, const char* const* options) = nullptr;
    int (*destroy)(Handle* handle) = nullptr;
    int (*add_data)(Handle handle, int type, const void* data, std::size_t bytes, const char* name) = nullptr;
    int (*complete)(Handle handle) = nullptr;
    int (*cubin_size)(Handle handle, std::size_t* bytes) = nullptr;
    int (*cubin)(Handle handle, void* cubin) = nullptr;
    int (*error_log_size)(Handle handle, std::size_t* bytes) = nullptr;
    int (*error_log)(Handle handle, char* log) = nullptr;
    int (*info_log_size)(Handle handle, std::size_t* bytes) = nullptr;
    int (*info_log)(Handle handle, char* log) = nullptr;
  };
  class Session;

  /// Loads the library where it is not yet.
  [[nodiscard]] const Calls& calls() const;
  void load() const;

  std::string path_;
  std::string version_;
  mutable std::once_flag loaded_;
  mutable base::DynamicLibrary library_;
  mutable Calls calls_;
};

}  // namespace kiln::backend::gpu
