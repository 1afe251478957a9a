#include "inspect/rebuild.hpp"

#include "cache/key.hpp"
#include "kernel/header_names.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "kiln/version.hpp"
#include "program/job.hpp"

namespace kiln::inspect {
namespace {

[[noreturn]] void refuse(const cache::Contents& kernel, const std::string& why) {
  throw CacheError("cannot compile \"" + kernel.entry.kernel + "\" for " + kernel.entry.target + " again: " + why);
}

/// "NVRTC 13.0" of "NVRTC 13.0+65be0db342ad".
std::string without_build(const std::string& compiler) {
  return compiler.substr(0, compiler.find('+'));
}

}  // namespace

Rebuild rebuild_of(const cache::Contents& kernel) {
  const auto key = cache::parse_key(kernel.key);
  if (!key) refuse(kernel, "the key of its entry cannot be read");
  if (key->kiln_version != KILN_VERSION || key->templates != program::templates_digest()) {
    refuse(kernel, "its entry was made by another kiln (" + key->kiln_version +
                       (key->kiln_version == KILN_VERSION ? " with other device headers" : "; this is " KILN_VERSION) +
                       "); run it with this one, and inspect the entry that this makes");
  }
  if (!key->link.empty()) refuse(kernel, "it is linked with files, of which its key has digests alone");
  Rebuild rebuild;
  rebuild.compiler = backend::compiler_of_key(key->target, key->compiler);
  backend::CompileRequest& request = rebuild.request;
  request.name = kernel.entry.kernel;
  request.context = kernel.entry.signature;
  request.source = key->source;
  std::string missing;
  auto headers = codegen::included_texts(kernel.entry.kernel, key->source, key->headers, &missing);
  if (!headers) refuse(kernel, "its source includes \"" + missing + "\", which the key of its entry does not hold");
  request.headers = *std::move(headers);
  // An entry may be anyone's, with whatever names.
  kinds::rename_headers(request.source, request.headers);
  request.arithmetic = key->arithmetic;
  request.debug = key->debug;
  const std::string compiler = rebuild.compiler->name() + " " + rebuild.compiler->version();
  if (compiler != key->compiler) {
    const std::string ours = without_build(compiler);
    const std::string theirs = without_build(key->compiler);
    rebuild.other_compiler =
        ours != theirs ? ours + ", not the entry's " + theirs : compiler + ", not the entry's " + key->compiler;
  } else if (rebuild.compiler->options(request) != key->options) {
    refuse(kernel, "its entry was made with other options than this kiln's");
  }
  return rebuild;
}

}  // namespace kiln::inspect
