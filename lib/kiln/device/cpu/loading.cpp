#include "device/cpu/loading.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "kiln/error.hpp"

namespace kiln::backend::cpu {

void fail_to_load(const std::string& kernel, const std::string& why) {
  throw DeviceError("failed to load kernel \"" + kernel + "\" on the CPU: " + why);
}

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

base::FileDescriptor memory_file(const std::string& name, std::string_view bytes) noexcept {
  base::FileDescriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  if (file && !write_all(file.get(), bytes)) return {};
  return file;
}

}  // namespace kiln::backend::cpu
