// Graphs: a recording belongs to the thread that began it.
#include "kiln/graph.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "c/argument_error.hpp"
#include "c/array.hpp"
#include "c/guard.hpp"
#include "c/stream.hpp"
#include "c/text.hpp"
#include "call/recording.hpp"

struct kiln_graph : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::graph;
  explicit kiln_graph(kiln::Graph made) : Handle(kTag), graph(std::move(made)) {}
  kiln::Graph graph;
};

using namespace kiln::c;

namespace {

thread_local std::unique_ptr<kiln::call::Recording> recording;

}  // namespace

kiln_status kiln_graph_begin(const kiln_stream* stream, kiln_error** error) noexcept {
  return guarded(error, [&] { recording = std::make_unique<kiln::call::Recording>(stream_of(stream)); });
}

kiln_status kiln_graph_end(kiln_graph** graph, kiln_error** error) noexcept {
  return guarded(error, graph, [&] {
    if (recording == nullptr) fail_device("kiln_graph_end: this thread records nothing; kiln_graph_begin begins it");
    const auto ended = std::exchange(recording, nullptr);
    if (graph != nullptr) *graph = make<kiln_graph>(ended->graph());
  });
}

kiln_status kiln_graph_launch(kiln_graph* graph, const kiln_stream* stream, kiln_error** error) noexcept {
  return guarded(error, [&] {
    const kiln::Graph& recorded = checked(graph, "graph").graph;
    stream == nullptr ? recorded.launch() : recorded.launch(stream_of(stream));
  });
}

kiln_status kiln_graph_exchange(kiln_graph* graph, size_t count, const kiln_array* const* old_arrays,
                                const kiln_array* const* new_arrays, kiln_error** error) noexcept {
  return guarded(error, [&] {
    kiln::Graph& recorded = checked(graph, "graph").graph;
    if (count != 0 && old_arrays == nullptr) fail_null("old_arrays");
    if (count != 0 && new_arrays == nullptr) fail_null("new_arrays");
    std::vector<std::pair<kiln::Array, kiln::Array>> pairs;
    for (std::size_t i = 0; i < count; ++i)
      pairs.emplace_back(checked(old_arrays[i], "old_arrays").array, checked(new_arrays[i], "new_arrays").array);
    recorded.exchange(pairs);
  });
}

void kiln_graph_release(kiln_graph* graph) noexcept {
  release(graph);
}
