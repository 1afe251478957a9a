#include "manifest/method_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kiln/error.hpp"
#include "kinds/variant_text.hpp"
#include "manifest/reduction_layout.hpp"
#include "manifest/ufunc_variant.hpp"
#include "reduce/method.hpp"
#include "ufunc/reduction_loop.hpp"

namespace kiln::manifest {
namespace {

using ufunc::Loop;
using ufunc::Method;
using ufunc::MethodVariant;
using ufunc::Processors;

bool reduces(Method method) {
  return method == Method::reduce || method == Method::reduceat;
}

Method read_method(const Node& node) {
  const std::string word = node.word();
  const auto found = std::find_if(ufunc::kMethodNames.begin(), ufunc::kMethodNames.end(),
                                  [&](const ufunc::MethodName& each) { return each.name == word; });
  if (found == ufunc::kMethodNames.end()) {
    node.fail(
        fmt::format("unknown method \"{}\"; the methods with kernels of their own are reduce, reduceat, accumulate and at, and "
                    "outer is a call",
                    word.substr(0, 40)));
  }
  return found->method;
}

DType read_dtype(const Node& node) {
  try {
    return dtype_from_name(node.word());
  } catch (const TypeError& error) {
    node.fail(error.what());
  }
}

void check_loop(const Node& node, const Loop& loop, Method method) {
  if (method == Method::at) return;
  if (loop.inputs[0] == loop.outputs[0] && loop.inputs[1] == loop.outputs[0]) return;
  node.fail(fmt::format("{} combines what its loop gives with the loop itself: all three dtypes are one", name(method)));
}

void check_change(const Node& node, const std::string& ufunc, const Loop& loop, DType array) {
  if (can_cast(loop.outputs[0], array, Casting::same_kind)) return;
  node.fail(fmt::format("{}.at: cannot cast the result from {} to the array's {} under casting \"same_kind\"", ufunc,
                        name(loop.outputs[0]), name(array)));
}

void read_layout(const Node& node, MethodVariant& variant, bool reorderable) {
  const auto segmented = node.find("segmented");
  const bool in_segments = segmented && segmented->flag();
  variant.layout.segmented = in_segments;
  read_reduction_layout(node, "the ufunc", reorderable, {&variant.array, 1}, variant.layout);
  if (in_segments && variant.layout.reduced_rank != 1) segmented->fail("segments are of one axis: \"reduced_rank\" is 1");
}

}  // namespace

void MethodUnits::check_method(const Node& node, Method method) const {
  const std::size_t nin = impl_->nin();
  if (impl_->nout() == 1 && (nin == 2 || (nin == 1 && method == Method::at))) return;
  node.fail(fmt::format("{} wants a ufunc of {} and one output, and {} has {} and {}", name(method),
                        method == Method::at ? "one or two inputs" : "two inputs", impl_->name(), nin, impl_->nout()));
}

Json MethodUnits::read(const Node& node) {
  const Node word = node.at("method");
  MethodVariant variant{.method = read_method(word)};
  if (variant.method == Method::reduce) {
    node.check_members(
        {"method", "loop", "array", "result", "where", "mapping", "kept_rank", "reduced_rank", "aligned", "wide_index", "for"});
  } else if (variant.method == Method::reduceat) {
    node.check_members({"method", "loop", "array", "result", "where", "mapping", "kept_rank", "reduced_rank", "segmented",
                        "aligned", "wide_index", "for"});
  } else if (variant.method == Method::accumulate) {
    node.check_members({"method", "loop", "array", "result", "for"});
  } else {
    node.check_members({"method", "loop", "array", "value", "for"});
  }
  check_method(word, variant.method);
  const Node loop_node = node.at("loop");
  const Loop loop = read_loop(loop_node, impl_->signatures());
  check_loop(loop_node, loop, variant.method);
  const auto dtype = [&](const char* member, DType usual) {
    const auto given = node.find(member);
    return given ? read_dtype(*given) : usual;
  };
  variant.array = dtype("array", loop.inputs[0]);
  if (variant.method == Method::at) {
    if (impl_->nin() == 2) {
      variant.value = dtype("value", loop.inputs[1]);
    } else if (const auto value = node.find("value")) {
      value->fail("a ufunc of one input takes no second operand");
    }
    check_change(node.find("array").value_or(node), impl_->name(), loop, variant.array);
  } else {
    variant.result = dtype("result", loop.outputs[0]);
  }
  if (const auto where = node.find("where")) {
    variant.layout.masked = where->flag();
    if (variant.layout.masked && variant.method == Method::reduceat) where->fail("reduceat takes no mask");
  }
  if (reduces(variant.method)) read_layout(node, variant, impl_->reorderable());
  const Processors processors = read_processors(node);
  add(loop, variant, processors, node.path());
  return method_variant_json(loop, variant, processors, impl_->reorderable());
}

void MethodUnits::add_usual(const Node& method, const Loop& loop, const std::string& where) {
  MethodVariant variant{.method = read_method(method), .array = loop.inputs[0]};
  check_method(method, variant.method);
  if (variant.method == Method::at) {
    if (impl_->nin() == 2) variant.value = loop.inputs[1];
    check_change(method, impl_->name(), loop, variant.array);
    return add(loop, variant, Processors::all, where);
  }
  Loop own;
  try {
    own = ufunc::choose_reduction_loop({.name = impl_->name(),
                                        .method = name(variant.method),
                                        .signatures = impl_->signatures(),
                                        .array = variant.array,
                                        .widens_integers = impl_->definition().widens_integers,
                                        .identity = !impl_->definition().identity.empty(),
                                        .bools_are_numbers = impl_->definition().bools_are_numbers});
  } catch (const TypeError& error) {
    method.fail(fmt::format("{}; say which arrays with \"loops\" or \"types\"", error.what()));
  }
  variant.result = own.outputs[0];
  if (variant.method == Method::accumulate) return add(own, variant, Processors::all, where);
  const bool ordered = !impl_->reorderable();
  for (const kinds::ReductionClass& layout : variant.method == Method::reduceat
                                                 ? kinds::usual_segment_classes(ordered)
                                                 : kinds::usual_classes(variant.array, ordered)) {
    variant.layout = layout;
    add(own, variant, Processors::all, where);
  }
}

void MethodUnits::add(const Loop& loop, const MethodVariant& variant, Processors processors, const std::string& where) {
  const auto concerns = [&](Processors each) { return (static_cast<int>(processors) & static_cast<int>(each)) != 0; };
  const std::string method(name(variant.method));
  OnCpu on_cpu{loop.text, variant};
  on_cpu.variant.layout = variant.layout.on_cpu();
  if (concerns(Processors::cpu) && std::find(on_cpu_.begin(), on_cpu_.end(), on_cpu) == on_cpu_.end()) {
    add_unit(loop, variant, Processors::cpu, where, method);
    on_cpu_.push_back(std::move(on_cpu));
  }
  if (!concerns(Processors::gpu)) return;
  const std::string how = reduces(variant.method) ? fmt::format(" ({})", codegen::mapping_name(variant.layout.mapping)) : "";
  add_unit(loop, variant, Processors::gpu, where, method + how);
}

void MethodUnits::add_unit(const Loop& loop, const MethodVariant& variant, Processors processors, std::string where,
                           std::string name) {
  Unit unit;
  unit.kernel = impl_->name();
  unit.signature = loop.text;
  unit.variant = std::move(name);
  unit.where = std::move(where);
  unit.processors = processors;
  unit.requests = [impl = impl_, loop, variant](DeviceKind kind) {
    if (!reduces(variant.method)) return std::vector{impl->request(loop, impl->specialize(loop, variant, kind), kind)};
    const DType storage[] = {variant.array, *variant.result};
    return std::vector{reduce::Method(*impl, variant.method).request(loop, storage, variant.layout, kind)};
  };
  units_.push_back(std::move(unit));
}

Json method_variant_json(const Loop& loop, const MethodVariant& variant, Processors processors, bool reorderable) {
  Json json{{"method", name(variant.method)}, {"loop", loop_text(loop)}};
  const auto dtype = [&](const char* member, std::optional<DType> given, DType usual) {
    if (given && *given != usual) json[member] = name(*given);
  };
  dtype("array", variant.array, loop.inputs[0]);
  if (variant.value) dtype("value", variant.value, loop.inputs[1]);
  dtype("result", variant.result, loop.outputs[0]);
  if (variant.layout.masked) json["where"] = true;
  if (reduces(variant.method)) {
    if (variant.layout.segmented) json["segmented"] = true;
    write_reduction_layout(variant.layout, reorderable, json);
  }
  write_processors(processors, json);
  return json;
}

}  // namespace kiln::manifest
