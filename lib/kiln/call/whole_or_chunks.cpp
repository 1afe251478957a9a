#include "call/whole_or_chunks.hpp"

#include <algorithm>

#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "call/window.hpp"
#include "device/capture.hpp"

namespace kiln::call {
namespace {

/// From here on chunks pay: several of them are copied to and from a GPU at once.
constexpr std::int64_t kChunksFrom = std::int64_t{128} << 20;

bool any_overlap(std::span<const Arg> args, const Array& where, std::span<const Array> out, bool by_element) {
  return std::ranges::any_of(out, [&](const Array& output) {
    return overlaps(where, output, by_element) ||
           std::ranges::any_of(args, [&](const Arg& arg) { return overlaps(arg.array(), output, by_element); });
  });
}

}  // namespace

bool overlaps(const Array& input, const Array& output, bool by_element) {
  return input.valid() && output.valid() && share_memory(*input.rep(), *output.rep()) &&
         !(by_element && same_window(*input.rep(), *output.rep()));
}

bool on_host(std::span<const Arg> args, const ArrayArg& where, std::span<const ArrayArg> out) {
  const auto is_host = [](const auto& operand) {
    return operand.ref() != nullptr ? !operand.ref()->device : !operand.array().valid() || operand.array().is_host();
  };
  return std::ranges::all_of(args, is_host) && is_host(where) && std::ranges::all_of(out, is_host);
}

bool chunks_gain(std::span<const Arg> args, const ArrayArg& where, std::span<const ArrayArg> out, const Context& context,
                 bool by_element) {
  double bytes = 0;
  const auto add = [&](const auto& operand) {
    if (const ArrayRef* const ref = operand.ref()) {
      auto of_ref = static_cast<double>(itemsize(ref->dtype));
      for (const std::int64_t extent : ref->shape) of_ref *= static_cast<double>(extent);
      bytes += of_ref;
    } else if (operand.array().valid()) {
      bytes += static_cast<double>(operand.array().nbytes());
    }
  };
  for (const Arg& arg : args) add(arg);
  for (const ArrayArg& output : out) add(output);
  // A layout that no array has is the call's to refuse.
  if (!(bytes >= static_cast<double>(kChunksFrom)) || !on_host(args, where, out)) return false;
  const Device device = host_place(context);
  if (device.is_cpu() || backend::Capture::current() != nullptr) return false;
  const ArraysOf arrays(args, where, out);
  return !any_overlap(arrays.args, arrays.where, arrays.out, by_element);
}

}  // namespace kiln::call
