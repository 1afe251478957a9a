// Programs run by kiln, beside the interpreter.
#pragma once

#include <functional>
#include <kiln/cache_handle.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace programs {

/// Statements and calls of one item.
inline constexpr int kSteps = 20000;

/// Items that a program computes, and what the interpreter makes of them: a list for each operand.
struct Items {
  std::vector<std::vector<Value>> inputs;
  std::vector<std::vector<Value>> outputs;
  [[nodiscard]] std::size_t size() const { return inputs.front().size(); }
};

struct Verdict {
  bool ran = false;        ///< false: an item takes too long, or the compiler does
  std::string difference;  ///< the first one between kiln and the interpreter; empty where there is none
};

/// Called before each call of a kernel.
using BeforeCall = std::function<void()>;

/// Runs a program in every way that the seed asks for.
[[nodiscard]] Verdict check(const Program& program, std::uint64_t seed, const kiln::Cache& cache, const BeforeCall& before);

/// For people: the program and its seed.
[[nodiscard]] std::string report(const Program& program, std::uint64_t seed);

}  // namespace programs
