// From a request to a job: the key.
#include "program/job.hpp"

#include <gnu/libc-version.h>

#include <atomic>
#include <utility>

#include "cache/key.hpp"
#include "kernel/spec.hpp"
#include "kiln/version.hpp"
#include "program/link_files.hpp"
#include "source/embedded.hpp"

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
  std::map<std::string, std::string> others;
  for (const auto& [name, text] : headers) {
    if (!codegen::is_embedded(name, text)) others.emplace(name, text);
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

Job make_job(const Request& request, const backend::Compiler& asked) {
  const kinds::Source& source = request.source;
  const backend::Compiler& usual = request.debug ? asked.for_debugging() : asked;
  std::vector<backend::LinkPart> link = files_for(request, usual);
  const backend::Compiler& compiler = link.empty() ? usual : usual.linking(link);
  Job job{.by = &compiler,
          .compile = {.name = source.name,
                      .context = source.signature,
                      .source = source.text,
                      .headers = source.headers,
                      .arithmetic = request.arithmetic,
                      .link = std::move(link),
                      .debug = request.debug,
                      .time_limit = request.time_limit},
          .as_written = source.as_written,
          .texts = source.texts,
          .unnamed_parameters = source.unnamed_parameters,
          .operands = source.operands,
          .fault_texts = source.fault_texts,
          .body = source.body,
          .kind = source.kind,
          .variant = source.variant,
          .target = compiler.short_target()};
  const bool links_libmvec = compiler.kind() == DeviceKind::cpu;
  const cache::Key key{.kiln_version = KILN_VERSION,
                       .templates = templates_digest(),
                       .source = source.text,
                       .headers = without_embedded(source.headers),
                       .options = compiler.options(job.compile),
                       .defines = source.defines,
                       .arithmetic = request.arithmetic,
                       .link = digests_of(job.compile.link),
                       .debug = request.debug,
                       .target = compiler.target(),
                       .compiler = compiler.name() + " " + compiler.version(),
                       .runtime = links_libmvec ? std::string("glibc ") + gnu_get_libc_version() : std::string()};
  job.key = key.canonical();
  job.digest = cache::digest(job.key);
  job.compiler = key.compiler;
  return job;
}

}  // namespace kiln::program
