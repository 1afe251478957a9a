// Compiled device code from outside: files that kernels are linked with (`.compile.link`), declarations of their functions, and
// bodies as functions that others link.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kiln/export.hpp"

namespace kiln {

/// A file of compiled device code, or its bytes. A plain value.
///
/// What it is, and for which devices, is told by its bytes: for NVIDIA PTX, cubins, fatbins, LTO-IR, the relocatable objects of
/// `nvcc -dc` and archives of them; for AMD LLVM bitcode, relocatable code objects, archives and clang's bundles of them; for
/// the CPU objects, archives, LLVM bitcode and shared objects.
struct LinkFile {
  /// The file of that path, relative to the process's working directory. Read at each first use of a kernel.
  LinkFile(std::string path) : name(std::move(path)) {}  // NOLINT(google-explicit-constructor): .link = {"a.o"}
  LinkFile(const char* path) : name(path) {}             // NOLINT(google-explicit-constructor)
  /// Bytes that are there already. `name` stands for them in messages.
  [[nodiscard]] static LinkFile of_bytes(std::string name, std::string bytes) {
    LinkFile file(std::move(name));
    file.bytes = std::make_shared<const std::string>(std::move(bytes));
    return file;
  }

  std::string name;                                    ///< the path, or the name of the bytes
  std::shared_ptr<const std::string> bytes = nullptr;  ///< null: those of the file
};

/// How a device function of a file is called.
enum class DeviceAbi {
  c,      ///< extern "C" R name(parameters)
  numba,  ///< extern "C" int32 name(R* result, parameters), which returns a status: NumbaPro's and Numba's convention
};

/// Of declare_device().
struct DeviceDeclarationOptions {
  DeviceAbi abi = DeviceAbi::c;  ///< the convention that the function was compiled for
};

/// A declaration for `.compile.functions`, by which a body calls a function of a linked file: `declare_device("bar",
/// "int32(int32 a, int32 b)")`. The function has C linkage. Parameters are scalars, or pointers (`const float32* p`).
///
/// With DeviceAbi::numba the body calls it as `bar(a, b)` and gets its result. A status other than 0 makes the call of the
/// kernel fail: a DeviceError that names the function and the status, thrown once the kernel has ended; such a call waits for
/// its kernel. SignatureError for a name that is no C++ identifier, and for a signature that is none, with the place in the
/// text.
[[nodiscard]] KILN_API std::string declare_device(std::string_view name, std::string_view signature,
                                                  DeviceDeclarationOptions options = {});

/// In which form a body is exported as a device function.
enum class DeviceCodeForm {
  automatic,  ///< LTO-IR for NVIDIA where NVRTC is there, else PTX; bitcode for AMD and the CPU
  lto_ir,     ///< NVIDIA's, for nvJitLink and `nvcc -dlto`: inlined into what links it
  ptx,        ///< NVIDIA's, for nvJitLink, the driver's linker and numba-cuda
  bitcode,    ///< LLVM's, for AMD and the CPU: inlined into what links it
  object,     ///< relocatable machine code, for AMD and the CPU
};

/// Of Ufunc::device_code(). Members are to be named: designated initializers in this order.
struct DeviceCodeOptions {
  std::string name = {};         ///< the function's C name; the definition's by default
  std::string signature = {};    ///< the loop, "float32, float32 -> float32"; needed where the definition has several
  DeviceAbi abi = DeviceAbi::c;  ///< how it is called; with `numba` it has one result
  DeviceCodeForm form = DeviceCodeForm::automatic;  ///< what it is compiled to
};

/// A body as a device function: code that others link.
struct DeviceCode {
  std::string name;         ///< its C name
  std::string declaration;  ///< in C++, with the types of <cstdint>: `extern "C" float f(float a, int32_t b);`
  DeviceCodeForm form;      ///< never automatic
  std::string target;       ///< "sm_90"
  std::string bytes;        ///< of the file
};

}  // namespace kiln
