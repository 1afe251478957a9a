#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cache/key.hpp"
#include "sample.hpp"

using kiln::cache::Key;
using kiln::cache::parse_key;
using kiln::test::sample_key;

TEST_CASE("a key's text reads back as the key, whatever its bytes and spacing") {
  Key key = sample_key();
  for (const std::string& text :
       {std::string("plain\n\t\"\\ \x01 \x7f"), std::string("caf\xc3\xa9 \xf0\x9f\x94\xa5"),
        std::string("\xff\xfe\x80 not UTF-8 \xc3"), std::string("nul \0 inside", 12), std::string()}) {
    key.source = text;
    key.headers["h"] = text;
    key.headers[text] = "by name";
    key.defines = {text, ""};
    const auto back = parse_key(key.canonical());
    REQUIRE(back);
    CHECK(back->source == text);
    CHECK(back->headers == key.headers);
    CHECK(back->defines == key.defines);
    CHECK(back->canonical() == key.canonical());
    const auto spaced = parse_key(nlohmann::json::parse(key.canonical()).dump(2));
    REQUIRE(spaced);
    CHECK(spaced->canonical() == key.canonical());
  }
  key.arithmetic.contract = true;
  CHECK(parse_key(key.canonical())->arithmetic.contract);
  CHECK(parse_key(key.canonical())->options == key.options);
}

TEST_CASE("another text is no key") {
  const std::string good = sample_key().canonical();
  for (const char* text : {"", "{}", "[]", "nul", "{\"source\":\"x\"}"}) CHECK_FALSE(parse_key(text));
  CHECK_FALSE(parse_key(good + "x"));
  CHECK_FALSE(parse_key(good.substr(0, good.size() - 1)));
  const auto changed = [&](const std::string& name, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(good);
    json[name] = value;
    return parse_key(json.dump()).has_value();
  };
  CHECK(changed("target", "sm_80"));
  CHECK_FALSE(changed("schema", "2"));
  CHECK_FALSE(changed("more", 1));
  CHECK_FALSE(changed("contract", 0));
  CHECK_FALSE(changed("options", "-O3"));
  CHECK_FALSE(changed("options", {1}));
  CHECK_FALSE(changed("headers", {{"a", "b", "c"}}));
  CHECK_FALSE(changed("headers", {{"a", "1"}, {"a", "2"}}));
  CHECK_FALSE(changed("source", {{"latin1", "\xe2\x82\xac"}}));  // no byte
  CHECK_FALSE(changed("source", {{"latin2", "x"}}));
  CHECK_FALSE(changed("source", nullptr));
}
