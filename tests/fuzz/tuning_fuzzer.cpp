// What decodes is within its limits, and encodes to something that decodes to the same.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/hash.hpp"
#include "cache/tuning_file.hpp"
#include "targets.hpp"

namespace kiln::fuzz {
namespace {

using cache::Flaw;
using cache::TunedShape;

void decode(std::string_view bytes, const std::string& digest) {
  Flaw flaw;
  const auto shapes = cache::decode_tuning(bytes, digest, &flaw);
  if (!shapes) {
    require(!flaw.text.empty() && flaw.reason != cache::Miss::absent, "what does not decode has a reason");
    return;
  }
  require(!shapes->empty() && shapes->size() <= cache::kMaxTunedShapes, "a file has some shapes, and not too many");
  for (const TunedShape& shape : *shapes) {
    require(shape.block >= 1 && shape.block <= cache::kMaxTunedBlock, "a block is within its limits");
    require(shape.accesses >= 1 && shape.accesses <= cache::kMaxTunedAccesses, "accesses are within their limits");
    require(shape.elements >= 1 && cache::size_class(shape.elements) < cache::kSizeClasses, "a shape has a size class");
    require(std::isfinite(shape.milliseconds) && std::isfinite(shape.model_milliseconds), "times are numbers");
  }
  const std::string encoded = cache::encode_tuning(digest, *shapes);
  const auto again = cache::decode_tuning(encoded, digest, &flaw);
  require(again && cache::encode_tuning(digest, *again) == encoded, "what is encoded has one text");
}

}  // namespace

void tuning(std::string_view bytes) {
  const std::string digest(32, 'a');
  decode(bytes, digest);
  // Nothing that is changed at random has a right checksum: what lies behind that is reached by adding it.
  std::string whole = "kiln tuning 1\n" + std::string(bytes) + "\n";
  whole += base::to_hex(base::hash128(whole)) + "\n";
  decode(whole, digest);
}

}  // namespace kiln::fuzz
