// The public class Manifest, but for compile().
#include "manifest/manifest.hpp"

#include <filesystem>
#include <utility>

#include "backend/compiler.hpp"
#include "base/file.hpp"
#include "kiln/manifest.hpp"
#include "manifest/document.hpp"
#include "manifest/work.hpp"

namespace kiln {

Manifest::Manifest(std::shared_ptr<const detail::ManifestImpl> impl) noexcept : impl_(std::move(impl)) {}

Manifest Manifest::read(const std::string& path) {
  base::FileError error;
  const std::optional<base::FileContents> file = base::read_file(path, {.limit = manifest::JsonLimits{}.bytes}, &error);
  if (!file) throw IoError("failed to read the manifest: " + error.text);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return Manifest(std::make_shared<detail::ManifestImpl>(manifest::parse_document(file->bytes, path, folder)));
}

Manifest Manifest::parse(std::string_view text, const std::string& name) {
  return Manifest(std::make_shared<detail::ManifestImpl>(manifest::parse_document(text, name, {})));
}

std::string Manifest::text() const {
  std::vector<manifest::Json> kernels;
  for (const manifest::Entry& entry : impl_->entries) kernels.push_back(entry.json);
  return manifest::document_text(std::move(kernels));
}

std::size_t Manifest::count(std::string_view target) const {
  const DeviceKind kind = backend::compiler_for(target)->kind();
  std::size_t count = 0;
  for (const manifest::Entry& entry : impl_->entries) {
    for (const manifest::Unit& unit : entry.units) {
      if (manifest::concerns(unit, kind)) ++count;
    }
  }
  return count;
}

std::vector<ManifestKernel> Manifest::kernels(std::string_view target) const {
  const auto compiler = backend::compiler_for(target);
  std::vector<ManifestKernel> kernels;
  for (const manifest::Entry& entry : impl_->entries) {
    for (const manifest::Unit& unit : entry.units) {
      if (!manifest::concerns(unit, compiler->kind())) continue;
      const program::Request request = unit.request(compiler->kind());
      kernels.push_back(manifest::describe(unit, std::string(target)));
      kernels.back().variant = request.source.variant;
      kernels.back().key = program::make_job(request, *compiler).key;
    }
  }
  return kernels;
}

}  // namespace kiln
