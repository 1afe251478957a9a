#include "program/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "kiln/device.hpp"
#include "kiln/error.hpp"
#include "program/cache_impl.hpp"
#include "registry/registry.hpp"

namespace kiln::program {

// As a file gives them back.
cache::TunedOn tuned_on(const backend::Backend& backend) {
  const DeviceInfo& info = backend.info();
  return {base::printable(
              fmt::format("{}, {} multiprocessor{}", info.name, info.multiprocessors, info.multiprocessors == 1 ? "" : "s")),
          base::printable(backend.driver())};
}

std::vector<cache::TunedOn> tuned_here() {
  std::vector<cache::TunedOn> all;
  const auto add = [&](const auto& device) {
    try {
      const Device found = device();
      if (!found.is_cpu()) all.push_back(tuned_on(backend::backend_for(found)));
    } catch (const Error&) {  // one that does not open uses no results
    }
  };
  add([] { return Device::best(); });
  for (const Device& device : Device::all()) add([&] { return device; });
  return all;
}

std::vector<cache::TunedShape> tuned_shapes(const Cache& cache, const std::string& digest, const backend::Backend& backend) {
  cache::DiskStore* const store = impl_of(cache).store();
  if (store == nullptr) return {};
  std::vector<cache::TunedShape> shapes = store->tuning(digest);
  const cache::TunedOn here = tuned_on(backend);
  std::erase_if(shapes, [&](const cache::TunedShape& shape) { return cache::tuned_on(shape) != here; });
  std::ranges::stable_sort(shapes, {}, &cache::TunedShape::measured);
  std::vector<cache::TunedShape> newest;
  for (cache::TunedShape& shape : shapes) cache::replace_shape(newest, std::move(shape));
  return newest;
}

bool keep_shape(const Cache& cache, const std::string& digest, const cache::TunedShape& shape) {
  cache::DiskStore* const store = impl_of(cache).store();
  return store != nullptr && store->put_tuning(digest, shape);
}

}  // namespace kiln::program
