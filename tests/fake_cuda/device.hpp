// What differs between the fake drivers that driver.cpp is built into: the device that they claim, and what becomes of an image
// and of a launch. libfakecuda.so (recording_device.cpp) runs nothing; libemulatedcuda.so (tests/emulated_cuda) runs
// everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace fake_cuda {

inline constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101, kInvalidImage = 200, kInvalidContext = 201,
                     kInvalidPtx = 218, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600, kIllegalAddress = 700,
                     kOutOfResources = 701, kTimeout = 702, kMisaligned = 716, kIllegalInstruction = 715, kLaunchFailed = 719;

/// Of a block of sm_90, in bytes.
inline constexpr int kMostSharedOnRequest = 232448;

struct Device {
  const char* name;
  int count;
  int multiprocessors;
  int blocks_per_multiprocessor;
};
extern const Device kDevice;

struct Launch {
  std::array<unsigned, 3> grid, block;
  unsigned shared_bytes;
  std::uint64_t stream;
  void** parameters;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  /// A CUDA status. Statuses of 700 and more lose the device, as a fault of a real kernel does.
  virtual int launch(const Launch& launch) = 0;
  /// Bytes of shared memory that its code asks for.
  [[nodiscard]] virtual int own_shared() const { return 0; }
  /// A CUDA status: launches may ask for so many bytes more.
  virtual int allow_shared(int bytes) { return bytes <= kMostSharedOnRequest - own_shared() ? 0 : kInvalidValue; }
};

class Module {
 public:
  virtual ~Module() = default;
  /// The module's own; null where it has none of that name.
  virtual Kernel* kernel(const char* name) = 0;
};

struct Image {
  const void* bytes;
  unsigned option_count;
  const int* options;
  void** values;
};
/// A CUDA status.
int load(const Image& image, std::unique_ptr<Module>& module);
/// Forgets what was recorded.
void reset();

}  // namespace fake_cuda
