// Graphs: what a capture recorded, with the memory that it uses.
#include "kiln/graph.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "call/recording.hpp"
#include "device/capture.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"
#include "shared/float_environment.hpp"

namespace kiln {
namespace detail {
namespace {

using Memory = backend::Capture::Memory;

/// An exchange makes another one: queued launches keep theirs.
struct Recorded {
  backend::RecordedLaunches launches;
  std::vector<Memory> memory;
  std::shared_ptr<backend::Replay> replay;  ///< null: none, or not asked for yet
  bool prepared = false;
};

Memory memory_of(const Array& array) {
  const ArrayRep& rep = *array.rep();
  const Extent bytes = covered(rep);
  const auto at = reinterpret_cast<std::uintptr_t>(rep.data);
  return {at + static_cast<std::uintptr_t>(bytes.low), at + static_cast<std::uintptr_t>(bytes.high), owner_of(array)};
}

bool overlap(const Memory& a, const Memory& b) noexcept {
  return a.low < b.high && b.low < a.high;
}
bool within(const Memory& inner, const Memory& outer) noexcept {
  return inner.low >= outer.low && inner.high <= outer.high;
}

void check_alike(const ArrayRep& old, const ArrayRep& now) {
  if (old.dtype != now.dtype) {
    throw TypeError("exchange: the arrays have dtypes " + std::string(name(old.dtype)) + " and " +
                    std::string(name(now.dtype)) + "; the kernels were compiled for the first");
  }
  if (old.shape != now.shape) {
    throw ShapeError("exchange: the arrays have shapes " + to_string(old.shape) + " and " + to_string(now.shape) +
                     "; capture the calls again for another shape");
  }
  if (old.strides != now.strides) {
    throw ShapeError("exchange: the arrays have strides " + to_string(old.strides) + " and " + to_string(now.strides) +
                     "; give one that lies in memory like the first");
  }
  if (!old.device.same_memory(now.device)) {
    throw DeviceError("exchange: the arrays are on " + to_string(old.device) + " and " + to_string(now.device) +
                      "; bring the second to the first one's with to_device()");
  }
  if (now.read_only && !old.read_only) throw ShapeError("exchange: the second array is read-only, and the first is not");
  // Kernels may rely on it: vectors of a GPU, stores past the cache of a CPU.
  const std::uintptr_t boundary = boundary_of(old);
  const auto at = [](const ArrayRep& rep) { return reinterpret_cast<std::uintptr_t>(rep.data); };
  if ((at(old) - at(now)) % boundary != 0) {
    throw ShapeError("exchange: the arrays are aligned differently, modulo " + std::to_string(boundary) +
                     " bytes; give a copy() of the second");
  }
}

/// Of an exchange: the memory of the first array, of the second, and how far they are apart.
struct Pair {
  Memory old;
  Memory now;
  backend::Move move;
};

}  // namespace

struct GraphImpl {
  static Graph handle(std::shared_ptr<GraphImpl> impl) { return Graph(std::move(impl)); }

  Stream stream;
  backend::Backend* backend = nullptr;  // null: there are no launches
  std::mutex mutex;
  std::shared_ptr<Recorded> recorded;

  std::shared_ptr<const Recorded> ready() {
    const std::lock_guard guard(mutex);
    if (!recorded->prepared && backend != nullptr) recorded->replay = backend->make_replay(recorded->launches);
    recorded->prepared = true;
    return recorded;
  }
  [[nodiscard]] bool runs_on(const Device& device) const {
    if (device.is_cpu() || backend->kind() == DeviceKind::cpu) return device.kind() == backend->kind();
    return &backend::backend_for(device) == backend;
  }
};

namespace {

/// What is recorded after the exchange. Throws where it makes no sense.
std::shared_ptr<Recorded> exchanged(const Recorded& from, const std::vector<Pair>& pairs) {
  auto made = std::make_shared<Recorded>();
  std::vector<bool> used(pairs.size(), false);
  std::vector<bool> moves(from.memory.size(), false);
  for (std::size_t m = 0; m < from.memory.size(); ++m) {
    Memory memory = from.memory[m];
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& pair = pairs[i];
      if (!overlap(from.memory[m], pair.old)) continue;
      if (!within(from.memory[m], pair.old)) {
        throw ShapeError(
            "exchange: a captured call uses memory of the first array together with memory beside it; exchange the "
            "array that both are part of");
      }
      if (moves[m]) throw ShapeError("exchange: two of the arrays that are to go share memory; exchange the larger one alone");
      moves[m] = used[i] = true;
      memory = {memory.low + pair.move.by, memory.high + pair.move.by, pair.now.owner};
    }
    made->memory.push_back(std::move(memory));
  }
  if (std::find(used.begin(), used.end(), false) != used.end()) {
    throw ShapeError("exchange: no captured call uses the first array; give one of those that the calls were given or made");
  }
  // What was chosen for arrays that lie apart is wrong for others: none of the new ones may meet what it did not meet before.
  for (std::size_t a = 0; a < made->memory.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if ((moves[a] || moves[b]) && overlap(made->memory[a], made->memory[b]) && !overlap(from.memory[a], from.memory[b])) {
        throw ShapeError(
            "exchange: the second array shares memory with another one of the captured calls; give one of its own");
      }
    }
  }
  std::vector<backend::Move> by;
  for (const Pair& pair : pairs) by.push_back(pair.move);
  for (const auto& launch : from.launches) made->launches.push_back(launch->moved(by));
  return made;
}

}  // namespace
}  // namespace detail

using detail::Recorded;

void Graph::launch() const {
  launch(impl_ != nullptr ? impl_->stream : Stream());
}

void Graph::launch(const Stream& stream) const {
  if (impl_ == nullptr) throw DeviceError("launch: this is an empty Graph handle; capture() makes one");
  backend::Capture::refuse("a graph", "it is launched as one; make its calls inside instead");
  const base::DefaultFloatEnvironment floats;
  const std::shared_ptr<const Recorded> recorded = impl_->ready();
  if (recorded->launches.empty()) return;
  if (!stream.is_default() && !impl_->runs_on(stream.device())) {
    throw DeviceError("launch: the stream is of " + to_string(stream.device()) +
                      ", and the captured calls are of another device");
  }
  backend::Queue* const queue = stream.queue().get();
  if (recorded->replay != nullptr) return recorded->replay->start(queue, recorded);
  for (const auto& launch : recorded->launches) launch->run(queue, recorded);
}

void Graph::exchange(const Array& old, const Array& now) {
  const std::pair<Array, Array> pair(old, now);
  exchange(std::span(&pair, 1));
}

void Graph::exchange(std::span<const std::pair<Array, Array>> pairs) {
  if (impl_ == nullptr) throw DeviceError("exchange: this is an empty Graph handle; capture() makes one");
  std::vector<detail::Pair> moves;
  for (const auto& [old, now] : pairs) {
    const detail::ArrayRep& a = detail::rep_of(old);
    const detail::ArrayRep& b = detail::rep_of(now);
    detail::check_alike(a, b);
    if (a.size == 0) continue;
    detail::Pair pair{.old = detail::memory_of(old), .now = detail::memory_of(now), .move = {}};
    pair.move = {.low = pair.old.low, .high = pair.old.high, .by = pair.now.low - pair.old.low};
    moves.push_back(std::move(pair));
  }
  const std::lock_guard guard(impl_->mutex);
  impl_->recorded = detail::exchanged(*impl_->recorded, moves);
}

std::size_t Graph::kernels() const {
  if (impl_ == nullptr) return 0;
  const std::lock_guard guard(impl_->mutex);
  return impl_->recorded->launches.size();
}

namespace call {

Recording::Recording(const Stream& stream) : stream_(stream), capture_(stream.queue().get()) {}

Graph Recording::graph() {
  auto impl = std::make_shared<detail::GraphImpl>();
  impl->stream = stream_;
  impl->recorded = std::make_shared<Recorded>();
  impl->recorded->launches = std::move(capture_.launches);
  impl->recorded->memory = std::move(capture_.memory);
  impl->backend = capture_.backend;
  return detail::GraphImpl::handle(std::move(impl));
}

}  // namespace call

Graph capture(const Stream& stream, const std::function<void()>& calls) {
  call::Recording recording(stream);
  calls();
  return recording.graph();
}

}  // namespace kiln
