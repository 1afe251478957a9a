#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "sample.hpp"

using kiln::cache::decode;
using kiln::cache::encode;
using kiln::cache::Flaw;
using kiln::cache::Record;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::with_checksum;

namespace {

std::string reason(std::string_view bytes, const std::string& key) {
  Flaw why;
  return decode(bytes, key, &why) ? "read" : why.text;
}

}  // namespace

TEST_CASE("an entry comes back as it went in") {
  const std::string key = sample_key().canonical();
  const std::string payload(70'000, '\0');
  const auto entry = decode(encode(key, sample_entry(payload)), key, nullptr);
  REQUIRE(entry);
  CHECK(entry->payload == payload);
  CHECK(entry->info.kernel == "saxpy");
  CHECK(entry->info.signature == "float32(float32 a)");
  CHECK(entry->info.body == "return a;");
  CHECK(entry->info.compile_ms == 12.5);
  CHECK(entry->info.created_unix == 1'700'000'000);
  CHECK(decode(encode(key, sample_entry("")), key, nullptr)->payload.empty());
}

TEST_CASE("the compiler's report comes back, and what is not known stays so") {
  const std::string key = sample_key().canonical();
  Record entry = sample_entry();
  const auto back = [&] { return decode(encode(key, entry), key, nullptr)->info.report; };
  CHECK_FALSE(back().vector_bits);
  CHECK_FALSE(back().spills);
  CHECK_FALSE(back().local_bytes);
  CHECK_FALSE(back().scalar_because);
  entry.info.report.vector_bits = 0;
  entry.info.report.spills = 3;
  CHECK(back().vector_bits == 0);
  CHECK(back().spills == 3);
  CHECK_FALSE(back().local_bytes);
  const kiln::Diagnostic reason{.severity = kiln::Severity::note, .file = "f", .line = 2, .column = 7, .text = "it is so"};
  entry.info.report = {.local_bytes = 40, .scalar_because = reason};
  CHECK_FALSE(back().vector_bits);
  CHECK(back().local_bytes == 40);
  CHECK(back().scalar_because == reason);
}

TEST_CASE("a report of other types is not known, and the rest of the entry is") {
  const auto report = [](const std::string& text) {
    const auto info = kiln::cache::parse_info(
        R"({"kernel": "f", "signature": "", "body": "", "compile_ms": 1, "created_unix": 2, "report": )" + text + "}");
    REQUIRE(info);
    CHECK(info->kernel == "f");
    return info->report;
  };
  CHECK_FALSE(report("[1]").spills);
  CHECK_FALSE(report(R"({"spills": "3"})").spills);
  CHECK_FALSE(report(R"({"scalar_because": "so"})").scalar_because);
  const auto odd = report(R"({"spills": 3, "scalar_because": {"text": 1, "file": "a\u001bb", "line": -4, "column": 1e99}})");
  CHECK(odd.spills == 3);
  REQUIRE(odd.scalar_because);
  CHECK(odd.scalar_because->text == "");
  CHECK(odd.scalar_because->file == "a?b");
  CHECK(odd.scalar_because->line == 0);
  CHECK(odd.scalar_because->column == 0);
}

TEST_CASE("the file holds the whole key and the description as JSON") {
  const std::string key = sample_key().canonical();
  const std::string bytes = encode(key, sample_entry());
  CHECK(bytes.starts_with("kiln\r\n\x1a\n"));
  CHECK(bytes.substr(36, key.size()) == key);
  const auto sizes = kiln::cache::read_prologue(bytes, bytes.size(), nullptr);
  REQUIRE(sizes);
  CHECK(nlohmann::json::parse(bytes.substr(36 + key.size(), sizes->info_bytes))["kernel"] == "saxpy");
}

TEST_CASE("a description that is not UTF-8 does not keep the code from being stored") {
  const std::string key = sample_key().canonical();
  Record entry = sample_entry();
  entry.info.body = "return a; // \xff";
  const auto back = decode(encode(key, entry), key, nullptr);
  REQUIRE(back);
  CHECK(back->payload == entry.payload);
  CHECK(back->info.body == "return a; // \xef\xbf\xbd");
}

TEST_CASE("an entry that ends at any earlier byte is a miss with a reason") {
  const std::string key = sample_key().canonical();
  const std::string bytes = encode(key, sample_entry());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of exactly that length, so that the address sanitizer sees a read beyond it.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string why = reason({cut.data(), cut.size()}, key);
    CAPTURE(length);
    CHECK(why == (length < 8 ? "not a kiln cache entry" : "truncated"));
  }
  CHECK(reason(bytes + "x", key) == "longer than its sizes say");
}

TEST_CASE("an entry with any byte changed is a miss with a reason") {
  const std::string key = sample_key().canonical();
  const std::string bytes = encode(key, sample_entry());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const std::string why = reason(damaged, key);
      CAPTURE(i);
      CHECK(why != "read");
      CHECK_FALSE(why.empty());
    }
  }
}

TEST_CASE("hostile sizes are refused before anything is allocated") {
  const std::string key = sample_key().canonical();
  for (const std::size_t at : {12U, 20U, 28U}) {
    for (const int fill : {0xff, 0x7f}) {
      std::string bytes = encode(key, sample_entry());
      std::memset(bytes.data() + at, fill, 8);
      CHECK(reason(with_checksum(bytes), key) == "truncated");
    }
  }
  // Two sizes whose sum wraps around to the right one.
  std::string bytes = encode(key, sample_entry());
  std::memset(bytes.data() + 12, 0xff, 8);
  CHECK(reason(with_checksum(bytes), key) == "truncated");
}

TEST_CASE("foreign bytes, another format version, another key, and a bad description each have their reason") {
  const std::string key = sample_key().canonical();
  const std::string bytes = encode(key, sample_entry());
  CHECK(reason("", key) == "not a kiln cache entry");
  CHECK(reason("\x7f"
               "ELF and so on",
               key) == "not a kiln cache entry");

  std::string newer = bytes;
  newer[8] = 2;
  CHECK(reason(newer, key) == "wrong checksum");  // it is the version that is damaged
  CHECK(reason(with_checksum(newer), key) == "format version 2, this kiln reads 1");
  Flaw why;
  CHECK_FALSE(decode(with_checksum(newer), key, &why));
  CHECK(why.reason == kiln::cache::Miss::other_format);
  CHECK_FALSE(decode(bytes, "", &why));
  CHECK(why.reason == kiln::cache::Miss::other_key);
  CHECK_FALSE(decode("", key, &why));
  CHECK(why.reason == kiln::cache::Miss::damaged);

  CHECK(reason(bytes, sample_key("other").canonical()) == "made for another key");
  CHECK(reason(bytes, "") == "made for another key");

  const std::size_t quote = 36 + key.size() + 1;
  for (const std::string& replacement : {std::string("x"), std::string("\0", 1), std::string("[")}) {
    std::string damaged = bytes;
    damaged.replace(quote, 1, replacement);
    CHECK(reason(with_checksum(damaged), key) == "unreadable description");
  }
  std::string renamed = bytes;
  renamed.replace(renamed.find("\"kernel\"", quote), 8, "\"kernal\"");
  CHECK(reason(with_checksum(renamed), key) == "unreadable description");
  std::string retyped = bytes;
  retyped.replace(retyped.find("1700000000", quote), 10, "\"17000000\"");
  CHECK(reason(with_checksum(retyped), key) == "unreadable description");
}

TEST_CASE("what was added to the description later is optional, and says what it said before where it is missing") {
  const std::string key = sample_key().canonical();
  std::string bytes = encode(key, sample_entry());
  CHECK(decode(bytes, key, nullptr)->info.kind == "ufunc");
  CHECK(decode(bytes, key, nullptr)->info.variant == "contiguous");
  CHECK(decode(bytes, key, nullptr)->info.target == "sm_90");
  CHECK(decode(bytes, key, nullptr)->info.compiler == "NVRTC 13.0.48");
  for (const char* name : {"\"kind\"", "\"variant\"", "\"target\"", "\"compiler\""}) {
    bytes[bytes.find(name, 36 + key.size()) + 1] = 'x';
  }
  const auto older = decode(with_checksum(bytes), key, nullptr);
  REQUIRE(older);
  CHECK(older->info.kind == "ufunc");
  CHECK(older->info.variant == "");
  CHECK(older->info.target == "");
  CHECK(older->info.compiler == "");
}

TEST_CASE("decode_any gives an entry with its own key") {
  const std::string key = sample_key().canonical();
  const auto stored = kiln::cache::decode_any(encode(key, sample_entry("code")), nullptr);
  REQUIRE(stored);
  CHECK(stored->key == key);
  CHECK(stored->record.payload == "code");
  Flaw why;
  CHECK_FALSE(kiln::cache::decode_any("x", &why));
  CHECK(why.text == "not a kiln cache entry");
}
