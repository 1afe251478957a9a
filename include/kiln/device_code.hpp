// Compiled device code from outside: files that kernels are linked with (`.compile.link`), declarations of their functions, and
// bodies exported as device functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kiln/export.hpp"

namespace kiln {

/// A file of compiled device code, or its bytes. A plain value. The bytes decide the format and the devices:
/// - NVIDIA: PTX, cubins, fatbins, LTO-IR, relocatable objects of `nvcc -dc`, and archives of them;
/// - AMD: LLVM bitcode, relocatable code objects, archives, and clang's bundles of them;
/// - the CPU: objects, archives, LLVM bitcode and shared objects.
struct LinkFile {
  /// Names a file. A relative path starts at the process's working directory. The file is read at each first use of a kernel.
  LinkFile(std::string path) : name(std::move(path)) {}  // NOLINT(google-explicit-constructor): .link = {"a.o"}
  LinkFile(const char* path) : name(path) {}             // NOLINT(google-explicit-constructor)
  /// Returns a LinkFile of bytes in memory. `name` identifies them in messages.
  [[nodiscard]] static LinkFile of_bytes(std::string name, std::string bytes) {
    LinkFile file(std::move(name));
    file.bytes = std::make_shared<const std::string>(std::move(bytes));
    return file;
  }

  std::string name;                                    ///< path of the file, or name of the bytes
  std::shared_ptr<const std::string> bytes = nullptr;  ///< bytes in memory; null: the file's
};

/// Calling convention of a device function.
enum class DeviceAbi {
  c,      ///< extern "C" R name(parameters)
  numba,  ///< extern "C" int32 name(R* result, parameters), which returns a status: the convention of NumbaPro and Numba
};

/// Options of declare_device().
struct DeviceDeclarationOptions {
  DeviceAbi abi = DeviceAbi::c;  ///< convention that the function was compiled for
};

/// Returns a declaration for `.compile.functions`, through which a body calls a function of a linked file:
/// `declare_device("bar", "int32(int32 a, int32 b)")`. The function has C linkage. Parameters are scalars, or pointers
/// (`const float32* p`).
///
/// With DeviceAbi::numba the body calls `bar(a, b)` and gets its result. A status other than 0 ends the kernel's call with a
/// DeviceError that names function and status. The error is thrown after the kernel has ended, so such calls wait for their
/// kernel.
///
/// Throws SignatureError for a name that is not a C++ identifier. Throws SignatureError, with the position, for a signature
/// that cannot be parsed.
[[nodiscard]] KILN_API std::string declare_device(std::string_view name, std::string_view signature,
                                                  DeviceDeclarationOptions options = {});

/// Format of a body that is exported as a device function.
enum class DeviceCodeForm {
  automatic,  ///< LTO-IR for NVIDIA if NVRTC is available, PTX otherwise; bitcode for AMD and the CPU
  lto_ir,     ///< NVIDIA's, for nvJitLink and `nvcc -dlto`: inlined at link time
  ptx,        ///< NVIDIA's, for nvJitLink, the driver's linker and numba-cuda
  bitcode,    ///< LLVM's, for AMD and the CPU: inlined at link time
  object,     ///< relocatable machine code, for AMD and the CPU
};

/// Options of Ufunc::device_code(). Members are to be named: designated initializers in this order.
struct DeviceCodeOptions {
  std::string name = {};         ///< C name of the function; the definition's name by default
  std::string signature = {};    ///< loop, "float32, float32 -> float32"; required if the definition has several
  DeviceAbi abi = DeviceAbi::c;  ///< calling convention; `numba` requires a single result
  DeviceCodeForm form = DeviceCodeForm::automatic;  ///< format of the code
};

/// A body as a device function: code for other linkers.
struct DeviceCode {
  std::string name;         ///< C name of the function
  std::string declaration;  ///< C++ declaration with the types of <cstdint>: `extern "C" float f(float a, int32_t b);`
  DeviceCodeForm form;      ///< format, not automatic
  std::string target;       ///< "sm_90"
  std::string bytes;        ///< contents of the file
};

}  // namespace kiln
