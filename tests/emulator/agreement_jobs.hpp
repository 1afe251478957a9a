// What both compilers' kernels are to compute: kiln::math, bodies as users write them, and a call of every other kind of
// kernel.
#pragma once

#include <kiln/kiln.hpp>

#include <functional>
#include <string>
#include <vector>

namespace agreement {

/// Some results of one call, or of a few that share their inputs.
struct Job {
  std::vector<std::string> names = {};   ///< one for each result: "sin float32 -> float32"
  std::vector<kiln::Array> inputs = {};  ///< on the host
  bool by_element = true;                ///< an element of a result belongs to the inputs' element of that number
  std::function<std::vector<kiln::Array>(const std::vector<kiln::Array>& on_device)> run = {};
};

/// The same ones in every process.
std::vector<Job> jobs();

}  // namespace agreement
