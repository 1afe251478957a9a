// Runs a test's body on every device present, in every way that a user can reach it: host arrays, device arrays, an explicit
// stream. The same case gives the same answer in all of them.
#pragma once

#include <doctest/doctest.h>
#include <kiln/reduction.hpp>
#include "../support/message.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace conformance {

enum class Mode : std::uint8_t { host, device, stream };
inline constexpr std::initializer_list<Mode> kEveryMode = {Mode::host, Mode::device, Mode::stream};

/// One device, reached in one way.
class Target {
 public:
  Target(const kiln::Device& device, Mode mode);

  [[nodiscard]] const kiln::Device& device() const { return device_; }
  [[nodiscard]] Mode mode() const { return mode_; }
  /// "cuda:0, device arrays, on a stream".
  [[nodiscard]] std::string name() const;
  /// The array itself in host mode, else one on the device.
  [[nodiscard]] kiln::Array place(const kiln::Array& host) const;
  /// `options` with the stream of this target, if it has one, and with the device for host arrays.
  [[nodiscard]] kiln::CallOptions options(kiln::CallOptions options = {}) const;
  kiln::Array call(const kiln::Ufunc& ufunc, std::initializer_list<kiln::Arg> args, kiln::CallOptions more = {}) const;
  std::vector<kiln::Array> outputs(const kiln::Ufunc& ufunc, const std::vector<kiln::Arg>& args,
                                   kiln::CallOptions more = {}) const;
  /// A host copy of the values, in C order, once all work is done.
  [[nodiscard]] kiln::Array fetch(const kiln::Array& array) const;
  void wait() const;

 private:
  kiln::Device device_;
  Mode mode_;
  kiln::Stream stream_;
};

/// Returns the values on the host, in C order, once all work is done.
template <class T>
std::vector<T> values_of(const Target& target, const kiln::Array& array) {
  return target.fetch(array).to_vector<T>();
}

// `options` with the stream of the target, if it has one.
inline kiln::ReduceOptions reduce_on(const Target& target, kiln::ReduceOptions options = {}) {
  options.stream = target.options().stream;
  return options;
}
inline kiln::AccumulateOptions accumulate_on(const Target& target, kiln::AccumulateOptions options = {}) {
  options.stream = target.options().stream;
  return options;
}
inline kiln::ReductionOptions reduction_on(const Target& target, kiln::ReductionOptions options = {}) {
  options.stream = target.options().stream;
  return options;
}

/// Whether KILN_TEST_DEVICES ("cuda,hip") lets the cases run on devices of that kind; without it all are.
bool chosen(kiln::DeviceKind kind);
/// The chosen devices of this machine, asked for once.
const std::vector<kiln::Device>& devices();
/// Whether this kiln has its CPU side, or is one for GPUs alone (KILN_CPU=OFF), of which nothing can be asked of threads.
bool has_cpu();
/// A target that kiln compiles for, of a device.
inline std::string target_of(const kiln::Device& device) {
  const std::string target = device.info().target;  // "sm_90 (PTX for …)" where it is emulated
  return device.kind() == kiln::DeviceKind::cpu ? "native" : target.substr(0, target.find(' '));
}
/// Notes that the running case has a part for each device: it is counted as not run for a kind that is missing.
void count_case();

template <class Body>
void on_every_device(Body body, std::initializer_list<Mode> modes = kEveryMode) {
  count_case();
  for (const kiln::Device& device : devices()) {
    for (const Mode mode : modes) {
      const Target target(device, mode);
      const std::string where = target.name();
      INFO("on ", where);
      body(target);
    }
  }
}

/// Seeded by KILN_TEST_SEED, else by the clock; main() prints the seed.
std::uint64_t seed();
/// A generator of its own for each use: the order of the cases does not matter.
std::mt19937_64 random_source(std::uint64_t stream);
/// A comment that no earlier run has had in a kernel: what it stands in misses every cache.
std::string unique_comment();

/// The elements in C order.
inline std::vector<double> list_of(const kiln::Array& array) {
  return array.astype(kiln::DType::float64).to_vector<double>();
}

using kiln::test::message_of;

}  // namespace conformance
