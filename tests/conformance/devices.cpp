#include "devices.hpp"

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "report.hpp"

namespace conformance {

bool chosen(kiln::DeviceKind kind) {
  const char* const kinds = std::getenv("KILN_TEST_DEVICES");
  if (kinds == nullptr || *kinds == '\0') return true;
  const char* const name = kind == kiln::DeviceKind::cpu ? "cpu" : kind == kiln::DeviceKind::cuda ? "cuda" : "hip";
  return std::string_view(kinds).find(name) != std::string_view::npos;
}

const std::vector<kiln::Device>& devices() {
  static const std::vector<kiln::Device> found = [] {
    std::vector<kiln::Device> all = kiln::Device::all();
    std::erase_if(all, [](const kiln::Device& device) { return !chosen(device.kind()); });
    return all;
  }();
  return found;
}

bool has_cpu() {
  static const bool has = !kiln::Device::all().empty() && kiln::Device::all().front().is_cpu();
  return has;
}

Target::Target(const kiln::Device& device, Mode mode) : device_(device), mode_(mode) {
  // All-host calls go to the best device: only a stream sends them to another.
  if (mode == Mode::stream || (mode == Mode::host && !(device == kiln::Device::best()))) stream_ = kiln::Stream(device);
}

std::string Target::name() const {
  return to_string(device_) + (mode_ == Mode::host     ? ", host arrays"
                               : mode_ == Mode::device ? ", device arrays"
                                                       : ", device arrays on a stream");
}

kiln::Array Target::place(const kiln::Array& host) const {
  return mode_ == Mode::host ? host : kiln::to_device(host, device_);
}

kiln::CallOptions Target::options(kiln::CallOptions options) const {
  options.stream = stream_;
  if (mode_ == Mode::host) options.device = device_;
  return options;
}

kiln::Array Target::call(const kiln::Ufunc& ufunc, std::initializer_list<kiln::Arg> args, kiln::CallOptions more) const {
  return ufunc(args, options(std::move(more)));
}

std::vector<kiln::Array> Target::outputs(const kiln::Ufunc& ufunc, const std::vector<kiln::Arg>& args,
                                         kiln::CallOptions more) const {
  return ufunc.outputs(args, options(std::move(more)));
}

void Target::wait() const {
  if (stream_.is_default()) {
    device_.synchronize();
  } else {
    stream_.synchronize();
  }
}

kiln::Array Target::fetch(const kiln::Array& array) const {
  wait();
  return array.copy_to_host();
}

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    if (const char* given = std::getenv("KILN_TEST_SEED"); given != nullptr && *given != '\0') {
      return static_cast<std::uint64_t>(std::strtoull(given, nullptr, 10));
    }
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  }();
  return value;
}

std::mt19937_64 random_source(std::uint64_t stream) {
  std::seed_seq sequence{seed(), seed() >> 32, stream};
  return std::mt19937_64(sequence);
}

std::string unique_comment() {
  static const auto start = std::chrono::system_clock::now().time_since_epoch().count();
  static std::uint64_t count = 0;
  return "// " + std::to_string(start) + "." + std::to_string(count++) + "\n";
}

void count_case() {
  note_device_case();
}

}  // namespace conformance
