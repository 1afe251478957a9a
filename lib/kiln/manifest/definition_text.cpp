// The public functions between functions and the texts of their definitions.
#include "gufunc/impl.hpp"
#include "kiln/definition.hpp"
#include "kiln/error.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"
#include "manifest/reduction_entry.hpp"
#include "raw/impl.hpp"
#include "reduce/impl.hpp"
#include "ufunc/impl.hpp"

namespace kiln {
namespace {

template <class Definition>
manifest::Json json_of(const Definition& definition) {
  if (definition.compile.cache.impl() != nullptr) {
    throw TypeError(definition.name + " has no text: its .compile.cache is a handle; leave it out of the definition");
  }
  try {
    return manifest::definition_json(definition);
  } catch (const TypeError& error) {
    throw TypeError(definition.name + " has no text: " + error.what());
  }
}

/// Fails where loops are made for the dtypes of a call.
void check_signatures(const detail::UfuncImpl& loops, const char* what) {
  if (loops.source() == nullptr) return;
  throw TypeError(loops.name() + " has no text: it is " + what +
                  ", and its loops depend on the dtypes of a call; take the texts of its ufuncs, or record its calls");
}

std::string text_of(const manifest::Json& json) {
  return json.dump(2) + "\n";
}

}  // namespace

std::string definition_text(const Ufunc& function) {
  check_signatures(*function.impl(), "a ufunc of fuse()");
  if (const auto* const cupy = function.impl()->cupy()) return text_of(json_of(*cupy));
  return text_of(json_of(function.impl()->definition()));
}

std::string definition_text(const Gufunc& function) {
  return text_of(json_of(function.impl()->definition()));
}

std::string definition_text(const Reduction& function) {
  const detail::ReductionImpl& impl = *function.impl();
  check_signatures(impl.loops(), "a reduction of two ufuncs");
  if (impl.cupy() != nullptr) return text_of(json_of(*impl.cupy()));
  return text_of(manifest::with_prepended_identity(json_of(impl.definition_of({})), impl.prepends_identity()));
}

std::string definition_text(const RawKernel& function) {
  const raw::KernelSource& source = function.impl()->source();
  if (source.definition != nullptr) {
    raw::CudaDefinition of_one = *source.definition;
    of_one.name = source.expression;
    of_one.name_expressions.clear();
    return text_of(json_of(of_one));
  }
  return text_of(json_of(function.impl()->definition()));
}

AnyFunction define(std::string_view text, const std::string& name) {
  const manifest::Json json = manifest::parse_json(text, name);
  const manifest::Node node(json, name);
  return manifest::kind_of(node).define(node);
}

}  // namespace kiln
