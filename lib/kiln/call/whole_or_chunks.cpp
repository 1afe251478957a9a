#include "call/whole_or_chunks.hpp"

#include <algorithm>

#include "array/rep.hpp"
#include "call/window.hpp"
#include "device/capture.hpp"

namespace kiln::call {
namespace {

/// From here on chunks pay: several of them are copied to and from a GPU at once.
constexpr std::int64_t kChunksFrom = std::int64_t{128} << 20;

bool have_same_window(const Array& a, const Array& b) {
  return a.data() == b.data() && itemsize(a.dtype()) == itemsize(b.dtype()) && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

bool any_overlap(std::span<const Arg> args, const Array& where, std::span<const Array> out, bool by_element) {
  return std::ranges::any_of(out, [&](const Array& output) {
    return overlaps(where, output, by_element) ||
           std::ranges::any_of(args, [&](const Arg& arg) { return overlaps(arg.array(), output, by_element); });
  });
}

}  // namespace

bool overlaps(const Array& input, const Array& output, bool by_element) {
  return input.valid() && output.valid() && share_memory(*input.rep(), *output.rep()) &&
         !(by_element && have_same_window(input, output));
}

bool on_host(std::span<const Arg> args, const Array& where, std::span<const Array> out) {
  const auto is_host = [](const Array& array) { return !array.valid() || array.is_host(); };
  return std::ranges::all_of(args, [&](const Arg& arg) { return is_host(arg.array()); }) && is_host(where) &&
         std::ranges::all_of(out, is_host);
}

bool chunks_gain(std::span<const Arg> args, const Array& where, std::span<const Array> out, const Wanted& wanted,
                 bool by_element) {
  std::int64_t bytes = 0;
  const auto add = [&](const Array& array) {
    if (array.valid()) bytes += array.nbytes();
  };
  for (const Arg& arg : args) add(arg.array());
  for (const Array& array : out) add(array);
  if (bytes < kChunksFrom || !on_host(args, where, out)) return false;
  const Device device = host_place(wanted);
  return !device.is_cpu() && backend::Capture::current() == nullptr && !any_overlap(args, where, out, by_element);
}

}  // namespace kiln::call
