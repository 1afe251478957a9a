#include "inspect/form.hpp"

#include <utility>

namespace kiln::inspect {
namespace {

constexpr std::pair<Form, std::string_view> kNames[] = {
    {Form::source, "source"}, {Form::ptx, "ptx"},      {Form::sass, "sass"},
    {Form::amdgcn, "amdgcn"}, {Form::assembly, "asm"}, {Form::llvm_ir, "llvm-ir"},
};

}  // namespace

std::optional<Form> parse_form(std::string_view text) noexcept {
  for (const auto& [form, known] : kNames) {
    if (known == text) return form;
  }
  return std::nullopt;
}

std::string_view name(Form form) noexcept {
  for (const auto& [known, text] : kNames) {
    if (known == form) return text;
  }
  return {};
}

std::string listed(const std::vector<Form>& forms) {
  std::string text;
  for (const Form form : forms) text += (text.empty() ? "" : ", ") + std::string(name(form));
  return text;
}

}  // namespace kiln::inspect
