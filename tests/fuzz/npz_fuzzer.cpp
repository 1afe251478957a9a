// An archive is read or refused: what is read has as many bytes as it says, and memory is taken for nothing that cannot be
// there.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "kiln/error.hpp"
#include "kiln/npz.hpp"
#include "targets.hpp"

namespace kiln::fuzz {

void npz(std::string_view bytes) {
  const int file = memfd_create("npz", MFD_CLOEXEC);
  require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "there is room for the input");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  try {
    for (const auto& [name, array] : load_npz(path)) {
      require(static_cast<std::uint64_t>(array.nbytes()) <= 1033 * bytes.size(),
              "no array is larger than what can be packed so");
    }
  } catch (const IoError& error) {
    require(*error.what() != 0, "an error says what is wrong");
  }
  close(file);
}

}  // namespace kiln::fuzz
