// Who makes the calls of the golden files: C++ programs, and C programs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kiln/fft.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/methods.hpp"
#include "kiln/reduction.hpp"
#include "kiln/ufunc.hpp"

namespace conformance {

/// The options of a transform along one axis, along two, or along several.
struct TransformOptions {
  std::optional<std::vector<std::int64_t>> points = std::nullopt;
  std::optional<std::vector<int>> axes = std::nullopt;
  kiln::fft::Norm norm = kiln::fft::Norm::backward;
  kiln::Array out = {};
  kiln::Stream stream = {};
  std::optional<kiln::Device> device = std::nullopt;
};

/// The calls of C++.
class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  [[nodiscard]] virtual const char* name() const { return "C++"; }
  virtual std::vector<kiln::Array> call(const kiln::Ufunc& f, std::span<const kiln::Arg> args,
                                        const kiln::CallOptions& options) const {
    return f.outputs(args, options);
  }
  virtual std::vector<kiln::Array> call(const kiln::Gufunc& f, std::span<const kiln::Arg> args,
                                        const kiln::GufuncOptions& options) const {
    return f.outputs(args, options);
  }
  virtual std::vector<kiln::Array> call(const kiln::Reduction& f, std::span<const kiln::Arg> args,
                                        const kiln::ReductionOptions& options) const {
    return f.outputs(args, options);
  }
  virtual kiln::Array outer(const kiln::Ufunc& f, const kiln::Array& a, const kiln::Array& b,
                            const kiln::CallOptions& options) const {
    return f.outer(a, b, options);
  }
  virtual kiln::Array reduce(const kiln::Ufunc& f, const kiln::Array& a, const kiln::ReduceOptions& options) const {
    return f.reduce(a, options);
  }
  virtual kiln::Array accumulate(const kiln::Ufunc& f, const kiln::Array& a, const kiln::AccumulateOptions& options) const {
    return f.accumulate(a, options);
  }
  virtual kiln::Array reduceat(const kiln::Ufunc& f, const kiln::Array& a, const kiln::Array& indices,
                               const kiln::AccumulateOptions& options) const {
    return f.reduceat(a, indices, options);
  }
  /// A null `b`: a ufunc of one input.
  virtual void at(const kiln::Ufunc& f, const kiln::Array& a, const kiln::Array& indices, const kiln::Array* b,
                  const kiln::AtOptions& options) const {
    b != nullptr ? f.at(a, indices, *b, options) : f.at(a, indices, options);
  }
  /// `name`: one of numpy.fft's, "rfft2".
  virtual kiln::Array transform(const std::string& name, const kiln::Array& a, const TransformOptions& options) const;
};

/// C++ and C. Errors of C are thrown as C++ throws them.
const std::vector<const Driver*>& drivers();

}  // namespace conformance
