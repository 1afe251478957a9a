// Commands that look at compiled kernels, and that measure their launch shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "command/commands.hpp"
#include "command/function.hpp"
#include "compiler/compiler.hpp"
#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "kiln/npy.hpp"
#include "kiln/npz.hpp"
#include "kiln/tune.hpp"
#include "manifest/work.hpp"
#include "program/job.hpp"
#include "program/program.hpp"

namespace kiln::command {
namespace {

using manifest::Node;

/// A kernel, or why it does not compile: then `contents` has its name, signature, target and id alone.
struct Subject {
  cache::Contents contents;
  std::string error;
};

Subject find_entry(const Node& id, const Cache& cache) {
  if (auto found = cache.find(id.word())) return {*std::move(found), {}};
  const std::string folder = cache.directory();
  throw CacheError(fmt::format("no kernel in {} has an id that begins with \"{}\": `kiln cache list` shows them",
                               folder.empty() ? "the cache" : folder, id.word()));
}

Subject subject_of(const manifest::Work& work, const std::string& target, const Cache& cache) {
  const auto compiler = backend::compiler_for(target);
  Subject subject;
  cache::Entry& entry = subject.contents.entry;
  entry.kernel = work.unit->kernel;
  entry.signature = work.unit->signature;
  entry.target = target;
  try {
    program::Request request = std::move(work.unit->requests(compiler->kind()).at(work.which));
    request.cache = cache;
    entry.variant = request.source.variant;
    entry.id = program::make_job(request, *compiler).digest;
    cache::Contents compiled = program::compiled(request, *compiler);
    // The directory has what was measured of the kernel.
    std::optional<cache::Contents> kept = cache.find(compiled.entry.id);
    const std::string variant = entry.variant;
    subject.contents = kept ? *std::move(kept) : std::move(compiled);
    entry.variant = variant;
  } catch (const Error& error) {
    subject.error = error.what();
  }
  return subject;
}

std::vector<Subject> find_kernels(const Node& request, const Cache& cache) {
  const std::shared_ptr<const detail::ManifestImpl> kernels = kernels_of(request);
  const std::string name = request.has("kernel") ? request.at("kernel").word() : std::string();
  std::vector<std::string> targets = words(request, "targets");
  if (targets.empty()) targets.emplace_back("native");
  std::vector<Subject> subjects;
  for (const std::string& target : targets) {
    // Compiled by several threads; what follows finds the kernels.
    if (name.empty()) static_cast<void>(Manifest(kernels).compile({target}, {.cache = cache, .other_sizes = false}));
    std::vector<std::string> names;
    const std::size_t before = subjects.size();
    for (const manifest::Work& work : manifest::work_of(kernels->entries, *backend::compiler_for(target), false)) {
      const std::string& kernel = work.unit->kernel;
      if (std::find(names.begin(), names.end(), kernel) == names.end()) names.push_back(kernel);
      if (name.empty() || kernel == name) subjects.push_back(subject_of(work, target, cache));
    }
    if (!name.empty() && subjects.size() == before) {
      throw CacheError(fmt::format("the manifest has no kernel \"{}\": it has {}", name, fmt::join(names, ", ")));
    }
  }
  return subjects;
}

Json header(const cache::Entry& entry) {
  Json json{{"id", entry.id}, {"kernel", entry.kernel}, {"signature", entry.signature}};
  if (!entry.variant.empty()) json["variant"] = entry.variant;
  json["target"] = entry.target;
  if (!entry.compiler.empty()) json["compiler"] = entry.compiler;  // none where it does not compile
  return json;
}

/// Adds the text, or why the kernel's target has no such form. Returns whether there is one.
bool add_text(Json& json, const cache::Contents& kernel, inspect::Form form) {
  try {
    json["text"] = inspect::text(kernel, form);
    return true;
  } catch (const TypeError& error) {
    json["error"] = error.what();
    return false;
  }
}

Json inspect(const Node& request, const Cache& cache) {
  if (request.has("id") == request.has("manifest")) request.fail("give \"id\", or \"manifest\"");
  std::optional<inspect::Form> form;
  const std::string form_name = request.has("form") ? request.at("form").word() : "resources";
  if (form_name != "resources") {
    form = inspect::parse_form(form_name);
    if (!form) request.at("form").fail("the forms are resources, source, asm, ptx, sass, amdgcn and llvm-ir");
  }
  std::vector<Subject> subjects;
  if (request.has("id")) {
    subjects.push_back(find_entry(request.at("id"), cache));
  } else {
    subjects = find_kernels(request, cache);
  }
  Json kernels = Json::array();
  std::string missing;
  bool any = false;
  for (const Subject& subject : subjects) {
    Json each = header(subject.contents.entry);
    if (!subject.error.empty()) {
      each["error"] = subject.error;
    } else if (form) {
      each["form"] = form_name;
      any = add_text(each, subject.contents, *form) || any;
      if (each.contains("error") && missing.empty()) missing = each["error"];
    } else {
      each["resources"] = to_json(inspect::resources(subject.contents));
      for (const cache::TunedShape& shape : subject.contents.tuned) each["tuned"].push_back(to_json(shape));
    }
    kernels.push_back(std::move(each));
  }
  if (!any && !missing.empty()) throw TypeError(missing);
  return {{"kernels", std::move(kernels)}};
}

/// Values between 0 and 1 of floating and complex dtypes, small integers of others; never zero.
Array made_up(DType dtype, const Shape& shape) {
  constexpr int kValues = 97;  // no power of two: neighbours in memory differ in any layout
  std::vector<double> values(kValues);
  const bool whole = kind(dtype) <= Kind::integer;
  for (int i = 0; i < kValues; ++i) values[static_cast<std::size_t>(i)] = whole ? i % 20 + 1 : (i + 1.0) / kValues;
  const Array few = Array::from<double>(values).astype(dtype, Casting::unsafe);
  Array made = Array::empty(shape, dtype);
  const auto bytes = static_cast<std::size_t>(few.nbytes());
  const auto total = static_cast<std::size_t>(made.nbytes());
  for (std::size_t at = 0; at < total; at += bytes) {
    std::memcpy(static_cast<char*>(made.data()) + at, few.data(), std::min(bytes, total - at));
  }
  return made;
}

double real_number(const Node& node) {
  if (node.json().is_number()) return node.json().get<double>();
  if (!node.json().is_string()) node.fail("a number, or \"nan\", \"inf\" or \"-inf\", is expected");
  const std::string word = node.word();
  if (word == "nan") return NAN;
  if (word != "inf" && word != "-inf") node.fail("a text is \"nan\", \"inf\" or \"-inf\"");
  return word == "inf" ? INFINITY : -INFINITY;
}

std::variant<Array, Arg> operand_of(const Node& node) {
  const manifest::Json& json = node.json();
  if (json.is_boolean()) return Arg(json.get<bool>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return Arg(json.get<std::uint64_t>());
  if (json.is_number_integer()) return Arg(json.get<std::int64_t>());
  if (!json.is_object()) return Arg(real_number(node));
  if (node.has("real")) {
    node.check_members({"real", "imag"});
    return Arg(std::complex<double>(real_number(node.at("real")), real_number(node.at("imag"))));
  }
  if (node.has("file")) {
    node.check_members({"file", "array"});
    const std::string file = node.at("file").word();
    return node.has("array") ? load_npz(file, node.at("array").word()) : load_npy(file);
  }
  node.check_members({"dtype", "shape"});
  const DType dtype = node.locate([&] { return dtype_from_name(node.at("dtype").word()); });
  Shape shape;
  for (const Node& extent : node.at("shape").list()) shape.push_back(extent.integer(1, INT64_MAX));
  return made_up(dtype, shape);
}

Ufunc tuned_function(const Node& request, const Cache& cache) {
  if (request.has("function") == request.has("definition")) request.fail("give \"function\", or \"definition\"");
  if (request.has("function")) {
    const Ufunc* const found = math::find(request.at("function").word());
    if (found == nullptr) request.at("function").fail("no function of kiln::math has this name");
    return *found;
  }
  const Node given = request.at("definition");
  const std::string text = given.json().is_string() ? given.json().get<std::string>() : given.json().dump();
  const AnyFunction made = in_cache(define(text), cache);
  const Ufunc* const ufunc = std::get_if<Ufunc>(&made);
  if (ufunc == nullptr) given.fail("only a ufunc has launch shapes to measure");
  return *ufunc;
}

Device device_to_tune(const Node& request) {
  if (const auto wanted = request.find("device")) return Device::from_string(wanted->word());
  const Device best = Device::best();
  if (!best.is_cpu() || Device::all().size() > 1) return best;
  std::string why;
  const Json reasons = unavailable();
  for (const auto& [vendor, reason] : reasons.items())
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", vendor, reason.get<std::string>());
  throw DeviceError("no device to tune on: " + why);
}

Json tune(const Node& request, const Cache& cache) {
  const Ufunc f = tuned_function(request, cache);
  const std::vector<Node> given = request.at("operands").list();
  if (std::cmp_not_equal(given.size(), f.nin()))
    request.at("operands")
        .fail(fmt::format("\"{}\" takes {} operand{}, {} given", f.name(), f.nin(), f.nin() == 1 ? "" : "s", given.size()));
  const Device device = device_to_tune(request);
  std::vector<Arg> args;
  bool any_array = false;
  for (const Node& each : given) {
    std::variant<Array, Arg> operand = operand_of(each);
    if (auto* const array = std::get_if<Array>(&operand)) {
      args.emplace_back(to_device(*array, device));
      any_array = true;
    } else {
      args.push_back(std::get<Arg>(std::move(operand)));
    }
  }
  if (!any_array) request.at("operands").fail("numbers alone have no size to tune for");
  return to_json(kiln::tune(f, args), f.name());
}

constexpr Command kKernelCommands[] = {{"inspect", {"id", "manifest", "targets", "kernel", "form"}, inspect},
                                       {"tune", {"function", "definition", "operands", "device"}, tune}};

}  // namespace

std::span<const Command> kernel_commands() noexcept {
  return kKernelCommands;
}

}  // namespace kiln::command
