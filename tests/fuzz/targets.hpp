// What is fuzzed: one function for each reader of bytes that others may have written. Each takes any bytes, and stops the
// process where the reader breaks one of its promises; sanitizers see the rest.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace kiln::fuzz {

void entry(std::string_view bytes);        ///< cache entries: lib/kiln/cache/entry.cpp
void bundle(std::string_view bytes);       ///< cache bundles: lib/kiln/cache/bundle.cpp
void c_interface(std::string_view bytes);  ///< operands and options of C, tensors: lib/kiln/c/, lib/kiln/array/dlpack.cpp
void key(std::string_view bytes);          ///< canonical keys, in manifests and explain(): lib/kiln/cache/key_text.cpp
void manifest(std::string_view bytes);     ///< manifests: lib/kiln/manifest/document.cpp
void npy(std::string_view bytes);          ///< headers of .npy files: lib/kiln/files/npy_header.cpp
void npz(std::string_view bytes);          ///< .npz archives: lib/kiln/files/zip_archive.cpp
void ptx(std::string_view bytes);          ///< PTX, read and run: lib/emulator/
void signature(std::string_view bytes);    ///< signatures and eval's whole kernels: lib/kiln/signature/parse.cpp
void tuning(std::string_view bytes);       ///< measured launch shapes: lib/kiln/cache/tuning_file.cpp

struct Target {
  const char* name;  ///< its seeds are in corpus/NAME
  void (*run)(std::string_view bytes);
};
/// All of them.
[[nodiscard]] std::span<const Target> targets() noexcept;

inline constexpr std::size_t kChecksumBytes = 16;  ///< of entries and bundles

/// Stops the process with this text where `holds` is false.
void require(bool holds, const char* promise);

}  // namespace kiln::fuzz
