// What is a manifest and what is none, by the cases that the schema is held to as well; and its text.
#include "manifest/document.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "../base/temporary_directory.hpp"
#include "base/have_cpu.hpp"
#include "kiln/error.hpp"
#include "kiln/manifest.hpp"

using kiln::Manifest;
using nlohmann::json;

namespace {

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(Manifest::parse(text, "m.json"));
    return "";
  } catch (const kiln::CacheError& error) {
    return error.what();
  }
}

std::string with_kernels(const std::string& kernels) {
  return R"({"kiln_manifest": 2, "kernels": [)" + kernels + "]}";
}

}  // namespace

TEST_CASE("what a manifest is, and what is wrong with others") {
  std::ifstream file(KILN_MANIFEST_CASES);
  const json cases = json::parse(file);
  REQUIRE(cases.size() > 50);
  for (const json& each : cases) {
    const std::string name = each.at("name");
    CAPTURE(name);
    const std::string text = each.contains("manifest") ? each.at("manifest").dump() : with_kernels(each.at("kernel").dump());
    const std::string error = error_of(text);
    const std::string expected = each.value("error", "");
    CHECK(error.substr(0, expected.empty() ? std::string::npos : expected.size()) == expected);
  }
}

TEST_CASE("texts that are no JSON, with line and column") {
  // The parser's words differ between its versions.
  CHECK(error_of("") == "m.json:1:1: not JSON: the text is empty");
  CHECK(error_of(" \n ").ends_with(": not JSON: the text is empty"));
  CHECK(error_of("{\n  \"kiln_manifest\": 2,\n  \"kernels\": [}\n}")
            .starts_with("m.json:3:15: not JSON: syntax error while parsing value - unexpected '}'"));
  CHECK(error_of(R"({"kiln_manifest": 2, "kernels": []} x)").starts_with("m.json:1:37: not JSON: syntax error"));
  CHECK(error_of(R"({"kiln_manifest": 2, "kernels": []}{})").starts_with("m.json:1:36: not JSON: syntax error"));
  CHECK(error_of("{\"kiln_manifest\": 2, \"kernels\": [\"\xff\"]}").starts_with("m.json:1:35: not JSON: syntax error"));
  CHECK(error_of("{\"kiln_manifest\": 2, \"kernels\": [\"\xed\xa0\x80\"]}").find("m.json:1:3") == 0);
  CHECK(error_of("{\"kiln_manifest\": 2, // one\n\"kernels\": []}").starts_with("m.json:1:22: not JSON"));
  CHECK(error_of("{\"kiln_manifest\": 1e999999, \"kernels\": []}").starts_with("m.json:1:"));
}

TEST_CASE("a member that is there twice") {
  CHECK(error_of(R"({"kiln_manifest": 2, "kernels": [], "kernels": []})") ==
        "m.json: /: the member \"kernels\" is there twice");
  CHECK(error_of(with_kernels(R"({"kernel": "float32 f(float32 a) = a", "headers": {"a": "", "b": "", "a": ""}})")) ==
        "m.json: /kernels/0/headers: the member \"a\" is there twice");
  CHECK(error_of(with_kernels(R"({}, {"x": [0, {"y": 1, "y": 2}]})")) ==
        "m.json: /kernels/1/x/1: the member \"y\" is there twice");
}

TEST_CASE("limits: brackets, values, bytes") {
  const std::string deep = with_kernels(std::string(100'000, '['));
  CHECK(error_of(deep).starts_with("m.json: /kernels/0/0/0/0/0"));
  CHECK(error_of(deep).ends_with("more than 16 brackets within one another"));
  const auto limited = [](const std::string& text, const kiln::manifest::JsonLimits& limits) -> std::string {
    try {
      static_cast<void>(kiln::manifest::parse_json(text, "m.json", limits));
      return "";
    } catch (const kiln::CacheError& error) {
      return error.what();
    }
  };
  CHECK(limited("[1, 2, 3]", {.values = 4}) == "");
  CHECK(limited("[1, 2, 3]", {.values = 3}) == "m.json: more than 3 values: this is no manifest that kiln reads");
  CHECK(limited("[1, 2, 3]", {.bytes = 9}) == "");
  CHECK(limited("[1, 2, 3]", {.bytes = 8}) == "m.json: 9 bytes: kiln reads manifests of at most 8");
}

TEST_CASE("every prefix of a manifest, and every byte changed, is read or refused") {
  const std::string text =
      Manifest::parse(with_kernels(R"({"kernel": "T f(T a, T b) = a + b", "headers": {"h": {"latin1": "é"}}, "calls": [
      {"inputs": ["float16[3, 4] strides [8, 2] offset 4 host", "int8"], "where": "bool[4]", "out": ["float32[3, 4]"], "loop": "float32, float32 -> float32"},
      {"method": "reduceat", "inputs": ["float32[30]"], "axis": 0, "segments": {"count": 3, "elements": 30, "longest": 12}}]})"))
          .text();
  for (std::size_t size = 0; size < text.size() - 1; ++size) CHECK(error_of(text.substr(0, size)) != "");
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char other : {'\0', '"', '}', '9', '\xff'}) {
      std::string changed = text;
      changed[i] = other;
      static_cast<void>(error_of(changed));  // no other exception, no crash
    }
  }
}

TEST_CASE("the text is canonical") {
  const std::string written =
      R"j({"kernel": "T f(T a) = a", "calls": [{"inputs": ["int8[4]"], "where": "bool[]"}, {"inputs": ["int16[4]"], "out": []}]},
     {"kind": "ufunc", "signatures": ["float32(float32 a)"], "name": "e", "contract": false, "body": "return a;", "include_dirs": ["inc/.."],
      "headers": {}, "preamble": ""})j";
  const std::string turned =
      R"j({"include_dirs": ["inc/.."], "kind": "ufunc", "name": "e", "signatures": ["float32(float32 a)"], "body": "return a;"},
     {"kind": "ufunc", "name": "f", "signatures": ["T(T a)"], "expression": "a",
      "calls": [{"inputs": ["int16[4]"]}, {"where": "bool[]", "inputs": ["int8[4]"]}]})j";
  const std::string text = Manifest::parse(with_kernels(written)).text();
  CHECK(text == R"j({
  "kiln_manifest": 2,
  "kernels": [
    {
      "body": "return a;",
      "include_dirs": [
        "inc/.."
      ],
      "kind": "ufunc",
      "name": "e",
      "signatures": [
        "float32(float32 a)"
      ]
    },
    {
      "calls": [
        {
          "inputs": [
            "int16[4]"
          ]
        },
        {
          "inputs": [
            "int8[4]"
          ],
          "where": "bool[]"
        }
      ],
      "expression": "a",
      "kind": "ufunc",
      "name": "f",
      "signatures": [
        "T(T a)"
      ]
    }
  ]
}
)j");
  CHECK(Manifest::parse(with_kernels(turned)).text() == text);
  CHECK(Manifest::parse(text).text() == text);
}

TEST_CASE("bytes that are not UTF-8 come back as they were") {
  const auto read = [](const std::string& kernel) {
    const auto entries = kiln::manifest::parse_document(with_kernels(kernel), "m.json", "");
    return entries.at(0).json;
  };
  const json body = {{"latin1", "return a; // caf\u00e9 \u00ff"}};
  json kernel = {{"kind", "ufunc"}, {"name", "f"}, {"signatures", {"float32(float32 a)"}}, {"body", body}};
  CHECK(read(kernel.dump()).at("body") == body);
  // UTF-8 needs no such form.
  kernel["body"] = {{"latin1", "return a; // caf\u00c3\u00a9"}};
  CHECK(read(kernel.dump()).at("body") == "return a; // caf\u00e9");
}

TEST_CASE("the union of manifests") {
  using kiln::manifest::Json;
  const Json base{{"kind", "ufunc"}, {"name", "f"}, {"signatures", {"T(T a)"}}, {"expression", "a"}};
  const auto with = [&](std::vector<Json> calls) {
    Json kernel = base;
    kernel["calls"] = std::move(calls);
    return kernel;
  };
  const Json flat{{"inputs", {"int8[4]"}}};
  const Json rows{{"inputs", {"int8[4, 4] strides [8, 1]"}}};
  kiln::manifest::KernelSet set;
  CHECK(set.add(with({flat})));
  CHECK_FALSE(set.add(with({flat})));
  CHECK(set.kernels() == std::vector<Json>{with({flat})});
  CHECK(set.add(with({flat, rows})));
  CHECK_FALSE(set.add(with({rows})));
  CHECK(set.kernels() == std::vector<Json>{with({rows, flat})});
  CHECK(set.calls() == 2);
  // Written by hand, without calls: stays as it is.
  Json hand = base;
  hand["types"] = {{{"T", "int8"}}};
  CHECK(set.add(hand));
  CHECK_FALSE(set.add(hand));
  CHECK(set.kernels() == std::vector<Json>{with({rows, flat}), hand});
}

TEST_CASE("a manifest in a file: its folder is what include_dirs are relative to") {
  const kiln::test::TemporaryDirectory folder;
  std::filesystem::create_directories(folder / "sub/inc");
  kiln::test::write_text(folder / "sub/inc/scale.h", "#define SCALE 3\n");
  const std::string kernel =
      R"({"kernel": "float32 f(float32 a) = a * SCALE", "preamble": "#include \"scale.h\"", "include_dirs": ["inc"]})";
  kiln::test::write_text(folder / "sub/m.json", with_kernels(kernel));
  const Manifest manifest = Manifest::read(folder / "sub/m.json");
  CHECK(manifest.text().find("\"inc\"") != std::string::npos);
  CHECK(manifest.text().find("sub") == std::string::npos);
#if KILN_HAVE_CPU
  CHECK(manifest.kernels("x86-64-v3").at(0).key.find("SCALE 3") != std::string::npos);
  // It reads nothing else of the system's.
  kiln::test::write_text(folder / "secret.h", "a secret\n");
  for (const std::string& name : {std::string("../../secret.h"), folder / "secret.h"}) {
    CAPTURE(name);
    auto hostile = kiln::manifest::Json::parse(kernel);
    hostile["preamble"] = "#include \"" + name + "\"\n";
    kiln::test::write_text(folder / "sub/hostile.json", with_kernels(hostile.dump()));
    std::string error;
    try {
      static_cast<void>(Manifest::read(folder / "sub/hostile.json").kernels("x86-64-v3"));
    } catch (const kiln::CompileError& refused) {
      error = refused.what();
    }
    CHECK(error.find("f.preamble:1:10: error: the header \"" + name + "\" is not read: it is outside the include folders \"" +
                     (folder / "sub/inc") + "\"; give its folder in .compile.include_dirs or its text in .compile.headers\n") ==
          0);
    CHECK(error.find("a secret") == std::string::npos);
  }
#endif
  CHECK_THROWS_WITH_AS(
      static_cast<void>(Manifest::read(folder / "none.json")),
      ("failed to read the manifest: cannot open " + (folder / "none.json") + ": No such file or directory").c_str(),
      kiln::IoError);
  kiln::test::write_text(folder / "bad.json", "[]");
  CHECK_THROWS_WITH_AS(static_cast<void>(Manifest::read(folder / "bad.json")),
                       ((folder / "bad.json") + ": /: expected an object, found a list").c_str(), kiln::CacheError);
}
