// Ufunc::device_code(): the body as a function for others to link.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/compiler.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "program/builder.hpp"
#include "signature/reserved.hpp"
#include "source/needed_headers.hpp"
#include "types/each_dtype.hpp"
#include "ufunc/impl.hpp"

namespace kiln {
namespace {

ufunc::Loop chosen_loop(const detail::UfuncImpl& ufunc, const std::string& signature) {
  if (signature.empty()) {
    std::vector<ufunc::Loop> loops = ufunc::fixed_loops(ufunc.signatures());
    if (loops.size() == 1) return std::move(loops.front());
    throw TypeError(
        fmt::format("{}: a device function is one loop: give .signature, as \"float32, float32 -> float32\"; its loops are {}",
                    ufunc.name(), ufunc::texts_of(ufunc.signatures())));
  }
  const std::vector<DType> dtypes = ufunc::parse_loop(signature, ufunc.nin(), ufunc.nout());
  if (ufunc.source() != nullptr) {
    std::vector<ufunc::Argument> arguments;
    for (std::size_t k = 0; k < ufunc.nin(); ++k) arguments.push_back({dtypes[k]});
    ufunc::Loop loop = ufunc.choose({.name = ufunc.name(), .signatures = ufunc.signatures(), .arguments = arguments});
    if (std::equal(loop.outputs.begin(), loop.outputs.end(), dtypes.begin() + static_cast<std::ptrdiff_t>(ufunc.nin())))
      return loop;
  } else if (auto loop = ufunc::find_loop(ufunc.signatures(), dtypes)) {
    return *std::move(loop);
  }
  throw TypeError(
      fmt::format("{} has no loop {}: its loops are {}", ufunc.name(), signature, ufunc::texts_of(ufunc.signatures())));
}

/// The C++ type of <cstdint> that a function of the loop has.
std::string host_type(DType dtype) {
  if (dtype == DType::float32) return "float";
  if (dtype == DType::float64) return "double";
  return dtype == DType::bool_ ? "bool" : std::string(name(dtype)) + "_t";
}

std::string declaration_of(const std::string& function, const ufunc::Loop& loop, DeviceAbi abi) {
  const bool returns = loop.outputs.size() == 1 && abi == DeviceAbi::c;
  std::string parameters;
  const auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
  for (std::size_t k = 0; k < loop.outputs.size() && !returns; ++k) add(host_type(loop.outputs[k]) + "*");
  for (const DType dtype : loop.inputs) add(host_type(dtype));
  const std::string result = returns ? host_type(loop.outputs[0]) : abi == DeviceAbi::numba ? "int32_t" : "void";
  return "extern \"C\" " + result + " " + function + "(" + parameters + ");";
}

/// Whether it is, or may become, a function of <math.h>: "log10", "log10f".
bool is_of_c(std::string_view name) {
  if (codegen::is_function(name)) return true;
  if (name.empty() || (name.back() != 'f' && name.back() != 'l')) return false;
  name.remove_suffix(1);
  return codegen::is_function(name);
}

void require_exportable(const detail::UfuncImpl& ufunc, const ufunc::Loop& loop, DeviceAbi abi) {
  for (const auto* dtypes : {&loop.inputs, &loop.outputs}) {
    const auto odd = std::find_if(dtypes->begin(), dtypes->end(), [](DType dtype) {
      return is_half(dtype) || dtype == DType::complex64 || dtype == DType::complex128;
    });
    if (odd == dtypes->end()) continue;
    throw TypeError(
        fmt::format("{}: {} is no device function: compilers pass {} in different ways", ufunc.name(), loop.text, name(*odd)));
  }
  if (codegen::reports_status(ufunc.text_of(loop))) {
    throw TypeError(ufunc.name() +
                    ": a device function has no call that a status could fail: declare what it calls with DeviceAbi::c");
  }
  if (abi == DeviceAbi::numba && loop.outputs.size() != 1) {
    throw TypeError(fmt::format("{} has {} results, and a function of Numba's convention has one: leave .abi out", ufunc.name(),
                                loop.outputs.size()));
  }
}

}  // namespace

DeviceCode Ufunc::device_code(std::string_view target, const DeviceCodeOptions& options) const {
  const detail::UfuncImpl& ufunc = *impl_;
  ufunc.check_of_elements(".device_code");
  const std::string function = options.name.empty() ? ufunc.name() : options.name;
  if (!signature::is_identifier(function) || signature::why_reserved(function) != nullptr) {
    throw SignatureError("\"" + function + "\" cannot be the name of a device function: it has to be a C++ identifier",
                         function, 0);
  }
  if (is_of_c(function)) {
    throw TypeError(fmt::format("{}: \"{}\" is a function of the C library's, which its body may call: give another .name",
                                ufunc.name(), function));
  }
  const ufunc::Loop loop = chosen_loop(ufunc, options.signature);
  require_exportable(ufunc, loop, options.abi);
  const auto compiler = backend::compiler_for(target);
  kinds::ElementwiseSpec spec = ufunc::specialize(loop, ufunc::dtypes_of(loop), {}, compiler->kind());
  spec.function = function;
  spec.returns_status = options.abi == DeviceAbi::numba;
  const program::Request request = ufunc.request(loop, spec, compiler->kind());
  const DeviceCodeForm form = options.form == DeviceCodeForm::automatic ? compiler->usual_form() : options.form;
  return {.name = function,
          .declaration = declaration_of(function, loop, options.abi),
          .form = form,
          .target = compiler->short_target(),
          .bytes = program::device_code(request, *compiler, form)};
}

}  // namespace kiln
