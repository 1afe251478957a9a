// Moving elements on the host: strided copies with conversion, and the copies of an Array that are made of them.
#include <algorithm>
#include <array>
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
#include "shared/float_environment.hpp"
#include "types/convert.hpp"

namespace kiln {
namespace detail {
namespace {

struct Axis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;
};

// Elements of a side of the tiles in which a transposing copy goes: 64 cache lines of the source stay in the L1 cache until
// they are used up (4096×4096 transposes: 3 to 5 times faster than whole rows).
constexpr std::int64_t kTile = 64;

struct Plan {
  ConvertLoop loop = nullptr;
  const char* from = nullptr;
  char* to = nullptr;
  std::vector<Axis> axes;  // outermost first by the destination's strides, merged
  bool tiled = false;      // the last two axes go in tiles
};

Plan plan_copy(const ArrayRep& from, const ArrayRep& to) {
  Plan plan{convert_loop(from.dtype, to.dtype), from.data, to.data, {}, false};
  std::vector<Axis>& axes = plan.axes;
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    if (from.shape[i] == 1) continue;
    Axis axis{from.shape[i], from.strides[i], to.strides[i]};
    if (axis.to < 0) {
      plan.from += (axis.extent - 1) * axis.from;
      plan.to += (axis.extent - 1) * axis.to;
      axis.from = -axis.from;
      axis.to = -axis.to;
    }
    axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  std::size_t kept = 0;
  for (const Axis& axis : axes) {
    if (kept > 0 && axes[kept - 1].from == axis.extent * axis.from && axes[kept - 1].to == axis.extent * axis.to) {
      axes[kept - 1] = {axes[kept - 1].extent * axis.extent, axis.from, axis.to};
    } else {
      axes[kept++] = axis;
    }
  }
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(kept), axes.end());
  if (axes.size() < 2) return plan;
  // The axis along which the source is densest, where that is not the innermost one.
  const auto distance = [](const Axis& axis) { return std::abs(axis.from); };
  auto dense =
      std::min_element(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) { return distance(a) < distance(b); });
  if (dense + 1 != axes.end() && distance(*dense) > 0 && distance(axes.back()) >= 64 && axes.back().extent > kTile / 4) {
    std::rotate(dense, dense + 1, axes.end() - 1);
    plan.tiled = true;
  }
  return plan;
}

void copy_tiles(const Plan& plan, const char* from, char* to) {
  const Axis& outer = plan.axes[plan.axes.size() - 2];
  const Axis& inner = plan.axes.back();
  for (std::int64_t i = 0; i < outer.extent; i += kTile) {
    const std::int64_t i_end = std::min(i + kTile, outer.extent);
    for (std::int64_t j = 0; j < inner.extent; j += kTile) {
      const std::int64_t count = std::min(kTile, inner.extent - j);
      for (std::int64_t k = i; k < i_end; ++k) {
        plan.loop(from + k * outer.from + j * inner.from, inner.from, to + k * outer.to + j * inner.to, inner.to, count);
      }
    }
  }
}

void run(const Plan& plan) {
  const std::size_t inner_axes = plan.tiled ? 2 : std::min<std::size_t>(plan.axes.size(), 1);
  const std::size_t outer_axes = plan.axes.size() - inner_axes;
  std::vector<std::int64_t> position(outer_axes, 0);
  const char* from = plan.from;
  char* to = plan.to;
  while (true) {
    if (plan.tiled) {
      copy_tiles(plan, from, to);
    } else if (inner_axes == 1) {
      plan.loop(from, plan.axes.back().from, to, plan.axes.back().to, plan.axes.back().extent);
    } else {
      plan.loop(from, 0, to, 0, 1);
    }
    std::size_t axis = outer_axes;
    while (axis > 0) {
      const Axis& a = plan.axes[axis - 1];
      from += a.from;
      to += a.to;
      if (++position[axis - 1] < a.extent) break;
      position[axis - 1] = 0;
      from -= a.extent * a.from;
      to -= a.extent * a.to;
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
    throw TypeError("cannot cast an array from " + std::string(kiln::name(rep.dtype)) + " to " +
                    std::string(kiln::name(dtype)) + " under the rule '" + std::string(kiln::name(casting)) + "'");
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
  if (to.read_only) throw TypeError("copy_to_host: the existing array is read-only");
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
