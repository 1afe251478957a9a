#include "gufunc_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "usage_error.hpp"

namespace kiln::tool {
namespace {

/// "0,1;1,2;" has an entry between any two semicolons, the last one empty.
std::vector<std::vector<int>> read_entries(std::string_view text) {
  std::vector<std::vector<int>> entries;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::string_view entry = text.substr(at, end - at);
    entries.push_back(entry.empty() ? std::vector<int>{} : axis_numbers(entry, "--axes"));
    at = end + 1;
  }
  return entries;
}

}  // namespace

void LayoutOptions::check_without_layout() const {
  const std::pair<const char*, const std::string*> others[] = {
      {"--each", &each}, {"--group", &group}, {"--shared", &shared}, {"--sizes", &sizes}, {"--axes", &axes}};
  for (const auto& [option, text] : others) {
    if (!text->empty()) throw UsageError(fmt::format("{} is for a generalized ufunc: give --layout, too", option));
  }
}

GufuncCall::GufuncCall(const LayoutOptions& layout, const MethodOptions& options) : layout_(layout) {
  if (!options.method.empty()) throw UsageError("--method is for ufuncs: a kernel with a --layout has none");
  if (!options.initial.empty()) throw UsageError("--initial is for --method reduce");
  if (!options.axis.empty()) {
    if (options.axis == "all" || options.axis == "none") {
      throw UsageError(fmt::format("--axis \"{}\" is for --method; of a kernel with a --layout it is one axis", options.axis));
    }
    const std::vector<int> axis = axis_numbers(options.axis, "--axis");
    if (axis.size() != 1) throw UsageError("--axis of a kernel with a --layout is one axis; give --axes \"0,1;1,2;0,1\"");
    call_.axis = axis.front();
  }
  if (!layout.axes.empty()) call_.axes = read_entries(layout.axes);
  call_.keepdims = options.keepdims;
  if (!options.casting.empty()) call_.casting = casting_from_name(options.casting);
  if (!options.dtype.empty()) call_.dtype = read_dtype(options.dtype);
}

void GufuncCall::check_ranks() const {
  if (call_.axis || !call_.axes.empty()) {
    throw UsageError(
        "ranks divide the work along axis 0, which --axis and --axes may make one of a core; run it by one rank, or with "
        "--ranks none");
  }
}

GufuncDefinition GufuncCall::definition(std::string_view text) const {
  GufuncDefinition definition = parse_gufunc(layout_.layout, text);
  definition.each = layout_.each;
  definition.group = layout_.group;
  definition.shared = layout_.shared;
  definition.sizes = layout_.sizes;
  return definition;
}

GufuncOptions GufuncCall::options(const CallOptions& more) const {
  GufuncOptions options = call_;
  options.out = more.out;
  options.where = more.where;
  options.stream = more.stream;
  options.timeout = more.timeout;
  return options;
}

std::vector<Array> GufuncCall::run(const Gufunc& gufunc, std::span<const Arg> operands, const CallOptions& more,
                                   const ChunkOptions* chunks) const {
  return chunks != nullptr ? chunked(gufunc, *chunks).outputs(operands, options(more))
                           : gufunc.outputs(operands, options(more));
}

std::vector<ResultSpec> GufuncCall::result_specs(const Gufunc& gufunc, std::span<const Arg> operands,
                                                 const CallOptions& more) const {
  const GufuncResolution resolution = gufunc.resolve(operands, options(more));
  std::vector<ResultSpec> specs;
  for (std::size_t o = 0; o < resolution.outputs.size(); ++o) {
    specs.push_back({resolution.outputs[o], resolution.dtypes[operands.size() + o]});
  }
  return specs;
}

}  // namespace kiln::tool
