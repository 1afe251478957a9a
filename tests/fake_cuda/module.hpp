// What the fake driver knows of an image that it has loaded.
#pragma once

#include <vector>

namespace fake_cuda {

// CUDA's statuses that the fake answers.
inline constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101, kInvalidImage = 200, kInvalidContext = 201,
                     kInvalidPtx = 218, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600, kCaptureUnsupported = 900,
                     kIllegalAddress = 700, kAlreadyPageLocked = 712;

struct Module {
  std::vector<int> parameter_sizes;  // of its one kernel, kiln_kernel
  int shared_bytes = 0;              // that its code asks for
  std::size_t fault_bytes = 0;       // of its variable kiln_faults; 0: it has none
  void* faults = nullptr;            // where that is, once it was asked for
};

struct Image {
  const void* bytes;
  unsigned option_count;
  const int* options;
  void** values;
};
/// A CUDA status: of an image as kFakeImage describes it, of PTX (which fails with a log), of anything.
int load(const Image& image, Module& module);

}  // namespace fake_cuda
