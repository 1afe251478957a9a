// The device that runs nothing: it takes images that say which parameters their kernel has, and records what it is given.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "device.hpp"
#include "fake_cuda.hpp"

namespace fake_cuda {
namespace {

std::deque<FakeLaunch>& launches() {
  static auto* const all = new std::deque<FakeLaunch>;
  return *all;
}

class RecordingModule final : public Module, private Kernel {
 public:
  RecordingModule(std::vector<int> sizes, int shared) : sizes_(std::move(sizes)), shared_(shared) {}

  Kernel* kernel(const char* name) override { return std::strcmp(name, "kiln_kernel") == 0 ? this : nullptr; }

 private:
  int launch(const Launch& launch) override {
    FakeLaunch& record = launches().emplace_back();
    record.grid = launch.grid[0];
    record.block = launch.block[0];
    record.stream = launch.stream;
    record.parameter_count = static_cast<int>(sizes_.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      record.sizes[i] = sizes_[i];
      std::memcpy(record.bytes[i], launch.parameters[i], static_cast<std::size_t>(sizes_[i]));
    }
    return 0;
  }

  [[nodiscard]] int own_shared() const override { return shared_; }

  std::vector<int> sizes_;
  int shared_;
};

}  // namespace

const Device kDevice = {"kiln's fake device (for tests: runs nothing)", 2, 132, 8};

int load(const Image& image, std::unique_ptr<Module>& module) {
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
  if (word != kFakeImage && std::getenv("KILN_FAKE_ANY_IMAGE") == nullptr) return kInvalidImage;
  std::vector<int> sizes;
  for (int size = 0; text >> size;) sizes.push_back(size);
  text.clear();
  int shared = 0;
  if (text >> word && word == "shared") text >> shared;
  module = std::make_unique<RecordingModule>(std::move(sizes), shared);
  return 0;
}

void reset() {
  launches().clear();
}

}  // namespace fake_cuda

extern "C" {

int kiln_fake_launch_count() {
  return static_cast<int>(fake_cuda::launches().size());
}
const FakeLaunch* kiln_fake_launch(int index) {
  return &fake_cuda::launches().at(static_cast<std::size_t>(index));
}

}  // extern "C"
