#include "module.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "fake_cuda.hpp"

namespace fake_cuda {

int load(const Image& image, Module& module) {
  if (std::getenv("KILN_FAKE_ANY_IMAGE") != nullptr) return 0;
  std::istringstream text(static_cast<const char*>(image.bytes));
  std::string word;
  text >> word;
  if (word == ".version") {
    for (unsigned i = 0; i < image.option_count; ++i) {
      constexpr char kLog[] = "ptxas application ptx input, line 9; fatal: a fake failure\n";
      if (image.options[i] == 5) std::memcpy(image.values[i], kLog, sizeof kLog);
    }
    return kInvalidPtx;
  }
  if (word != kFakeImage) return kInvalidImage;
  for (int size = 0; text >> size;) module.parameter_sizes.push_back(size);
  text.clear();
  while (text >> word) {
    if (word == "shared") text >> module.shared_bytes;
    if (word == "kiln_faults") text >> module.fault_bytes;
  }
  return 0;
}

}  // namespace fake_cuda
