// A manifest that parses has one canonical text, which parses to the same kernels; every error names the file and is a
// CacheError.
#include "kiln/error.hpp"
#include "manifest/document.hpp"
#include "targets.hpp"

namespace kiln::fuzz {
namespace {

const std::string kName = "m.json";

std::vector<manifest::Json> kernels_of(std::string_view text) {
  std::vector<manifest::Json> kernels;
  for (const manifest::Entry& entry : manifest::parse_document(text, kName, "/nowhere")) {
    require(entry.json.is_object(), "a kernel is an object");
    for (const manifest::Unit& unit : entry.units) {
      require(!unit.kernel.empty() && !unit.signature.empty(), "what is compiled has a name and a signature");
      require(unit.where.starts_with("/kernels/"), "what is compiled has its place in the manifest");
    }
    kernels.push_back(entry.json);
  }
  return kernels;
}

}  // namespace

void manifest(std::string_view bytes) {
  std::vector<manifest::Json> kernels;
  try {
    kernels = kernels_of(bytes);
  } catch (const CacheError& error) {
    return require(std::string_view(error.what()).starts_with(kName + ":"), "an error names the file");
  }
  // Outside the try block: what was printed must parse.
  const std::string text = manifest::document_text(kernels);
  const std::vector<manifest::Json> again = kernels_of(text);
  require(again.size() == kernels.size(), "a printed manifest has the same number of kernels");
  require(manifest::document_text(again) == text, "a printed manifest prints as the same");
  manifest::KernelSet set;
  for (const manifest::Json& kernel : kernels) set.add(kernel);
  for (const manifest::Json& kernel : kernels) require(!set.add(kernel), "a kernel that was added is there");
  const std::string united = manifest::document_text(set.kernels());
  require(manifest::document_text(kernels_of(united)) == united, "a union prints as what parses to the same");
}

}  // namespace kiln::fuzz
