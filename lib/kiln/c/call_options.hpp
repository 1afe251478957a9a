// The options of a C call as those of the C++ calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "c/operands.hpp"
#include "c/stream.hpp"
#include "c/values.hpp"
#include "kiln/axes.hpp"
#include "kiln/c/kiln.h"
#include "kiln/chunked.hpp"
#include "kiln/dtype.hpp"

namespace kiln::c {

/// The groups of options. A function takes some of them.
enum Option : std::uint32_t {
  kCasting = 1U << 0,
  kWhere = 1U << 1,
  kInitial = 1U << 2,
  kDType = 1U << 3,
  kKeepdims = 1U << 4,
  kAxis = 1U << 5,
  kSignature = 1U << 6,
  kCoreAxes = 1U << 7,
  kSize = 1U << 8,
  kGrid = 1U << 9,
  kLimits = 1U << 10,   // stop, timeout_ns
  kChunks = 1U << 11,   // chunked, chunk_bytes, devices, progress
  kLengths = 1U << 12,  // lengths, norm, measure
  kPlace = 1U << 13,    // stream, device; every function takes them
};

/// Returns the casting rule of a number. Throws ArgumentError for any other.
[[nodiscard]] Casting casting_of(std::uint32_t casting);

class Options {
 public:
  /// `given` may be NULL. Throws ArgumentError for a struct that is none.
  explicit Options(const kiln_call_options* given);

  [[nodiscard]] const kiln_call_options& raw() const noexcept { return *given_; }
  /// Returns the groups of the options that are given.
  [[nodiscard]] std::uint32_t groups() const noexcept;
  [[nodiscard]] const kiln_arg* where() const noexcept { return &given_->where; }
  /// Throws ArgumentError for an option that is given and that the function, which `what` names, does not take.
  void allow(std::uint32_t options, const char* what) const;

  [[nodiscard]] Axes axes(const Axes& otherwise) const;
  /// Returns the one axis. Throws ArgumentError for several.
  [[nodiscard]] int one_axis(int otherwise) const;
  [[nodiscard]] std::optional<Arg> initial() const;
  [[nodiscard]] std::vector<std::vector<int>> core_axes() const;
  [[nodiscard]] ChunkOptions chunks() const;
  [[nodiscard]] std::string_view signature() const;

  /// Fills what all C++ options have.
  template <class T>
  void fill_place(T& options) const {
    if (given_ == &none()) return;
    if (given_->stream != nullptr) options.stream = checked(given_->stream, "kiln_call_options.stream").stream;
    options.device = device_of(given_->device, "kiln_call_options.device");
  }
  template <class T>
  void fill_limits(T& options) const {
    if (given_ == &none()) return;
    fill_place(options);
    options.timeout = std::chrono::nanoseconds(given_->timeout_ns);
    if (given_->stop != nullptr) options.stop = checked(given_->stop, "kiln_call_options.stop").source.get_token();
  }
  template <class T>
  void fill_dtype(T& options) const {
    if (!is_none(given_->dtype)) options.dtype = dtype_of(given_->dtype, "kiln_call_options.dtype");
  }
  /// Fills the options of a choice of loops.
  template <class T>
  void fill_loop(T& options) const {
    if (given_ == &none()) return;
    fill_limits(options);
    fill_dtype(options);
    options.casting = casting_of(given_->casting);
    options.signature = signature();
  }

 private:
  static const kiln_call_options& none() noexcept;
  const kiln_call_options* given_;
  kiln_call_options storage_;  // stays uninitialized
};

}  // namespace kiln::c
