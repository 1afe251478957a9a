#include "kinds/source.hpp"

#include "kinds/header_names.hpp"
#include "kinds/integer_divisions.hpp"
#include "kinds/kernel_text.hpp"
#include "kinds/variant_text.hpp"

namespace kiln::kinds {

using codegen::UserText;

Source make_source(const SourceRequest& request) {
  const UserText& text = request.text;
  Source source{.name = text.name,
                .kind = request.kind,
                .signature = request.signature,
                .variant = variant_text(request.spec, request.target),
                .body = text.body,
                .target = request.target,
                .texts = codegen::texts_of(text),
                .defines = text.defines};
  if (text.stages) source.body = "map: " + text.stages->map + "\nreduce: " + text.body + "\npost: " + text.stages->post;
  const IntegerDivisions divisions(text, request.spec);
  const std::vector<std::string> needed = needed_headers(text, request.spec, request.target, divisions);
  source.text = render(text, request.spec, request.target, needed, divisions);
  if (!divisions.empty()) source.as_written = render(text, request.spec, request.target, needed, {});
  // What the rendered unit includes is what the user's texts do, and what it needs itself.
  source.headers = codegen::resolve_includes(source.texts, request.headers, request.include_dirs, needed);
  if (std::map<std::string, std::string> headers = source.headers; !source.as_written.empty()) {
    rename_headers(source.as_written, headers);
  }
  rename_headers(source.text, source.headers);
  return source;
}

}  // namespace kiln::kinds
