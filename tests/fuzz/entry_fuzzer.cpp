// What decodes encodes to something that decodes to the same; only the key that the entry was made for finds it.
#include "cache/entry.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/hash.hpp"
#include "targets.hpp"

namespace kiln::fuzz {
namespace {

using cache::Flaw;
using cache::Miss;

bool equal(const cache::Record& a, const cache::Record& b) {
  return a.payload == b.payload && a.info.kernel == b.info.kernel && a.info.kind == b.info.kind &&
         a.info.signature == b.info.signature && a.info.target == b.info.target && a.info.compiler == b.info.compiler &&
         a.info.body == b.info.body && a.info.created_unix == b.info.created_unix &&
         // NaN is no JSON number.
         a.info.compile_ms == b.info.compile_ms;
}

void check_flaw(const Flaw& flaw) {
  require(!flaw.text.empty(), "what does not decode has a reason");
  require(flaw.reason == Miss::damaged || flaw.reason == Miss::other_format || flaw.reason == Miss::other_key,
          "bytes are damaged, of another format, or of another key");
}

void decode(std::string_view bytes) {
  Flaw flaw;
  const auto stored = cache::decode_any(bytes, &flaw);
  Flaw of_prologue;
  const auto sizes =
      cache::read_prologue(bytes.substr(0, std::min(bytes.size(), cache::kPrologueBytes)), bytes.size(), &of_prologue);
  if (!stored) {
    check_flaw(flaw);
    if (!sizes) check_flaw(of_prologue);
    require(!cache::decode(bytes, "", nullptr), "what is no entry is none for any key");
    return;
  }
  require(sizes && sizes->key_bytes == stored->key.size() && sizes->payload_bytes == stored->record.payload.size(),
          "an entry's first bytes tell its sizes");
  const auto record = cache::decode(bytes, stored->key, &flaw);
  require(record && equal(*record, stored->record), "an entry is found by the key that it has");
  require(!cache::decode(bytes, stored->key + " ", &flaw) && flaw.reason == Miss::other_key, "another key does not find it");
  const std::string encoded = cache::encode(stored->key, stored->record);
  const auto again = cache::decode(encoded, stored->key, &flaw);
  require(again && equal(*again, stored->record), "an encoded entry decodes to the same");
  require(cache::encode(stored->key, *again) == encoded, "an entry has one text");
}

}  // namespace

void entry(std::string_view bytes) {
  decode(bytes);
  (void)cache::parse_info(bytes);
  // Nothing that is changed at random has a right checksum: what lies behind that is reached by mending it.
  if (bytes.size() < kChecksumBytes) return;
  std::string mended(bytes);
  const auto checksum = base::hash128(bytes.substr(0, bytes.size() - kChecksumBytes));
  std::memcpy(mended.data() + mended.size() - kChecksumBytes, checksum.data(), kChecksumBytes);
  decode(mended);
}

}  // namespace kiln::fuzz
