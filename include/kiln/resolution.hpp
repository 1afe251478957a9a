// The plan of a call, of any kind of function. resolve() returns it and runs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/shape.hpp"

namespace kiln {

/// The plan of a call.
struct Resolution {
  std::string loop;                ///< signature of the loop that runs; a raw kernel's with its type variables bound
  std::vector<DType> dtypes;       ///< dtypes of the loop's inputs and outputs
  std::vector<std::string> casts;  ///< casts in registers: "input 0 (a) from int32 to float64"
  Shape shape;                     ///< shape of the loop: for a ufunc the broadcast shape of the result
  /// Kernel among those of the definition. For a ufunc: "contiguous", "inner-contiguous", "strided"; "empty": there is nothing
  /// to run; on a GPU also "tiled": the fastest axis of some operand is not the loop's. For a generalized ufunc: the work of a
  /// thread, "an item's (i, j)" (docs/gufuncs.md lists all). For a raw kernel: "items", "blocks", "single" (blocks of one
  /// thread).
  std::string variant;
  Device device;                    ///< device that the call would run on
  std::vector<std::string> copies;  ///< operands that cannot be used in place, with the reason; usually empty
};

/// The plan of a generalized ufunc's call.
struct GufuncResolution : Resolution {
  /// Sizes of the core dimensions; a fixed dimension's name is its size.
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<Shape> outputs;          ///< shapes of the outputs, core dimensions included
  std::vector<std::string> constants;  ///< core dimensions and scalars that are constants of the kernel: "m = 8"
  std::vector<std::string> layouts;    ///< layout of each operand's core: "input 0 (A): contiguous"
};

}  // namespace kiln
