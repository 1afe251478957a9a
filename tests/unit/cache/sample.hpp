// A key and an entry that the cache's tests start from.
#pragma once

#include <cstring>
#include <string>

#include "base/hash.hpp"
#include "cache/cache.hpp"
#include "cache/directory.hpp"
#include "cache/folder.hpp"

namespace kiln::test {

inline cache::Key sample_key(const std::string& source = "float f(float a) { return a; }\n") {
  return {.kiln_version = "0.1.0",
          .templates = "0123456789abcdef0123456789abcdef",
          .source = source,
          .headers = {{"a.hpp", "#define A 1\n"}, {"b.hpp", "#define B \"2\"\n"}},
          .options = {"-O3", "-std=c++20"},
          .defines = {"N=3"},
          .target = "sm_90",
          .compiler = "NVRTC 13.0.48",
          .runtime = ""};
}

inline cache::Record sample_entry(const std::string& payload = std::string("\x7f"
                                                                           "ELF\0\1\2",
                                                                           7)) {
  return {.info = {.kernel = "saxpy",
                   .signature = "float32(float32 a)",
                   .variant = "contiguous",
                   .target = "sm_90",
                   .compiler = "NVRTC 13.0.48",
                   .body = "return a;",
                   .compile_ms = 12.5,
                   .created_unix = 1'700'000'000},
          .payload = payload};
}

/// The canonical key of the i-th of several kernels.
inline std::string key_of(int i) {
  return sample_key("kernel " + std::to_string(i)).canonical();
}

/// The checksum of a forged entry is right, so that what comes after it is what is tested.
inline std::string with_checksum(std::string bytes) {
  const auto hash = kiln::base::hash128(std::string_view(bytes).substr(0, bytes.size() - 16));
  std::memcpy(bytes.data() + bytes.size() - 16, hash.data(), 16);
  return bytes;
}

/// The file of a key's entry, relative to the cache's directory.
inline std::string entry_file(const std::string& canonical_key) {
  const std::string digest = cache::digest(canonical_key);
  return digest.substr(0, 2) + "/" + digest.substr(2) + ".kiln";
}

/// The cache's own directory at that path; empty where it is refused.
inline cache::Folder own_folder(const std::string& path) {
  return cache::open_own_directory(path).folder;
}

}  // namespace kiln::test
