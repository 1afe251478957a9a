// One run of a function on operands, with the times of its steps: the work of `kiln eval`, apart from its options and files.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kiln/chunked.hpp"
#include "method.hpp"
#include "ranks.hpp"
#include "time_report.hpp"

namespace kiln::tool {

/// A run in chunks, from and to files in their places.
struct ChunkedRun {
  ChunkOptions how;
  /// The arrays that large results go to: a handle for each, some of them empty, or none at all.
  std::function<std::vector<Array>(std::span<const ResultSpec>)> make_outputs;
};

struct EvaluationRequest {
  /// What is run: a ufunc, a method of it, a gufunc. The options have a mask, a stream, a loop, and for repeats outputs.
  std::function<std::vector<Array>(std::span<const Arg>, const CallOptions&, const ChunkOptions* chunks)> call;
  std::function<std::vector<ResultSpec>(std::span<const Arg>, const CallOptions&)> result_specs;
  std::vector<std::string> operand_texts = {};  ///< as many as it takes
  std::string signature = {};                   ///< the one that numbers alone choose; empty: their own dtypes do
  std::string where = {};                       ///< the file of a mask; empty: none
  Device device = {};
  std::chrono::nanoseconds timeout = {};  ///< of each call; 0: none
  bool time = false;                      ///< call again and again, to find the best time
  std::optional<ChunkedRun> chunks = std::nullopt;
  std::optional<RankPlace> place = std::nullopt;  ///< one of several ranks: its rows alone are computed
  std::vector<std::size_t> core_axes = {};        ///< the last axes of each operand, which are not cut; empty: none
  std::function<void(std::span<const Arg>)> check_ranks = {};  ///< throws where the call cannot be cut
};

struct Evaluation {
  std::vector<Array> results;  ///< in host-readable memory
  Rows own = {};               ///< of several ranks: the rows that the results are
  std::int64_t rows = 0;       ///< of several ranks: the rows of all
  TimeReport report;
};

/// Reads the operands, brings them to the device, compiles, calls, and fetches the results. kiln::Error.
Evaluation evaluate(EvaluationRequest request);

}  // namespace kiln::tool
