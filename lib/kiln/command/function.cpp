#include "command/function.hpp"

#include "gufunc/impl.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "raw/impl.hpp"
#include "reduce/impl.hpp"
#include "ufunc/impl.hpp"

namespace kiln::command {
namespace {

template <class Definition>
Definition with_cache(Definition definition, const Cache& cache) {
  definition.compile.cache = cache;
  return definition;
}

struct InCache {
  const Cache& cache;
  AnyFunction operator()(const Ufunc& f) const {
    if (const auto* const cupy = f.impl()->cupy()) return cupy::elementwise(with_cache(*cupy, cache));
    return vectorize(with_cache(f.impl()->definition(), cache));
  }
  AnyFunction operator()(const Gufunc& f) const { return guvectorize(with_cache(f.impl()->definition(), cache)); }
  AnyFunction operator()(const Reduction& f) const { return reduction(with_cache(f.impl()->definition_of({}), cache)); }
  AnyFunction operator()(const RawKernel& f) const { return kernel(with_cache(f.impl()->definition(), cache)); }
};

}  // namespace

AnyFunction in_cache(const AnyFunction& function, const Cache& cache) {
  return std::visit(InCache{cache}, function);
}

}  // namespace kiln::command
