// The bytes of an entry's file:
//   magic (8) · format version (4) · key bytes (8) · info bytes (8) · payload bytes (8), little-endian
//   key (canonical JSON) · info (JSON) · payload · XXH3-128 of everything before it (16)
// The key is a text of its own so that a look-up compares it and parses nothing of its size.
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "cache/cache.hpp"

namespace kiln::cache {
namespace {

constexpr std::string_view kMagic("kiln\r\n\x1a\n", 8);  // as PNG's: shows what a text-mode copy did
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kPrologueBytes = 8 + 4 + 3 * 8;
constexpr std::size_t kChecksumBytes = 16;

void append_integer(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

std::uint64_t read_integer(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string_view view(const base::Hash128& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

bool read_info(std::string_view text, Info* info) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return false;
  const auto string = [&](const char* name, std::string* to) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_string()) return false;
    *to = found->get_ref<const std::string&>();
    return true;
  };
  const auto found_ms = json.find("compile_ms");
  const auto found_created = json.find("created_unix");
  if (found_ms == json.end() || !found_ms->is_number()) return false;
  if (found_created == json.end() || !found_created->is_number_integer()) return false;
  info->compile_ms = found_ms->get<double>();
  info->created_unix = found_created->get<std::int64_t>();
  return string("kernel", &info->kernel) && string("signature", &info->signature) && string("body", &info->body);
}

}  // namespace

std::string encode(const std::string& canonical_key, const Entry& entry) {
  const nlohmann::json json = {{"kernel", entry.info.kernel},
                               {"signature", entry.info.signature},
                               {"body", entry.info.body},
                               {"compile_ms", entry.info.compile_ms},
                               {"created_unix", entry.info.created_unix}};
  // The texts are for people; bytes that are not UTF-8 may be replaced here, unlike in the key.
  const std::string info = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(kPrologueBytes + canonical_key.size() + info.size() + entry.payload.size() + kChecksumBytes);
  out += kMagic;
  append_integer(out, kFormatVersion, 4);
  append_integer(out, canonical_key.size(), 8);
  append_integer(out, info.size(), 8);
  append_integer(out, entry.payload.size(), 8);
  out += canonical_key;
  out += info;
  out += entry.payload;
  out += view(base::hash128(out));
  return out;
}

std::optional<Entry> decode(std::string_view bytes, std::string_view canonical_key, std::string* why) {
  const auto miss = [&](std::string reason) {
    if (why != nullptr) *why = std::move(reason);
    return std::nullopt;
  };
  if (bytes.substr(0, kMagic.size()) != kMagic) return miss("not a kiln cache entry");
  if (bytes.size() < kPrologueBytes + kChecksumBytes) return miss("truncated");
  const std::uint64_t version = read_integer(bytes, 8, 4);
  if (version != kFormatVersion) {
    return miss("format version " + std::to_string(version) + ", this kiln reads " + std::to_string(kFormatVersion));
  }
  const std::uint64_t key_size = read_integer(bytes, 12, 8);
  const std::uint64_t info_size = read_integer(bytes, 20, 8);
  const std::uint64_t payload_size = read_integer(bytes, 28, 8);
  // One at a time against what is left: sums of hostile sizes could wrap.
  std::uint64_t left = bytes.size() - kPrologueBytes - kChecksumBytes;
  for (const std::uint64_t size : {key_size, info_size, payload_size}) {
    if (size > left) return miss("truncated");
    left -= size;
  }
  if (left != 0) return miss("longer than its sizes say");
  const std::size_t end = bytes.size() - kChecksumBytes;
  if (view(base::hash128(bytes.substr(0, end))) != bytes.substr(end)) return miss("wrong checksum");
  if (bytes.substr(kPrologueBytes, key_size) != canonical_key) return miss("made for another key");
  Entry entry;
  if (!read_info(bytes.substr(kPrologueBytes + key_size, info_size), &entry.info)) return miss("unreadable description");
  entry.payload = bytes.substr(kPrologueBytes + key_size + info_size, payload_size);
  return entry;
}

}  // namespace kiln::cache
