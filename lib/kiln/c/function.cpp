#include "c/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/hash.hpp"
#include "c/argument_error.hpp"
#include "c/cache.hpp"
#include "c/guard.hpp"
#include "c/operands.hpp"
#include "c/text.hpp"
#include "c/values.hpp"
#include "command/function.hpp"
#include "command/json.hpp"
#include "gufunc/impl.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "kiln/error.hpp"
#include "kiln/fuse.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/math.hpp"
#include "manifest/node.hpp"
#include "raw/cuda_module.hpp"
#include "raw/impl.hpp"
#include "reduce/impl.hpp"
#include "ufunc/impl.hpp"

namespace kiln::c {

using command::Json;
using command::text_of;
using command::to_json;

namespace {

/// Returns where the layout ends that the text begins with; 0 if there is none: "(n),(n)->() void f(…)".
std::size_t layout_end(std::string_view text) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos || arrow > text.find_first_of("{=")) return 0;
  std::size_t end = arrow + 2;
  for (;;) {
    const std::size_t open = text.find_first_not_of(" \t\n", end);
    if (open == std::string_view::npos || text[open] != '(') return end;
    const std::size_t close = text.find(')', open);
    if (close == std::string_view::npos) return text.size();
    end = close + 1;
    const std::size_t comma = text.find_first_not_of(" \t\n", end);
    if (comma == std::string_view::npos || text[comma] != ',') return end;
    end = comma + 1;
  }
}

Function parse(const std::string& text) {
  const std::size_t end = layout_end(text);
  if (end == 0) return vectorize(text);
  // Blanks in the layout's place keep the positions of errors.
  std::string rest = text;
  std::ranges::replace_if(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
  return guvectorize(std::string_view(text).substr(0, end), rest);
}

/// The steps of a fused function, with functions that are held.
struct Step {
  Ufunc function;
  std::vector<std::uint32_t> inputs;
};

Ufunc fused(const std::string& name, std::size_t inputs, const std::vector<Step>& steps,
            const std::vector<std::uint32_t>& outputs) {
  if (inputs > 32) fail_type(fmt::format("fused \"{}\" has {} inputs; a ufunc has at most 32 operands", name, inputs));
  FuseDefinition definition{.name = name};
  for (std::size_t i = 0; i < inputs; ++i) definition.parameters.push_back(fmt::format("x{}", i));
  return fuse(std::move(definition), [&](std::span<const Expr> parameters) {
    std::vector<Expr> values(parameters.begin(), parameters.end());
    const auto value = [&](std::uint32_t number, const std::string& what) {
      if (number < values.size()) return values[number];
      fail_type(fmt::format("fused \"{}\": {} is value {}, and there are {} so far", name, what, number, values.size()));
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::vector<Expr> given;
      for (std::size_t j = 0; j < steps[i].inputs.size(); ++j)
        given.push_back(value(steps[i].inputs[j], fmt::format("input {} of step {}", j, i)));
      for (Expr& result : steps[i].function.outputs(given)) values.push_back(std::move(result));
    }
    std::vector<Expr> results;
    for (const std::uint32_t number : outputs) results.push_back(value(number, "an output"));
    return results;
  });
}

Json fused_json(const std::string& name, std::size_t inputs, const std::vector<Step>& steps,
                const std::vector<std::uint32_t>& outputs) {
  Json list = Json::array();
  for (const Step& step : steps)
    list.push_back({{"function", Json::parse(definition_text(step.function))}, {"inputs", step.inputs}});
  return {{"kind", "fused"}, {"name", name}, {"inputs", inputs}, {"steps", std::move(list)}, {"outputs", outputs}};
}

std::vector<std::uint32_t> numbers(const manifest::Node& node) {
  std::vector<std::uint32_t> list;
  for (const manifest::Node& each : node.list()) list.push_back(static_cast<std::uint32_t>(each.integer(0, UINT32_MAX)));
  return list;
}

kiln_function* make_fused(const std::string& name, std::size_t inputs, const std::vector<Step>& steps,
                          const std::vector<std::uint32_t>& outputs) {
  Ufunc function = fused(name, inputs, steps, outputs);
  // A step that has no text, as one of another fused function, leaves the whole without one.
  std::string definition;
  try {
    definition = text_of(fused_json(name, inputs, steps, outputs)) + "\n";
  } catch (const TypeError&) {  // NOLINT(bugprone-empty-catch): kiln_function_get says why
  }
  return make<kiln_function>(std::move(function), std::move(definition));
}

kiln_function* read_fused(const manifest::Node& node) {
  node.check_members({"kind", "name", "inputs", "steps", "outputs"});
  std::vector<Step> steps;
  for (const manifest::Node& each : node.at("steps").list()) {
    each.check_members({"function", "inputs"});
    const manifest::Node function = each.at("function");
    AnyFunction made = define(function.json().dump(), "definition" + function.path());
    auto* const ufunc = std::get_if<Ufunc>(&made);
    if (ufunc == nullptr) function.fail("a step is a ufunc");
    steps.push_back({*ufunc, numbers(each.at("inputs"))});
  }
  return node.locate([&] {
    return make_fused(node.at("name").word(), static_cast<std::size_t>(node.at("inputs").integer(0, INT32_MAX)), steps,
                      numbers(node.at("outputs")));
  });
}

kiln_function* make_transform(const Transform& transform) {
  return make<kiln_function>(transform, text_of(Json{{"kind", "transform"}, {"name", transform.name}}) + "\n");
}

kiln_function* read_transform(const manifest::Node& node) {
  node.check_members({"kind", "name"});
  const auto transform = find_transform(node.at("name").word());
  if (!transform) node.at("name").fail("no transform has this name: \"fft.fft\", \"fft.irfft2\", …");
  return make_transform(*transform);
}

kiln_function* read_definition(const std::string& text, const kiln_cache* cache) {
  const std::string name = "definition";
  const manifest::Json json = manifest::parse_json(text, name);
  const manifest::Node node(json, name);
  const auto kind = node.has("kind") ? node.at("kind").json() : manifest::Json();
  if (kind == "fused" || kind == "transform") {
    if (cache != nullptr)
      throw ArgumentError(fmt::format("cache: a function of kind {} has the caches of its steps", kind.dump()), "cache");
    return kind == "fused" ? read_fused(node) : read_transform(node);
  }
  const AnyFunction made = define(text, name);
  if (cache == nullptr) return make<kiln_function>(std::visit([](const auto& f) { return Function(f); }, made));
  std::string definition = std::visit([](const auto& f) { return definition_text(f); }, made);
  return make<kiln_function>(
      std::visit([](const auto& f) { return Function(f); }, command::in_cache(made, checked(cache, "cache").cache)),
      std::move(definition));
}

std::string definition_of(const kiln_function& function) {
  if (!function.definition.empty()) return function.definition;
  return std::visit(
      [](const auto& f) -> std::string {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(f)>, Transform>) {
          return {};
        } else {
          return definition_text(f);
        }
      },
      function.function);
}

struct Describe {
  kiln_function_info& info;
  void operator()(const Ufunc& f) const {
    fill(KILN_UFUNC, f.nin(), f.nout(), f.name());
    info.reorderable = f.reorderable() ? 1 : 0;
    info.identity = f.identity().c_str();
  }
  void operator()(const Gufunc& f) const {
    fill(KILN_GUFUNC, f.nin(), f.nout(), f.name());
    info.layout = f.layout().c_str();
  }
  void operator()(const Reduction& f) const {
    fill(KILN_REDUCTION, f.nin(), f.nout(), f.name());
    const detail::UfuncImpl& loops = f.impl()->loops();
    info.reorderable = loops.definition().reorderable || !loops.definition().identity.empty() ? 1 : 0;
    info.identity = loops.definition().identity.c_str();
  }
  void operator()(const RawKernel& f) const {
    fill(KILN_KERNEL, static_cast<std::int32_t>(f.impl()->signature().parameters.size()), 0, f.name());
  }
  void operator()(const Transform& f) const {
    info.kind = KILN_TRANSFORM;
    info.nin = info.nout = 1;
    info.name = f.name;
  }

 private:
  void fill(std::uint32_t kind, int nin, int nout, const std::string& name) const {
    info.kind = kind;
    info.nin = nin;
    info.nout = nout;
    info.name = name.c_str();
  }
};

constexpr struct {
  const char* name;
  DeviceCodeForm form;
} kForms[] = {{"automatic", DeviceCodeForm::automatic},
              {"lto-ir", DeviceCodeForm::lto_ir},
              {"ptx", DeviceCodeForm::ptx},
              {"bitcode", DeviceCodeForm::bitcode},
              {"object", DeviceCodeForm::object}};

DeviceCodeOptions device_code_options(const std::string& text) {
  const std::string name = "options";
  const manifest::Json json = manifest::parse_json(text, name);
  const manifest::Node node(json, name);
  node.check_members({"name", "signature", "abi", "form"});
  DeviceCodeOptions options;
  if (const auto given = node.find("name")) options.name = given->word();
  if (const auto given = node.find("signature")) options.signature = given->word();
  if (const auto given = node.find("abi")) {
    const std::string abi = given->word();
    if (abi != "c" && abi != "numba") given->fail("it is \"c\" or \"numba\"");
    options.abi = abi == "c" ? DeviceAbi::c : DeviceAbi::numba;
  }
  if (const auto given = node.find("form")) {
    const std::string form = given->word();
    const auto* const found =
        std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& each) { return each.name == form; });
    if (found == std::end(kForms)) given->fail("it is \"automatic\", \"lto-ir\", \"ptx\", \"bitcode\" or \"object\"");
    options.form = found->form;
  }
  return options;
}

}  // namespace
}  // namespace kiln::c

using namespace kiln::c;

kiln_status kiln_function_parse(kiln_function** function, const char* text, size_t length, kiln_error** error) noexcept {
  return guarded(error, function, [&] {
    kiln_function*& made = output(function, "function");
    made = make<kiln_function>(parse(string_of(text, length, "text")));
  });
}

kiln_status kiln_function_define(kiln_function** function, const char* json, size_t length, const kiln_cache* cache,
                                 kiln_error** error) noexcept {
  return guarded(error, function, [&] {
    kiln_function*& made = output(function, "function");
    made = read_definition(string_of(json, length, "json"), cache);
  });
}

kiln_status kiln_function_math(kiln_function** function, const char* name, size_t length, kiln_error** error) noexcept {
  return guarded(error, function, [&] {
    kiln_function*& made = output(function, "function");
    const std::string wanted = string_of(name, length, "name");
    if (const auto transform = find_transform(wanted)) {
      made = make_transform(*transform);
      return;
    }
    const kiln::Ufunc* const found = kiln::math::find(wanted);
    if (found == nullptr) {
      throw ArgumentError(
          fmt::format("name: \"{}\" is no ufunc of kiln::math and no transform; docs/math.md and docs/fft.md list them",
                      wanted),
          "name");
    }
    made = make<kiln_function>(*found);
  });
}

kiln_status kiln_function_fuse(kiln_function** function, const char* name, size_t length, size_t inputs,
                               const kiln_fuse_step* steps, size_t count, const uint32_t* outputs, size_t outputs_count,
                               kiln_error** error) noexcept {
  return guarded(error, function, [&] {
    kiln_function*& made = output(function, "function");
    if (count != 0 && steps == nullptr) fail_null("steps");
    if (outputs_count != 0 && outputs == nullptr) fail_null("outputs");
    if (count > 65536 || outputs_count > 65536)
      throw ArgumentError(fmt::format("count: {} steps and {} outputs are too many", count, outputs_count), "count");
    std::vector<Step> list;
    for (std::size_t i = 0; i < count; ++i) {
      const auto* const ufunc = std::get_if<kiln::Ufunc>(&checked(steps[i].function, "steps.function").function);
      if (ufunc == nullptr) fail_type(fmt::format("step {}: a step is a ufunc", i));
      if (steps[i].count != 0 && steps[i].inputs == nullptr) fail_null("steps.inputs");
      if (steps[i].count > 64) fail_type(fmt::format("step {}: {} inputs are too many", i, steps[i].count));
      list.push_back({*ufunc, {steps[i].inputs, steps[i].inputs + steps[i].count}});
    }
    made = make_fused(string_of(name, length, "name"), inputs, list, {outputs, outputs + outputs_count});
  });
}

kiln_status kiln_function_describe(const kiln_function* function, kiln_function_info* info, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (info == nullptr) fail_null("info");
    kiln_function_info described = kiln_function_info_default();
    described.name = described.layout = described.identity = "";
    std::visit(Describe{described}, checked(function, "function").function);
    fill_struct(info, &described, sizeof described, sizeof described, "kiln_function_info");
  });
}

kiln_status kiln_function_get(kiln_text** text, const kiln_function* function, const char* key, kiln_error** error) noexcept {
  return guarded(error, text, [&] {
    kiln_text*& made = output(text, "text");
    const kiln_function& f = checked(function, "function");
    const std::string wanted = string_of(key, "key");
    if (wanted == "definition") {
      made = make<kiln_text>(definition_of(f));
    } else if (wanted == "digest") {
      made = make<kiln_text>(kiln::base::to_hex(kiln::base::hash128(definition_of(f))));
    } else if (wanted == "warnings") {
      Json list = Json::array();
      std::visit(
          [&](const auto& of) {
            if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(of)>, Transform>) {
              for (const kiln::Diagnostic& warning : of.warnings()) list.push_back(to_json(warning));
            }
          },
          f.function);
      made = make<kiln_text>(text_of(list));
    } else {
      throw ArgumentError(
          fmt::format("key: \"{}\" is unknown; the keys are \"definition\", \"digest\" and \"warnings\"", wanted), "key");
    }
  });
}

kiln_status kiln_function_compile(int64_t* kernels, const kiln_function* function, const char* target,
                                  kiln_error** error) noexcept {
  return guarded(error, kernels, [&] {
    const std::string wanted = string_of(target, "target");
    const int count = std::visit(
        [&](const auto& of) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(of)>, Transform>) {
            return 0;
          } else {
            return of.compile(wanted);
          }
        },
        checked(function, "function").function);
    if (kernels != nullptr) *kernels = count;
  });
}

kiln_status kiln_function_set_constant(const kiln_function* function, const char* name, size_t length, const kiln_arg* values,
                                       kiln_error** error) noexcept {
  return guarded(error, [&] {
    const auto* const kernel = std::get_if<kiln::RawKernel>(&checked(function, "function").function);
    if (kernel == nullptr || kernel->impl()->source().values == nullptr)
      fail_type("kiln_function_set_constant: only a kernel in CUDA's language has constants");
    if (values == nullptr) fail_null("values");
    kiln::cupy::detail::constant_of(kernel->name(), string_of(name, length, "name"), kernel->impl()->source().values)
        .set(array_of(*values, "values"));
  });
}

kiln_status kiln_function_device_code(kiln_text** code, const kiln_function* function, const char* target, const char* options,
                                      kiln_error** error) noexcept {
  return guarded(error, code, [&] {
    kiln_text*& made = output(code, "code");
    const auto* const ufunc = std::get_if<kiln::Ufunc>(&checked(function, "function").function);
    if (ufunc == nullptr) fail_type("kiln_function_device_code: only a ufunc has a body that is a function");
    const auto given = options != nullptr ? device_code_options(options) : kiln::DeviceCodeOptions{};
    made = make<kiln_text>(ufunc->device_code(string_of(target, "target"), given).bytes);
  });
}

kiln_function* kiln_function_retain(const kiln_function* function) noexcept {
  return retain(function);
}

void kiln_function_release(kiln_function* function) noexcept {
  release(function);
}
