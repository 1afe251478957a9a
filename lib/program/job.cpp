// From a request to a job: render, resolve includes, make the key.
#include "program/job.hpp"

#include <gnu/libc-version.h>

#include <atomic>

#include "cache/key.hpp"
#include "codegen/header_names.hpp"
#include "codegen/integer_divisions.hpp"
#include "codegen/needed_headers.hpp"
#include "codegen/variant_text.hpp"
#include "kiln/version.hpp"

namespace kiln::program {
namespace {

// Each name and text with its length before it, so that no two sets of headers run together to the same bytes.
std::string digest_of_templates() {
  std::string all;
  for (const auto& [name, text] : codegen::embedded_headers()) {
    for (const std::string* part : {&name, &text}) {
      all += std::to_string(part->size());
      all += ':';
      all += *part;
    }
  }
  return cache::digest(all);
}

// The digest of the templates covers the embedded headers: leaving them out keeps keys small. One that the user's own file
// replaces under the same name stays in.
std::map<std::string, std::string> without_embedded(const std::map<std::string, std::string>& headers) {
  const auto& embedded = codegen::embedded_headers();
  std::map<std::string, std::string> others;
  for (const auto& [name, text] : headers) {
    const auto known = embedded.find(name);
    if (known == embedded.end() || known->second != text) others.emplace(name, text);
  }
  return others;
}

}  // namespace

// Once per process. No function-local static: its guard could be held by another thread at a fork.
const std::string& templates_digest() {
  static constinit std::atomic<const std::string*> current{nullptr};
  const std::string* known = current.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto made = std::make_unique<const std::string>(digest_of_templates());
    if (current.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) known = made.release();
  }
  return *known;
}

Job make_job(const Request& request, const backend::Compiler& compiler) {
  const std::map<std::string, std::string> no_headers;
  const std::vector<std::string> no_directories;
  Job job;
  backend::CompileRequest& compile = job.compile;
  const codegen::UserText& text = *request.text;
  compile.name = text.name;
  compile.context = request.signature;
  const codegen::IntegerDivisions divisions(text, *request.spec);
  const std::vector<std::string> needed = codegen::needed_headers(text, *request.spec, compiler.kind(), divisions);
  compile.source = codegen::render(text, *request.spec, compiler.kind(), needed, divisions);
  if (!divisions.empty()) job.as_written = codegen::render(text, *request.spec, compiler.kind(), needed, {});
  // What the rendered unit includes is what the user's texts do, and what it needs itself.
  job.texts = codegen::texts_of(text);
  compile.headers = codegen::resolve_includes(job.texts, request.headers != nullptr ? *request.headers : no_headers,
                                              request.include_dirs != nullptr ? *request.include_dirs : no_directories, needed);
  if (std::map<std::string, std::string> headers = compile.headers; !job.as_written.empty()) {
    codegen::rename_headers(job.as_written, headers);
  }
  codegen::rename_headers(compile.source, compile.headers);
  compile.contract = request.contract;
  compile.fast_math = request.fast_math;

  const bool links_libmvec = compiler.kind() == DeviceKind::cpu;
  const cache::Key key{.kiln_version = KILN_VERSION,
                       .templates = templates_digest(),
                       .source = compile.source,
                       .headers = without_embedded(compile.headers),
                       .options = compiler.options(compile),
                       .defines = text.defines,
                       .contract = compile.contract,
                       .fast_math = compile.fast_math,
                       .target = compiler.target(),
                       .compiler = compiler.name() + " " + compiler.version(),
                       .runtime = links_libmvec ? std::string("glibc ") + gnu_get_libc_version() : std::string()};
  job.key = key.canonical();
  job.digest = cache::digest(job.key);
  job.body = text.body;
  job.kind = request.kind;
  job.variant = codegen::variant_text(*request.spec, compiler.kind());
  if (text.stages) job.body = "map: " + text.stages->map + "\nreduce: " + text.body + "\npost: " + text.stages->post;
  job.target = compiler.short_target();
  job.compiler = key.compiler;
  return job;
}

}  // namespace kiln::program
