// One run of a ufunc, or of a method of it, on operands, with the times of its steps: the work of `kiln eval`, apart from its
// options and files.
#pragma once

#include <string>
#include <vector>

#include "kiln/kiln.hpp"
#include "method.hpp"
#include "time_report.hpp"

namespace kiln::tool {

struct EvaluationRequest {
  const Ufunc& ufunc;
  std::string signature;                   ///< the kernel's only one
  std::vector<std::string> operand_texts;  ///< as many as the method takes
  const Method& method;
  Device device;
  bool time = false;  ///< call again and again, to find the best time
};

struct Evaluation {
  std::vector<Array> results;  ///< in host-readable memory
  TimeReport report;
};

/// Reads the operands, brings them to the device, compiles, calls, and fetches the results. kiln::Error.
Evaluation evaluate(EvaluationRequest request);

}  // namespace kiln::tool
