// What a raw kernel is specialized for. A pure value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kiln/dtype.hpp"

namespace kiln::kinds {

class SpecOfKind;

/// How a raw kernel is launched.
enum class RawForm : std::uint8_t {
  items,   ///< the body runs once for each of a number of items
  blocks,  ///< once for each thread of a grid of blocks
  single,  ///< CPU: the same with one thread in each block. GPUs have no such form
};

struct RawParameter {
  DType dtype = DType::float64;
  bool array = false;      ///< a pointer, or a view
  bool read_only = false;  ///< an array that is only read
  int dimensions = 0;      ///< of a view
  bool strided = false;    ///< a view whose elements are not contiguous along its last dimension
};

/// A raw kernel: the user's text is all that a thread does.
struct RawSpec {
  std::vector<RawParameter> parameters = {};
  RawForm form = RawForm::blocks;
  bool shares = false;      ///< CPU, in blocks: threads share memory or wait for one another
  bool places = false;      ///< CPU: functions of the user's ask where a thread is (kernels-src/raw/here_cpu.hpp)
  bool warps = false;       ///< CPU, where threads share: those of a warp exchange values
  std::string bounds = {};  ///< GPU: of __launch_bounds__; empty: none
  std::vector<std::string> constants = {};   ///< CPU: variables of the user's texts whose sizes the host asks for
  std::string called = {};                   ///< kernel of a source in CUDA's language: "::kiln::user::f<float>"
  std::vector<std::size_t> structures = {};  ///< its parameters whose sizes the host asks for
  bool finds_races = false;  ///< CPU, in items or blocks: threads wait for one another, and their accesses are reported
};

/// As a KernelSpec holds it.
[[nodiscard]] std::shared_ptr<const SpecOfKind> hold(RawSpec spec);

}  // namespace kiln::kinds
