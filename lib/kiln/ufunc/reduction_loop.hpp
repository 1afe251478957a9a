// Which loop of a ufunc combines the elements of an array: one whose two inputs and whose output have one dtype. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kiln/dtype.hpp"
#include "signature/signature.hpp"
#include "ufunc/loop_source.hpp"
#include "ufunc/loops.hpp"

namespace kiln::ufunc {

struct ReductionLoopRequest {
  std::string_view name = {};    ///< the ufunc's, for messages
  std::string_view method = {};  ///< "reduce"
  std::span<const signature::TypeSignature> signatures = {};
  const LoopSource* source = nullptr;  ///< of the loops, where they are not the signatures
  DType array = DType::float64;
  std::optional<DType> dtype = std::nullopt;    ///< forces it
  const UfuncDefinition* definition = nullptr;  ///< as in LoopRequest
  bool has_out = false;                         ///< an output is given, whose dtype integers keep
  /// There is a neutral value. A loop that gives bool then asks for nothing but truth, and bools do for other dtypes.
  bool identity = false;
};

/// TypeError where the ufunc has no such loop, or not two inputs and one output.
[[nodiscard]] Loop choose_reduction_loop(const ReductionLoopRequest& request);

}  // namespace kiln::ufunc
