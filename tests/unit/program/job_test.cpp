#include "program/job.hpp"
#include "kernel/elementwise/spec.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "../base/temporary_directory.hpp"
#include "base/have_cpu.hpp"
#include "cache/disk_store.hpp"
#include "cache/key.hpp"
#include "compiler/compiler.hpp"
#include "counting_compiler.hpp"
#include "kiln/version.hpp"

using kiln::DeviceKind;
using kiln::program::Job;
using kiln::program::make_job;
using kiln::program::Request;
using kiln::test::CountingCompiler;

namespace {

struct Definition {
  Definition() {
    text.name = "k";
    text.body = "return a + ONE;";
    text.preamble = "#include \"mine.hpp\"\n";
    text.input_names = {"a"};
    spec = kiln::kinds::ElementwiseSpec{.inputs = {{}}, .outputs = {{}}};
    text.defines = {"N=3"};
    headers["mine.hpp"] = "#include \"deeper.hpp\"\n";
    headers["deeper.hpp"] = "#define ONE 1\n";
    headers["unused.hpp"] = "#define TWO 2\n";
  }
  [[nodiscard]] Request request() const {
    return {.source = kiln::kinds::make_source({.text = text,
                                                .spec = spec,
                                                .target = kiln::DeviceKind::cuda,
                                                .kind = "ufunc",
                                                .signature = signature,
                                                .headers = headers,
                                                .include_dirs = include_dirs}),
            .arithmetic = arithmetic};
  }
  kiln::codegen::UserText text;
  kiln::kinds::ElementwiseSpec spec;
  std::map<std::string, std::string> headers;
  std::vector<std::string> include_dirs;
  kiln::Arithmetic arithmetic;
  std::string signature = "float64(float64 a)";
};

nlohmann::json key_of(const Definition& definition, const CountingCompiler& compiler) {
  return nlohmann::json::parse(make_job(definition.request(), compiler).key);
}

}  // namespace

TEST_CASE("a job holds what the compiler is given, and a key of all of it") {
  const Definition definition;
  const CountingCompiler compiler;
  const Job job = make_job(definition.request(), compiler);
  CHECK(job.compile.name == "k");
  CHECK(job.compile.context == "float64(float64 a)");
  CHECK(job.compile.source == definition.request().source.text);
  CHECK(job.compile.source.find("#line 1 \"k.defines\"\n#define N 3\n") != std::string::npos);
  CHECK(nlohmann::json::parse(job.key)["defines"] == nlohmann::json({"N=3"}));
  CHECK(job.body == "return a + ONE;");
  CHECK(job.digest == kiln::cache::digest(job.key));
  CHECK(job.compile.headers.at("deeper.hpp") == "#define ONE 1\n");
  CHECK_FALSE(job.compile.headers.contains("unused.hpp"));

  const auto key = nlohmann::json::parse(job.key);
  CHECK(key["kiln"] == KILN_VERSION);
  CHECK(key["source"] == job.compile.source);
  CHECK(key["options"] == nlohmann::json::array({"-count"}));
  CHECK(key["target"] == "sm_90");
  CHECK(key["compiler"] == "Counting 1");
  CHECK(key["runtime"] == "");
  CHECK(key["templates"].get<std::string>().size() == 32);
}

TEST_CASE("a job whose text divides integers has it as it is written, too") {
  Definition definition;
  const CountingCompiler compiler;
  CHECK(make_job(definition.request(), compiler).as_written.empty());
  definition.text.body = "return a / ONE;";
  const Job job = make_job(definition.request(), compiler);
  CHECK(job.compile.source.find("return a %kiln_by/ ONE;") != std::string::npos);
  CHECK(job.as_written.find("return a / ONE;") != std::string::npos);
  CHECK(job.compile.headers.contains("kiln/core/division.hpp"));
  CHECK(nlohmann::json::parse(job.key)["source"] == job.compile.source);
}

TEST_CASE("the key repeats the user's headers, not the library's own") {
  Definition definition;
  const CountingCompiler compiler;
  const Job job = make_job(definition.request(), compiler);
  CHECK(nlohmann::json::parse(job.key)["headers"] ==
        nlohmann::json::array({{"deeper.hpp", "#define ONE 1\n"}, {"mine.hpp", "#include \"deeper.hpp\"\n"}}));
  std::string own;
  for (const auto& [name, text] : job.compile.headers) {
    if (kiln::codegen::embedded_headers().contains(name)) own = name;
  }
  REQUIRE_FALSE(own.empty());

  // A file of the user's under the name of one of the library's takes part, and so is in the key.
  definition.headers[own] = "// mine\n";
  const auto headers = key_of(definition, compiler)["headers"];
  CHECK(std::find(headers.begin(), headers.end(), nlohmann::json::array({own, "// mine\n"})) != headers.end());
}

TEST_CASE("only CPU code depends on the C library") {
  const Definition definition;
  const auto key = key_of(definition, CountingCompiler({}, DeviceKind::cpu));
  CHECK(key["runtime"].get<std::string>().starts_with("glibc 2."));
}

TEST_CASE("what can change the code changes the digest, what cannot does not") {
  std::vector<std::function<void(Definition&, CountingCompiler&)>> changes{
      [](Definition& d, CountingCompiler&) { d.text.body += " "; },
      [](Definition& d, CountingCompiler&) { d.text.functions = "int f();"; },
      [](Definition& d, CountingCompiler&) { d.headers["deeper.hpp"] = "#define ONE 2\n"; },
      [](Definition& d, CountingCompiler&) { d.text.defines = {"N=4"}; },
      [](Definition& d, CountingCompiler&) { d.text.defines.clear(); },
      [](Definition& d, CountingCompiler&) { d.spec.wide_index = true; },
      [](Definition& d, CountingCompiler&) { d.spec.inputs[0].compute = kiln::DType::float32; },
      [](Definition&, CountingCompiler& c) { c.version_text = "2"; },
      [](Definition&, CountingCompiler& c) { c.target_text = "sm_80"; },
  };
  for (const kiln::ArithmeticFlag& flag : kiln::kArithmeticFlags) {
    changes.emplace_back([&](Definition& d, CountingCompiler&) { d.arithmetic.*flag.member = true; });
  }
  const auto digest = [](const Definition& definition, const CountingCompiler& compiler) {
    return make_job(definition.request(), compiler).digest;
  };
  const std::string original = digest(Definition{}, CountingCompiler{});
  std::set<std::string> digests{original};
  for (const auto& change : changes) {
    Definition definition;
    CountingCompiler compiler;
    change(definition, compiler);
    digests.insert(digest(definition, compiler));
  }
  CHECK(digests.size() == changes.size() + 1);

  Definition same;
  same.signature = "another text of the same loop";
  same.headers["unused.hpp"] += "changed";
  same.include_dirs = {"/nowhere"};
  CHECK(digest(same, CountingCompiler{}) == original);
}

TEST_CASE("an entry of a key with any one field changed is a miss") {
  const kiln::test::TemporaryDirectory folder;
  kiln::cache::DiskStore store(folder.path(), {}, 1 << 30, nullptr);
#if KILN_HAVE_CPU
  const auto compiler = kiln::backend::compiler_for("native");
#else
  const auto compiler = std::make_shared<const CountingCompiler>();
#endif
  const Definition definition;
  const auto key = kiln::cache::parse_key(make_job(definition.request(), *compiler).key);
  REQUIRE(key);
  using Key = kiln::cache::Key;
  const std::vector<std::function<void(Key&)>> changes{
      [](Key& k) { k.kiln_version += ".1"; },
      [](Key& k) { k.templates[0] ^= 1; },
      [](Key& k) { k.source += ' '; },
      [](Key& k) { k.headers["deeper.hpp"] += ' '; },
      [](Key& k) { k.headers.erase("deeper.hpp"); },
      [](Key& k) { k.headers.emplace("more.hpp", ""); },
      [](Key& k) { k.options.push_back(""); },
      [](Key& k) { k.options.pop_back(); },
      [](Key& k) { k.defines[0] = "N=4"; },
      [](Key& k) { k.defines.emplace_back("M"); },
      [](Key& k) { k.arithmetic.contract = !k.arithmetic.contract; },
      [](Key& k) { k.arithmetic.fast_math = !k.arithmetic.fast_math; },
      [](Key& k) { k.target += " +more"; },
      [](Key& k) { k.compiler += ".1"; },
      [](Key& k) { k.runtime += ".1"; },
  };
  kiln::cache::Record record;
  record.payload = "code";
  store.put(key->canonical(), record);
  CHECK(store.find(key->canonical()));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    Key changed = *key;
    changes[i](changed);
    CHECK_FALSE(store.find(changed.canonical()));
    // Nor is it found by the name of the other's file.
    kiln::cache::Flaw why;
    CHECK_FALSE(kiln::cache::decode(kiln::cache::encode(changed.canonical(), record), key->canonical(), &why));
    CHECK(why.reason == kiln::cache::Miss::other_key);
  }
}

TEST_CASE("a header from a folder takes part by its text") {
  const kiln::test::TemporaryDirectory folder;
  Definition definition;
  definition.headers.erase("deeper.hpp");
  definition.include_dirs = {folder.path()};
  const CountingCompiler compiler;
  CHECK_THROWS_AS((void)make_job(definition.request(), compiler), kiln::IoError);
  kiln::test::write_text(folder / "deeper.hpp", "#define ONE 1\n");
  const std::string first = make_job(definition.request(), compiler).digest;
  kiln::test::write_text(folder / "deeper.hpp", "#define ONE 1.0\n");
  CHECK(make_job(definition.request(), compiler).digest != first);
}
