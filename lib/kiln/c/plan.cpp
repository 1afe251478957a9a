// Plans of calls, and the kernels that calls would run.
#include <fmt/format.h>

#include "c/argument_error.hpp"
#include "c/call.hpp"
#include "c/guard.hpp"
#include "c/text.hpp"
#include "command/json.hpp"
#include "kiln/inspect.hpp"

namespace kiln::c {

using command::Json;
using command::text_of;
using command::to_json;

namespace {

[[noreturn]] void fail_plan(const char* what) {
  throw ArgumentError(fmt::format("function: {} has no plan", what), "function");
}

void refuse_methods(const Options& options) {
  if (options.raw().method != KILN_CALL) throw ArgumentError("method: a plan is that of KILN_CALL", "method");
}

/// Calls `use` with the function, its arguments and its options.
template <class Use>
auto with_call(const kiln_function& function, const Call& call, const Options& options, const Use& use) {
  refuse_methods(options);
  Operands operands = operands_of(call, options);
  return std::visit(
      [&](const auto& f) {
        using F = std::remove_cvref_t<decltype(f)>;
        if constexpr (std::is_same_v<F, Ufunc>) {
          return use(f, operands.inputs(), ufunc_options(f, operands, options));
        } else if constexpr (std::is_same_v<F, Gufunc>) {
          return use(f, operands.inputs(), gufunc_options(f, operands, options));
        } else if constexpr (std::is_same_v<F, Reduction>) {
          return use(f, operands.inputs(), reduction_options(f, operands, options));
        } else if constexpr (std::is_same_v<F, RawKernel>) {
          return use(f, operands.inputs(), launch_options(f, options));
        } else {
          fail_plan("a transform");
          return use(Ufunc(), operands.inputs(), CallOptions());
        }
      },
      function.function);
}

Json plan_of(const kiln_function& function, const Call& call, const Options& options) {
  return with_call(function, call, options, [](const auto& f, std::span<const Arg> args, const auto& given) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(f)>, RawKernel>) {
      return to_json(f.resolve(given, args));
    } else {
      return to_json(f.resolve_call(args, &given));
    }
  });
}

cache::Contents kernel_of(const kiln_function& function, const Call& call, const Options& options) {
  return with_call(function, call, options, [](const auto& f, std::span<const Arg> args, const auto& given) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(f)>, RawKernel>) {
      return f.compiled(given, args);
    } else {
      return f.compiled_call(args, &given);
    }
  });
}

std::string kernel_text(const cache::Contents& kernel, const std::string& form) {
  if (form == "code") return kernel.code;
  if (form == "resources") return text_of(to_json(inspect::resources(kernel)));
  if (form == "entry") return text_of(to_json(kernel.entry));
  const auto parsed = inspect::parse_form(form);
  if (!parsed) {
    throw ArgumentError(fmt::format("form: \"{}\" is unknown; the forms are source, ptx, sass, amdgcn, asm, llvm-ir, code, "
                                    "resources and entry",
                                    form),
                        "form");
  }
  return inspect::text(kernel, *parsed);
}

}  // namespace
}  // namespace kiln::c

using namespace kiln::c;

kiln_status kiln_resolve(kiln_text** json, const kiln_function* function, const kiln_arg* outputs, size_t nout,
                         const kiln_arg* inputs, size_t nin, const kiln_call_options* options, kiln_error** error) noexcept {
  return guarded(error, json, [&] {
    kiln_text*& made = output(json, "json");
    const Options given(options);
    const kiln_function& f = function_of(function, given);
    made = make<kiln_text>(text_of(plan_of(f, {const_cast<kiln_arg*>(outputs), nout, inputs, nin}, given)));
  });
}

kiln_status kiln_inspect(kiln_text** text, const char* form, const kiln_function* function, const kiln_arg* outputs,
                         size_t nout, const kiln_arg* inputs, size_t nin, const kiln_call_options* options,
                         kiln_error** error) noexcept {
  return guarded(error, text, [&] {
    kiln_text*& made = output(text, "text");
    const std::string wanted = string_of(form, "form");
    const Options given(options);
    const kiln_function& f = function_of(function, given);
    made = make<kiln_text>(kernel_text(kernel_of(f, {const_cast<kiln_arg*>(outputs), nout, inputs, nin}, given), wanted));
  });
}
