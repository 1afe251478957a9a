#include "chunk/checks.hpp"

#include "array/rep.hpp"
#include "call/whole_or_chunks.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::chunk {
namespace {

void require_host(const std::string& what, const Array& array, const std::string& name) {
  if (!array.valid() || array.is_host()) return;
  throw Because<TypeError>(Reason::places, what + ": chunked() takes host arrays, and " + name + " is on " +
                                               to_string(array.device()) +
                                               "; call the function itself, or give the array's copy_to_host()");
}

}  // namespace

void check_options(const std::string& what, const ChunkOptions& options) {
  if (options.chunk_bytes >= 0) return;
  throw TypeError(what + ": .chunk_bytes of chunked() is " + std::to_string(options.chunk_bytes) +
                  "; give a number of bytes, or 0 for what suits the device");
}

void check_host(const std::string& what, std::span<const Arg> args, const Array& where, std::span<const Array> out,
                const call::Context& context, NameOf name_of) {
  for (std::size_t k = 0; k < args.size(); ++k) require_host(what, args[k].array(), name_of(k));
  require_host(what, where, ".where");
  for (std::size_t o = 0; o < out.size(); ++o) require_host(what, out[o], name_of(args.size() + o));
  if (!context.stream.is_default() || context.device) {
    throw TypeError(
        what +
        ": the chunks of a chunked() call have streams of their own; leave .stream and .device out, and name devices "
        "in .devices of chunked()");
  }
}

void check_overlap(const std::string& what, std::span<const Arg> args, const Array& where, std::span<const Array> out,
                   bool by_element, NameOf name_of) {
  const auto check = [&](const Array& input, const std::string& name, std::size_t o) {
    if (!call::overlaps(input, out[o], by_element)) return;
    throw Because<ShapeError>(Reason::overlap, what + ": " + name_of(args.size() + o) + " overlaps " + name +
                                                   ", which a later chunk may have to read; give another array");
  };
  for (std::size_t o = 0; o < out.size(); ++o) {
    if (!out[o].valid()) continue;
    for (std::size_t k = 0; k < args.size(); ++k) check(args[k].array(), name_of(k), o);
    check(where, ".where", o);
  }
}

}  // namespace kiln::chunk
