// The options of the methods of a ufunc: those of reduce, accumulate, reduceat, at.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/axes.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// Options of Ufunc::reduce. Every member has a default.
struct ReduceOptions {
  Axes axis = 0;                                ///< axes that are reduced; kiln::all_axes: all, as kiln::sum() and its like do
  bool keepdims = false;                        ///< true: reduced axes stay, with extent 1
  std::optional<Arg> initial = std::nullopt;    ///< scalar to start from; the loop's dtype must be able to represent its value
  ArrayArg where = {};                          ///< mask: bool, broadcast with the array; elements with false are ignored
  std::optional<DType> dtype = std::nullopt;    ///< dtype of the computation and the result
  ArrayArg out = {};                            ///< array of exactly the result's shape; written in place
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

/// Options of Ufunc::accumulate and Ufunc::reduceat. Every member has a default.
struct AccumulateOptions {
  int axis = 0;                                 ///< axis that the method runs along; negative ones count from the end
  std::optional<DType> dtype = std::nullopt;    ///< dtype of the computation and the result
  ArrayArg out = {};                            ///< array of exactly the result's shape; written in place
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

/// Options of Ufunc::at.
struct AtOptions {
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

}  // namespace kiln
