// The user's text and a spec to one translation unit.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel/integer_divisions.hpp"
#include "kernel/kernel_text.hpp"
#include "kernel/own_text.hpp"
#include "kernel/spec.hpp"
#include "source/directives.hpp"
#include "source/needed_headers.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

class Renderer {
 public:
  Renderer(const UserText& text, const KernelSpec& spec, DeviceKind target, const IntegerDivisions& divisions,
           const std::map<std::string, std::string>& included)
      : text_(text),
        spec_(spec),
        target_(target),
        divisions_(divisions),
        own_(text, included),
        frame_(spec->frame(text, target)) {
    if (spec->exported_function().empty()) return;
    own_namespace_ = fmt::format("inline namespace of_{} {{\n", spec->exported_function());
  }

  std::string source(const std::vector<std::string>& headers) {
    if (text_.debug.any()) {
      out_ += fmt::format("#define KILN_DEBUG 1\n#define KILN_DEBUG_ITEMS {}\n", spec_->goes_by_items() ? 1 : 0);
    }
    const bool cupy = text_.cupy || (text_.stages && text_.stages->cupy);
    if (cupy && std::ranges::find(headers, "kiln/core/half.hpp") != headers.end()) out_ += "#define KILN_HALVES_OF_CUPY 1\n";
    for (const std::string& header : headers) {
      out_ += fmt::format("#include \"{}\"\n", header);
    }
    out_ += frame_.before;
    user_code();
    out_ += "namespace kiln {\n" + (text_.stages ? std::string() : frame_.after) + "namespace loops {\n";
    out_ += spec_->text(text_, target_);
    out_ += "}\n}\n";
    if (text_.debug.any()) out_ += "KILN_UNCHECKED_END\n";
    return std::move(out_);
  }

 private:
  // The user's text stands under its own name with its own line numbers; behind it the unit's own numbers go on.
  void user_text(const std::string& file, const std::string& text) {
    out_ += fmt::format("#line 1 {}\n{}\n", string_literal(file), divisions_.defined(file, text));
    std::size_t line = 2;  // of the line behind the directive that is about to be written
    for (const char c : out_) {
      line += c == '\n' ? 1 : 0;
    }
    out_ += fmt::format("#line {} \"kiln/kernel.cpp\"\n", line);
  }

  [[nodiscard]] bool returns() const { return text_.output_names.empty(); }

  // The function that has the user's body.
  void function(const std::string& declaration) {
    out_ += declaration;
    if (text_.cupy) return cupy_loop(*text_.cupy);
    // What the end of the body lacks (a return, an operand) is reported at what closes it: that belongs to the user's text,
    // too.
    user_text(text_.name, text_.body + (text_.expression ? "\n;}" : "\n}"));
    out_ += frame_.closing;
  }

  // For one element: what it begins with is computed once where it depends on none.
  void cupy_loop(const codegen::CupyLoop& loop) {
    if (!loop.loop_prep.empty()) user_text(text_.name + ".loop_prep", loop.loop_prep + "\n;");
    out_ += "do {\n";
    user_text(text_.name, text_.body + "\n;}");
    out_ += "while (false);\n";
    if (!loop.after_loop.empty()) user_text(text_.name + ".after_loop", loop.after_loop + "\n;");
    out_ += "}\n" + frame_.closing;
  }

  [[nodiscard]] std::string declaration() const {
    std::string text = frame_.declaration + " {\n";
    if (text_.expression) text += returns() ? "return\n" : text_.output_names[0] + " =\n";
    return text;
  }

  void user_code() {
    // What stands between the texts, first: aliases in front of them say what it means.
    std::vector<StageText> stages;
    std::string declaration_text;
    if (text_.stages) {
      stages = spec_->stages(text_);
      for (StageText& stage : stages) stage.before = own_.between(stage.before, places_of_stages());
    } else {
      declaration_text = own_.between(declaration(), frame_.places);
    }
    // Inside a namespace of kiln's own: its names need no qualification, and a parameter or function of the user's hides them.
    if (text_.debug.any()) out_ += "KILN_UNCHECKED_END\n";
    out_ += own_.before() + "KILN_USER_BEGIN\nnamespace kiln::user {\n" + own_namespace_ +
            (adds_to_std() ? "namespace std { using namespace ::kiln; }\n" : "namespace std = ::kiln;\n") + own_.aliases();
    for (const auto& [variable, dtype] : text_.type_variables) {
      out_ += fmt::format("using {} = ::kiln::{};\n", variable, type_name(dtype));
    }
    // Behind kiln's headers, which use ordinary names.
    if (!text_.defines.empty()) {
      user_text(text_.name + ".defines", codegen::defines_text(text_.defines));
    }
    if (!text_.preamble.empty()) {
      user_text(text_.name + ".preamble", text_.preamble);
    }
    if (!text_.functions.empty() && !text_.stages) {
      user_text(text_.name + ".functions", text_.functions);
    }
    if (text_.stages) {
      for (const StageText& stage : stages) {
        out_ += stage.before;
        if (!stage.file.empty()) user_text(stage.file, stage.text);
      }
    } else {
      function(declaration_text);
      if (!text_.identity.empty()) {
        out_ += "KILN_FN auto kiln_identity() {\nreturn\n";
        user_text(text_.name + ".identity", text_.identity + "\n;}");
      }
    }
    out_ += (own_namespace_.empty() ? "" : "}\n") + std::string("}\n") + own_.behind() + "KILN_USER_END\n";
    if (text_.debug.any()) out_ += "KILN_UNCHECKED_BEGIN\n";
  }

  /// Whether a text may have "namespace std { … }", to which an alias is none.
  [[nodiscard]] bool adds_to_std() const {
    return text_.functions.find("namespace std") != std::string::npos ||
           text_.preamble.find("namespace std") != std::string::npos;
  }

  /// The accumulators and their type, and the index of a map; not where those are the user's names.
  [[nodiscard]] std::vector<std::string_view> places_of_stages() const {
    std::vector<std::string_view> places{"a", "b", "i", "accumulator"};
    for (const auto* names : {&text_.input_names, &text_.output_names}) {
      for (const std::string& name : *names) std::erase(places, name);
    }
    return places;
  }

  const UserText& text_;
  const KernelSpec& spec_;
  DeviceKind target_;
  const IntegerDivisions& divisions_;
  OwnText own_;
  const Frame frame_;
  std::string own_namespace_;  // of what others link, whose own texts may have functions of the same names
  std::string out_;
};

}  // namespace

std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target) {
  const IntegerDivisions divisions(text);
  return render(text, spec, target, needed_headers(text, spec, target, divisions), divisions, {});
}

std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target, const std::vector<std::string>& headers,
                   const IntegerDivisions& divisions) {
  return render(text, spec, target, headers, divisions, {});
}

std::string render(const UserText& text, const KernelSpec& spec, DeviceKind target, const std::vector<std::string>& headers,
                   const IntegerDivisions& divisions, const std::map<std::string, std::string>& included) {
  return Renderer(text, spec, target, divisions, included).source(headers);
}

std::vector<std::string> needed_headers(const UserText& text, const KernelSpec& spec, DeviceKind target,
                                        const IntegerDivisions& divisions, const std::map<std::string, std::string>& included) {
  const Operation operation = spec->operation();
  std::vector<DType> dtypes = spec->storage();
  dtypes.insert(dtypes.end(), operation.inputs.begin(), operation.inputs.end());
  dtypes.insert(dtypes.end(), operation.outputs.begin(), operation.outputs.end());
  std::vector<std::string> headers = codegen::needed_headers(text, dtypes, !divisions.empty(), included);
  // Behind the integers.
  if (text.debug.any()) {
    headers.insert(headers.begin() + 1, target == DeviceKind::cpu ? "kiln/core/checks_cpu.hpp" : "kiln/core/checks_gpu.hpp");
  }
  if (divisions.assign()) headers.emplace_back("kiln/core/division_assignment.hpp");
  if (text.cupy) headers.emplace_back("kiln/elementwise/cupy.hpp");
  headers.push_back(spec->header(target));
  headers.insert(headers.end(), text.headers.begin(), text.headers.end());
  return headers;
}

}  // namespace kiln::kinds
