// Moving elements on the host: strided copies with conversion, and the copies of an Array that are made of them.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/mapped_file.hpp"
#include "array/on_device.hpp"
#include "array/rep.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "layout/axes.hpp"
#include "shared/float_environment.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace detail {
namespace {

// Elements of a side of the tiles in which a transposing copy goes: 64 cache lines of the source stay in the L1 cache until
// they are used up (4096×4096 transposes: 3 to 5 times faster than whole rows).
constexpr std::int64_t kTile = 64;

// Operands of the axes.
constexpr std::size_t kTo = 0;
constexpr std::size_t kFrom = 1;

struct Plan {
  ConvertLoop loop = nullptr;
  const char* from = nullptr;
  char* to = nullptr;
  layout::Axes axes;   // outermost first by the destination's strides, merged
  bool tiled = false;  // the last two axes go in tiles
};

Plan plan_copy(const ArrayRep& from, const ArrayRep& to) {
  Plan plan{convert_loop(from.dtype, to.dtype), from.data, to.data, layout::Axes(from.shape.size(), 2)};
  layout::Axes& axes = plan.axes;
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    if (from.shape[i] != 1) axes.append(from.shape[i], {to.strides[i], from.strides[i]});
  }
  axes.sort(layout::Axes::Sort::first_decides);
  axes.flip(0, kFrom);
  axes.merge();
  plan.from += axes.offset(kFrom);
  plan.to += axes.offset(kTo);
  if (axes.rank() < 2) return plan;
  // The axis along which the source is densest, where that is not the innermost one.
  const auto distance = [&](std::size_t axis) { return std::abs(axes.stride(kFrom, axis)); };
  const std::size_t last = axes.rank() - 1;
  std::size_t dense = 0;
  for (std::size_t axis = 1; axis <= last; ++axis) {
    if (distance(axis) < distance(dense)) dense = axis;
  }
  if (dense != last && distance(dense) > 0 && distance(last) >= 64 && axes.extent(last) > kTile / 4) {
    axes.move(dense, last - 1);
    plan.tiled = true;
  }
  return plan;
}

void copy_run(const Plan& plan, const char* from, char* to, std::size_t axis, std::int64_t count) {
  plan.loop(from, plan.axes.stride(kFrom, axis), to, plan.axes.stride(kTo, axis), count);
}

void copy_tiles(const Plan& plan, const char* from, char* to) {
  const layout::Axes& axes = plan.axes;
  const std::size_t inner = axes.rank() - 1;
  const std::size_t outer = inner - 1;
  for (std::int64_t i = 0; i < axes.extent(outer); i += kTile) {
    const std::int64_t i_end = std::min(i + kTile, axes.extent(outer));
    for (std::int64_t j = 0; j < axes.extent(inner); j += kTile) {
      const std::int64_t count = std::min(kTile, axes.extent(inner) - j);
      for (std::int64_t k = i; k < i_end; ++k) {
        copy_run(plan, from + k * axes.stride(kFrom, outer) + j * axes.stride(kFrom, inner),
                 to + k * axes.stride(kTo, outer) + j * axes.stride(kTo, inner), inner, count);
      }
    }
  }
}

void run(const Plan& plan) {
  const layout::Axes& axes = plan.axes;
  const std::size_t inner_axes = plan.tiled ? 2 : std::min<std::size_t>(axes.rank(), 1);
  const std::size_t outer_axes = axes.rank() - inner_axes;
  std::vector<std::int64_t> position(outer_axes, 0);
  const char* from = plan.from;
  char* to = plan.to;
  while (true) {
    if (plan.tiled) {
      copy_tiles(plan, from, to);
    } else if (inner_axes == 1) {
      copy_run(plan, from, to, outer_axes, axes.extent(outer_axes));
    } else {
      plan.loop(from, 0, to, 0, 1);
    }
    std::size_t axis = outer_axes;
    while (axis > 0) {
      const std::size_t a = axis - 1;
      from += axes.stride(kFrom, a);
      to += axes.stride(kTo, a);
      if (++position[a] < axes.extent(a)) break;
      position[a] = 0;
      from -= axes.extent(a) * axes.stride(kFrom, a);
      to -= axes.extent(a) * axes.stride(kTo, a);
      --axis;
    }
    if (axis == 0) return;
  }
}

// The axes from the one with the widest stride to the one with the narrowest, as NumPy's order 'K'. C order where a
// broadcast axis leaves it open.
std::vector<int> memory_order(const ArrayRep& rep) {
  std::vector<int> order(rep.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (rep.shape[i] > 1 && rep.strides[i] == 0) return order;
  }
  const auto reach = [&](int axis) { return std::abs(rep.strides[static_cast<std::size_t>(axis)]); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return reach(a) != reach(b) ? reach(a) > reach(b) : a < b; });
  return order;
}

}  // namespace

void copy_host(const ArrayRep& from, const ArrayRep& to) {
  // From the strides alone: callers make reps on the fly, whose size and flags nobody has filled in.
  for (const std::int64_t extent : from.shape) {
    if (extent == 0) return;
  }
  const base::DefaultFloatEnvironment floats;
  run(plan_copy(from, to));
  MappedFile::check(from);
  MappedFile::check(to);
}

}  // namespace detail

using detail::ArrayRep;
using detail::rep_of;

Array Array::astype(DType dtype, Casting casting) const {
  const ArrayRep& rep = rep_of(*this);
  if (!can_cast(rep.dtype, dtype, casting)) {
    throw Because<TypeError>(Reason::casting, "cannot cast an array from " + std::string(kiln::name(rep.dtype)) + " to " +
                                                  std::string(kiln::name(dtype)) + " under the rule '" +
                                                  std::string(kiln::name(casting)) + "'");
  }
  const bool on_gpu = !detail::host_readable(rep);
  if (on_gpu && !detail::has_kernels(rep.device)) return to_device(detail::fetch(*this).astype(dtype), rep.device);
  Array result = detail::allocate(rep.shape, dtype, detail::memory_order(rep), rep.on_host, rep.device);
  if (on_gpu) {
    detail::convert_on_device(*this, result, Stream());
  } else {
    detail::copy_host(rep, *result.rep());
  }
  return result;
}

Array Array::copy_to_host() const {
  const ArrayRep& rep = rep_of(*this);
  Array result = detail::allocate_packed(rep.shape, rep.dtype, Order::c, true, Device::cpu());
  copy_to_host(result);
  return result;
}

void Array::copy_to_host(const Array& existing, const TransferOptions& options) const {
  const ArrayRep& from = rep_of(*this);
  const ArrayRep& to = rep_of(existing);
  if (!detail::host_readable(to)) {
    throw TypeError("copy_to_host: the existing array is on " + to_string(to.device) + ": give a host array");
  }
  if (to.read_only) throw Because<TypeError>(Reason::read_only, "copy_to_host: the existing array is read-only");
  if (from.dtype != to.dtype) {
    throw TypeError("copy_to_host: the existing array is of dtype " + std::string(name(to.dtype)) + ", the elements are " +
                    std::string(name(from.dtype)));
  }
  if (!(from.shape == to.shape)) {
    throw ShapeError("copy_to_host: the existing array has shape " + to_string(to.shape) + ", the elements have " +
                     to_string(from.shape));
  }
  if (options.stream.is_default()) {
    detail::download_into(*this, existing);
  } else {
    detail::download_on(options.stream, *this, existing);
  }
}

}  // namespace kiln
