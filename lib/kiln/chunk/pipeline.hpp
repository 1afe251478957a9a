// The chunks of a call, several under way at once: who takes the next one, what all share, progress, stopping, failures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "chunk/cut.hpp"
#include "chunk/operand.hpp"
#include "device/stop_request.hpp"
#include "kiln/chunked.hpp"
#include "kiln/stream.hpp"

namespace kiln::chunk {

/// What a chunk is computed from.
struct Chunk {
  std::int64_t number;  ///< from 0
  const Box& box;
  std::vector<Array> inputs;   ///< the box's part of each; on the device where all chunks share it
  std::vector<Array> outputs;  ///< the same, on the host
  const Stream& stream;        ///< of the device that computes
};

/// The arguments of a call with the chunk's arrays in the places of its own; the mask, if there is one, is the last input.
[[nodiscard]] std::vector<Arg> arguments_of(const Chunk& chunk, std::span<const Arg> args);

struct Job {
  std::string what;             ///< "add", "add.reduce": what messages begin with
  std::vector<Operand> inputs;  ///< the mask is one, too
  std::vector<Operand> outputs;
  Cut cut;
  bool in_order = false;  ///< a chunk needs the results of the one before
};

/// The devices that compute: those of the options, else where a call would run.
[[nodiscard]] std::vector<Device> devices_of(const ChunkOptions& options);

/// The bytes of a chunk: the options', else what suits the devices.
[[nodiscard]] std::int64_t chunk_bytes_of(const ChunkOptions& options);

/// Calls `compute` for each chunk, from several threads at once. Returns when the host's memory has all results. Stopped,
/// what progress() threw, or the first error of a chunk: DeviceError and IoError say how many are done.
/// `stop` is what may end the call; null: nothing.
void run(const Job& job, const ChunkOptions& options, const backend::StopRequest* stop,
         base::FunctionRef<void(const Chunk&)> compute);

/// Returns the options of an ordinary call that falls back on chunks, on that device; none: where a call would run.
[[nodiscard]] ChunkOptions chunks_on(const std::optional<Device>& device);

}  // namespace kiln::chunk
