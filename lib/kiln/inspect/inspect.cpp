// kiln::inspect: what the machine code says by itself, and what takes another compile.
#include "kiln/inspect.hpp"

#include <algorithm>

#include "cache/key.hpp"
#include "compiler/inspector.hpp"
#include "inspect/form.hpp"
#include "inspect/rebuild.hpp"
#include "kiln/error.hpp"

namespace kiln::inspect {
namespace {

/// The target in full stands in the key alone.
std::string target_of(const cache::Contents& kernel) {
  const auto key = cache::parse_key(kernel.key);
  return key ? key->target : kernel.entry.target;
}

backend::StoredCode stored(const cache::Contents& kernel, const std::string& target) {
  return {.name = kernel.entry.kernel,
          .target = target,
          .by_clang = kernel.entry.compiler.starts_with("Clang"),
          .bytes = kernel.code};
}

/// In the comment of the form: both have lines that are comments.
std::string remark(Form form, const Rebuild& rebuild) {
  if (rebuild.other_compiler.empty()) return {};
  return (form == Form::ptx ? "// compiled again with " : "; compiled again with ") + rebuild.other_compiler + "\n";
}

}  // namespace

std::string text(const cache::Contents& kernel, Form form) {
  if (form == Form::source) return kernel.source;
  const std::string target = target_of(kernel);
  const backend::StoredCode code = stored(kernel, target);
  const backend::Inspector& inspector = backend::inspector_for(target);
  const std::vector<Form> forms = inspector.forms(code);
  if (std::find(forms.begin(), forms.end(), form) == forms.end()) {
    throw TypeError("there is no " + std::string(name(form)) + " of \"" + kernel.entry.kernel + "\" for " +
                    std::string(backend::short_name(target)) + ": its forms are " + listed(forms));
  }
  if (std::optional<std::string> known = inspector.text(code, form)) return *std::move(known);
  const Rebuild rebuild = rebuild_of(kernel);
  return remark(form, rebuild) + rebuild.compiler->emit(rebuild.request, form);
}

Resources resources(const cache::Contents& kernel) {
  const std::string target = target_of(kernel);
  Resources found = backend::inspector_for(target).resources(stored(kernel, target));
  const CompileReport& report = kernel.report;
  if (!found.spills) found.spills = report.spills;
  if (!found.local_bytes) found.local_bytes = report.local_bytes;
  found.vector_bits = report.vector_bits;
  found.scalar_because = report.scalar_because;
  return found;
}

}  // namespace kiln::inspect
