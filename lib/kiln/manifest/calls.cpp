#include "manifest/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kiln/error.hpp"

namespace kiln::manifest {
namespace {

using call::Description;

constexpr int kMaxRank = 64;
/// Elements of an array that can be planned.
constexpr std::int64_t kMost = std::int64_t{1} << 44U;

int read_axis(const Node& node) {
  return static_cast<int>(node.integer(-kMaxRank, kMaxRank - 1));
}

void read_axes(const Node& node, Description& call) {
  call.all_axes = node.json() == "all";
  if (call.all_axes) return;
  call.axis.emplace();
  if (!node.json().is_array()) return call.axis->push_back(read_axis(node));
  for (const Node& each : node.list()) call.axis->push_back(read_axis(each));
}

layout::SegmentLengths read_segments(const Node& node) {
  node.check_members({"count", "elements", "longest"});
  layout::SegmentLengths segments;
  segments.segments = node.at("count").integer(1, kMost);
  segments.elements = node.at("elements").integer(1, kMost);
  segments.longest = node.at("longest").integer(1, kMost);
  return segments;
}

std::vector<std::string> read_out(const Node& node) {
  std::vector<std::string> out;
  for (const Node& each : node.list()) out.push_back(each.json().is_null() ? "" : each.word());
  return out;
}

Description read_call(const Node& node) {
  Description call;
  if (const auto method = node.find("method")) call.method = method->word();
  for (const Node& each : node.at("inputs").list()) call.inputs.push_back(each.word());
  if (const auto where = node.find("where")) call.where = where->word();
  if (const auto out = node.find("out")) call.out = read_out(*out);
  if (const auto loop = node.find("loop")) call.loop = loop->word();
  if (const auto dtype = node.find("dtype")) call.dtype = dtype->locate([&] { return dtype_from_name(dtype->word()); });
  if (const auto axis = node.find("axis")) read_axes(*axis, call);
  if (const auto axes = node.find("axes")) {
    for (const Node& each : axes->list()) {
      std::vector<int>& list = call.axes.emplace_back();
      for (const Node& axis : each.list()) list.push_back(read_axis(axis));
    }
  }
  if (const auto flag = node.find("keepdims")) call.keepdims = flag->flag();
  if (const auto flag = node.find("initial")) call.initial = flag->flag();
  if (const auto segments = node.find("segments")) call.segments = read_segments(*segments);
  if (const auto size = node.find("size")) call.size = size->integer(0, kMost);
  if (const auto flag = node.find("any_sizes")) call.any_sizes = flag->flag();
  return call;
}

}  // namespace

void Calls::add(const Node& node, const Description& call, bool on_cpu) {
  Unit unit;
  unit.on_cpu = on_cpu;
  try {
    unit.signature = plan_(call, DeviceKind::cpu, false).loop;
  } catch (const Error& error) {
    node.fail(error.what());
  }
  unit.kernel = kernel_;
  unit.where = node.path();
  unit.requests = [plan = plan_, call](DeviceKind kind) { return plan(call, kind, true).requests; };
  entry_.units.push_back(std::move(unit));
}

Json Calls::read(const Node& node, std::initializer_list<std::string_view> members, AxisOf axis_of) {
  node.check_members(members);
  const Description call = read_call(node);
  if (const auto axis = node.find("axis"); axis && axis_of == AxisOf::one) static_cast<void>(read_axis(*axis));
  add(node, call);
  return call_json(call);
}

Json call_json(const Description& call) {
  Json json{{"inputs", call.inputs}};
  if (!call.method.empty()) json["method"] = call.method;
  if (!call.where.empty()) json["where"] = call.where;
  for (const std::string& each : call.out) json["out"].push_back(each.empty() ? Json() : Json(each));
  if (!call.loop.empty()) json["loop"] = call.loop;
  if (call.dtype) json["dtype"] = name(*call.dtype);
  if (call.all_axes) json["axis"] = "all";
  if (call.axis) json["axis"] = call.axis->size() == 1 ? Json(call.axis->front()) : Json(*call.axis);
  if (!call.axes.empty()) json["axes"] = call.axes;
  if (call.keepdims) json["keepdims"] = true;
  if (call.initial) json["initial"] = true;
  if (call.segments) {
    json["segments"] = {
        {"count", call.segments->segments}, {"elements", call.segments->elements}, {"longest", call.segments->longest}};
  }
  if (call.size) json["size"] = *call.size;
  if (call.any_sizes) json["any_sizes"] = true;
  return json;
}

ufunc::Loop read_loop(const Node& node, std::span<const signature::TypeSignature> signatures) {
  const std::string text = node.word();
  const std::size_t nin = signatures.front().inputs.size();
  try {
    const std::vector<DType> dtypes = ufunc::parse_loop(text, nin, signatures.front().outputs.size());
    if (std::optional<ufunc::Loop> loop = ufunc::find_loop(signatures, dtypes)) return *std::move(loop);
  } catch (const SignatureError& error) {
    node.fail(error.what());
  }
  node.fail(fmt::format("there is no loop \"{}\"; the signatures are {}", text, ufunc::texts_of(signatures)));
}

}  // namespace kiln::manifest
