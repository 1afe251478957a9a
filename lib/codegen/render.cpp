// The user's text and a spec to one translation unit.
#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "codegen/kernel_text.hpp"
#include "codegen/needed_headers.hpp"
#include "codegen/spec.hpp"

namespace kiln::codegen {
namespace {

class Renderer {
 public:
  Renderer(const UserText& text, const KernelSpec& spec, DeviceKind target)
      : text_(text),
        spec_(spec),
        operation_(std::visit([](const auto& kernel) { return operation_of(kernel); }, spec)),
        target_(target) {}

  std::string source(const std::vector<std::string>& headers) {
    for (const std::string& header : headers) {
      out_ += fmt::format("#include \"{}\"\n", header);
    }
    user_code();
    out_ += "namespace kiln {\n";
    if (!text_.stages) operation();
    out_ += "namespace loops {\n";
    out_ += std::visit([&](const auto& kernel) { return kernel_text(kernel, text_, target_); }, spec_);
    out_ += "}\n}\n";
    return std::move(out_);
  }

 private:
  // The user's text stands under its own name with its own line numbers; behind it the unit's own numbers go on.
  void user_text(const std::string& file, const std::string& text) {
    out_ += fmt::format("#line 1 {}\n{}\n", quoted(file), text);
    std::size_t line = 2;  // of the line behind the directive that is about to be written
    for (const char c : out_) {
      line += c == '\n' ? 1 : 0;
    }
    out_ += fmt::format("#line {} \"kiln/kernel.cpp\"\n", line);
  }

  [[nodiscard]] bool returns() const { return text_.output_names.empty(); }

  void user_code() {
    // Inside a namespace of kiln's own: its names need no qualification, and a parameter or function of the user's hides them.
    out_ += "KILN_USER_BEGIN\nnamespace kiln::user {\nnamespace std = ::kiln;\n";
    for (const auto& [variable, dtype] : text_.type_variables) {
      out_ += fmt::format("using {} = ::kiln::{};\n", variable, type_name(dtype));
    }
    if (!text_.preamble.empty()) {
      user_text(text_.name + ".preamble", text_.preamble);
    }
    if (!text_.functions.empty() && !text_.stages) {
      user_text(text_.name + ".functions", text_.functions);
    }
    if (text_.stages) {
      for (const Piece& piece : stages_of(text_, std::get<ReductionSpec>(spec_))) {
        out_ += piece.before;
        if (!piece.file.empty()) user_text(piece.file, piece.text);
      }
    } else {
      body();
    }
    out_ += "}\nKILN_USER_END\n";
  }

  void body() {
    out_ += body_declaration(text_, operation_) + " {\n";
    if (text_.expression) {
      out_ += returns() ? "return\n" : text_.output_names[0] + " =\n";
    }
    // What the end of the body lacks (a return, an operand) is reported at what closes it: that belongs to the user's text,
    // too.
    user_text(text_.name, text_.body + (text_.expression ? "\n;}" : "\n}"));
    if (!text_.identity.empty()) {
      out_ += "KILN_FN auto kiln_identity() {\nreturn\n";
      user_text(text_.name + ".identity", text_.identity + "\n;}");
    }
  }

  // The body with its outputs as references, whichever way it gives them.
  void operation() {
    std::string parameters;
    std::string arguments;
    for (std::size_t k = 0; k < operation_.outputs.size(); ++k) {
      parameters += fmt::format("{}{}& r{}", k == 0 ? "" : ", ", result_type(operation_, k), k);
      if (!returns()) {
        arguments += fmt::format("{}r{}", arguments.empty() ? "" : ", ", k);
      }
    }
    for (std::size_t k = 0; k < operation_.inputs.size(); ++k) {
      parameters += fmt::format(", {} a{}", body_type(operation_.inputs[k]), k);
      arguments += fmt::format("{}a{}", arguments.empty() ? "" : ", ", k);
    }
    out_ += fmt::format("KILN_FN void operation({}) {{ {}user::kiln_body({}); }}\n", parameters, returns() ? "r0 = " : "",
                        arguments);
  }

  const UserText& text_;
  const KernelSpec& spec_;
  const Operation operation_;
  DeviceKind target_;
  std::string out_;
};

}  // namespace

std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target) {
  return render(text, spec, target, needed_headers(text, spec, target));
}

std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target, const std::vector<std::string>& headers) {
  return Renderer(text, spec, target).source(headers);
}

}  // namespace kiln::codegen
