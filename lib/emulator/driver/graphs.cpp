// The driver's calls of graphs: launches that a stream captures, and runs again as often as wanted.
#include "emulator/driver/state.hpp"

namespace kiln::emulator {

Graph* captured(const void* stream) {
  const auto found = state().captures.find({device(), number(stream)});
  return found == state().captures.end() ? nullptr : &found->second;
}

namespace {

/// The handle of a graph from now on.
void* add(Graph graph) {
  auto made = std::make_unique<Graph>(std::move(graph));
  void* const handle = made.get();
  state().graphs[handle] = std::move(made);
  return handle;
}

int destroy(void* graph) {
  return call([&]() -> int { return state().graphs.erase(graph) != 0 ? success : invalid_handle; });
}

}  // namespace
}  // namespace kiln::emulator

using namespace kiln::emulator;

extern "C" {

int cuStreamBeginCapture_v2(void* stream, int) {
  return call_on(stream, [&](std::uint32_t begun) -> int {
    if (begun == 0) return capture_unsupported;
    state().captures[{device(), begun}];
    return success;
  });
}
int cuStreamEndCapture(void* stream, void** graph) {
  return call([&]() -> int {
    const auto found = state().captures.find({device(), number(stream)});
    if (found == state().captures.end()) return invalid_handle;
    *graph = add(std::move(found->second));
    state().captures.erase(found);
    return success;
  });
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  return call([&]() -> int {
    const auto found = state().graphs.find(graph);
    if (found == state().graphs.end()) return invalid_handle;
    *executable = add(*found->second);
    return success;
  });
}
int cuGraphDestroy(void* graph) {
  return destroy(graph);
}
int cuGraphExecDestroy(void* executable) {
  return destroy(executable);
}
int cuGraphLaunch(void* executable, void* stream) {
  return call_on(stream, [&](std::uint32_t on) -> int {
    const auto found = state().graphs.find(executable);
    if (found == state().graphs.end()) return invalid_handle;
    for (const CapturedLaunch& each : *found->second) {
      std::vector<void*> parameters;
      for (const std::vector<char>& bytes : each.parameters) parameters.push_back(const_cast<char*>(bytes.data()));
      const int status = machine().launch(each.kernel, each.grid, each.block, each.shared, on, parameters.data());
      if (status != success) return status;
    }
    return success;
  });
}

}  // extern "C"
