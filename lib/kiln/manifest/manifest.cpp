// The public class Manifest, but for compile().
#include "manifest/manifest.hpp"

#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "compiler/compiler.hpp"
#include "kiln/error.hpp"
#include "kiln/manifest.hpp"
#include "manifest/document.hpp"
#include "manifest/work.hpp"

namespace kiln {

Manifest::Manifest(std::shared_ptr<const detail::ManifestImpl> impl) noexcept : impl_(std::move(impl)) {}

std::shared_ptr<const detail::ManifestImpl> manifest::read_document(const std::string& path) {
  base::FileError error;
  const std::optional<base::FileContents> file = base::read_file(path, {.limit = JsonLimits{}.bytes}, &error);
  if (!file) throw IoError("failed to read the manifest: " + error.text);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return std::make_shared<detail::ManifestImpl>(parse_document(file->bytes, path, folder));
}

Manifest Manifest::read(const std::string& path) {
  return Manifest(manifest::read_document(path));
}

Manifest Manifest::parse(std::string_view text, const std::string& name) {
  return Manifest(std::make_shared<detail::ManifestImpl>(manifest::parse_document(text, name, {})));
}

std::string Manifest::text() const {
  std::vector<manifest::Json> kernels;
  for (const manifest::Entry& entry : impl_->entries) kernels.push_back(entry.json);
  return manifest::document_text(std::move(kernels));
}

std::size_t Manifest::count(std::string_view target, bool other_sizes) const {
  return manifest::work_of(impl_->entries, *backend::compiler_for(target), other_sizes).size();
}

std::vector<ManifestKernel> Manifest::kernels(std::string_view target, bool other_sizes) const {
  const auto compiler = backend::compiler_for(target);
  std::vector<ManifestKernel> kernels;
  for (const manifest::Work& work : manifest::work_of(impl_->entries, *compiler, other_sizes)) {
    const program::Request request = std::move(work.unit->requests(compiler->kind()).at(work.which));
    kernels.push_back(manifest::describe(*work.unit, std::string(target)));
    kernels.back().variant = request.source.variant;
    kernels.back().key = program::make_job(request, *compiler).key;
  }
  return kernels;
}

}  // namespace kiln
