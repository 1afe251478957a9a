#include "kernel/source.hpp"

#include <algorithm>
#include <string>

#include "kernel/header_names.hpp"
#include "kernel/integer_divisions.hpp"
#include "kernel/kernel_text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// The texts as the compiler sees them: lines and columns of faults are theirs.
std::shared_ptr<const backend::FaultTexts> fault_texts(const UserText& text, const Source& source,
                                                       const IntegerDivisions& divisions) {
  auto made = std::make_shared<backend::FaultTexts>();
  made->kernel = text.name;
  made->arguments = text.input_names;
  made->arguments.insert(made->arguments.end(), text.output_names.begin(), text.output_names.end());
  for (const auto& [file, content] : source.texts) made->texts.emplace(file, divisions.defined(file, content));
  for (const auto& [name, content] : source.headers) {
    if (!codegen::embedded_headers().contains(name)) made->texts.emplace(name, content);
  }
  return made;
}

}  // namespace

Source make_source(const SourceRequest& request) {
  const UserText& text = request.text;
  Source source{.name = text.name,
                .kind = request.kind,
                .signature = request.signature,
                .variant = request.spec->variant_text(request.target) + (text.debug.any() ? ", debug" : ""),
                .body = text.body,
                .target = request.target,
                .texts = codegen::texts_of(text),
                .defines = text.defines,
                .unnamed_parameters = !text.input_names.empty() && std::ranges::all_of(text.input_names, &std::string::empty),
                .operands = text.operands};
  if (text.stages) source.body = "map: " + text.stages->map + "\nreduce: " + text.body + "\npost: " + text.stages->post;
  const IntegerDivisions divisions(text);
  source.headers = codegen::resolve_includes(source.texts, request.headers, request.include_dirs);
  const std::vector<std::string> needed = needed_headers(text, request.spec, request.target, divisions, source.headers);
  source.text = render(text, request.spec, request.target, needed, divisions, source.headers);
  if (!divisions.empty()) source.as_written = render(text, request.spec, request.target, needed, {}, source.headers);
  // What the rendered unit includes is what the user's texts do, and what it needs itself.
  source.headers.merge(codegen::resolve_includes({}, request.headers, request.include_dirs, needed));
  if (std::map<std::string, std::string> headers = source.headers; !source.as_written.empty()) {
    rename_headers(source.as_written, headers);
  }
  rename_headers(source.text, source.headers);
  if (text.debug.any() || codegen::reports_status(text)) source.fault_texts = fault_texts(text, source, divisions);
  return source;
}

}  // namespace kiln::kinds
