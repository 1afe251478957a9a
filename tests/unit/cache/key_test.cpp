#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "sample.hpp"

using kiln::cache::Key;
using kiln::test::sample_key;

TEST_CASE("the canonical text is JSON with sorted keys that repeats every member") {
  const std::string text = sample_key("a \"quoted\" \\ line\n\ttab \x01 \xc3\xa9\n").canonical();
  const auto json = nlohmann::json::parse(text);
  CHECK(json["compiler"] == "NVRTC 13.0.48");
  CHECK(json["contract"] == false);
  CHECK(json["defines"] == nlohmann::json::array({"N=3"}));
  CHECK(json["fast_math"] == false);
  CHECK(json["headers"][1][1] == "#define B \"2\"\n");
  CHECK(json["kiln"] == "0.1.0");
  CHECK(json["options"] == nlohmann::json::array({"-O3", "-std=c++20"}));
  CHECK(json["source"] == "a \"quoted\" \\ line\n\ttab \x01 \xc3\xa9\n");
  CHECK(json["target"] == "sm_90");
  CHECK(json["templates"] == "0123456789abcdef0123456789abcdef");
  // nlohmann's objects are sorted: its own text of the same value must be ours.
  CHECK(json.dump() == text);
}

TEST_CASE("every member changes the canonical text") {
  std::vector<std::function<void(Key&)>> changes{
      [](Key& k) { k.kiln_version = "0.2.0"; },
      [](Key& k) { k.templates = "1"; },
      [](Key& k) { k.source += " "; },
      [](Key& k) { k.headers["a.hpp"] += " "; },
      [](Key& k) { k.headers["c.hpp"] = ""; },
      [](Key& k) { k.headers.erase("a.hpp"); },
      [](Key& k) { k.options.emplace_back(""); },
      [](Key& k) { k.options = {"-O3 -std=c++20"}; },
      [](Key& k) { k.options = {"-O3\",\"-std=c++20"}; },
      [](Key& k) { std::swap(k.options[0], k.options[1]); },
      [](Key& k) { k.defines = {"N=4"}; },
      [](Key& k) { k.debug = true; },
      [](Key& k) { k.target = "sm_80"; },
      [](Key& k) { k.compiler = "NVRTC 13.0.49"; },
      [](Key& k) { k.runtime = "glibc 2.36"; },
  };
  for (const kiln::ArithmeticFlag& flag : kiln::kArithmeticFlags) {
    changes.emplace_back([&](Key& k) { k.arithmetic.*flag.member = true; });
  }
  std::set<std::string> texts{sample_key().canonical()};
  for (const auto& change : changes) {
    Key key = sample_key();
    change(key);
    texts.insert(key.canonical());
  }
  CHECK(texts.size() == changes.size() + 1);
  CHECK(sample_key().canonical() == sample_key().canonical());
}

TEST_CASE("flags of arithmetic stand in the text in order, and come back from it") {
  for (unsigned set = 0; set < 1U << kiln::kArithmeticFlags.size(); ++set) {
    Key key = sample_key();
    for (std::size_t i = 0; i < kiln::kArithmeticFlags.size(); ++i) {
      key.arithmetic.*kiln::kArithmeticFlags[i].member = (set >> i & 1U) != 0;
    }
    const std::string text = key.canonical();
    CAPTURE(text);
    CHECK(nlohmann::json::parse(text).dump() == text);
    const auto read = kiln::cache::parse_key(text);
    REQUIRE(read);
    CHECK(read->arithmetic == key.arithmetic);
  }
}

TEST_CASE("debug mode is in the keys of such kernels alone") {
  Key key = sample_key();
  CHECK(key.canonical().find("debug") == std::string::npos);
  key.debug = true;
  const std::string text = key.canonical();
  CHECK(nlohmann::json::parse(text)["debug"] == true);
  REQUIRE(kiln::cache::parse_key(text));
  CHECK(kiln::cache::parse_key(text)->debug);
  CHECK(kiln::cache::parse_key(text)->canonical() == text);
  // Written in one way only.
  std::string other = text;
  other.replace(other.find("\"debug\":true"), 12, "\"debug\":false");
  CHECK(!kiln::cache::parse_key(other));
}

TEST_CASE("texts that are not UTF-8 stay JSON and stay different") {
  const std::vector<std::string> sources{"\xff",         "\xc3",     "\xc3\xbf",     "\xc3\xc3",     "\xed\xa0\x80",
                                         "\xe0\x80\x80", "\xc0\x80", "\xf4\x90\x80", "\\u00ff",      "{\"latin1\":\"\\u00ff\"}",
                                         "\xe2\x82",     "\x80",     "\xe2\x82\xac", "\xf0\x9f\x98", "\xf0\x9f\x98\x80"};
  std::set<std::string> texts;
  for (const std::string& source : sources) {
    const std::string text = sample_key(source).canonical();
    texts.insert(text);
    CAPTURE(text);
    CHECK(nlohmann::json::accept(text));
  }
  CHECK(texts.size() == sources.size());
  CHECK(nlohmann::json::parse(sample_key("\xff").canonical())["source"]["latin1"] == "\xc3\xbf");
  CHECK(nlohmann::json::parse(sample_key("\xf0\x9f\x98\x80").canonical())["source"] == "\xf0\x9f\x98\x80");
}

TEST_CASE("the digest has 32 hex digits and is that of XXH3-128") {
  CHECK(kiln::cache::digest("kiln") == "29e4f6aff37a6f975bfb178850627e51");
}
