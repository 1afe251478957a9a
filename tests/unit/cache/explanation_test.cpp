#include "cache/explanation.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "kernel/elementwise/spec.hpp"
#include "kernel/spec.hpp"
#include "sample.hpp"

using kiln::cache::differences;
using kiln::cache::Key;
using kiln::test::sample_key;

namespace {

// Of the one field that was changed.
kiln::cache::Difference only(const std::function<void(Key&)>& change) {
  const Key wanted = sample_key();
  Key found = wanted;
  change(found);
  const auto all = differences(wanted, found);
  REQUIRE(all.size() == 1);
  return all[0];
}

void check(const kiln::cache::Difference& difference, const std::string& field, const std::string& wanted,
           const std::string& found) {
  CHECK(difference.field == field);
  CHECK(difference.wanted == wanted);
  CHECK(difference.found == found);
}

}  // namespace

TEST_CASE("each field that differs is named with both values") {
  CHECK(differences(sample_key(), sample_key()).empty());
  check(only([](Key& k) { k.target = "sm_80"; }), "target", "sm_90", "sm_80");
  check(only([](Key& k) { k.compiler = "NVRTC 12.4"; }), "compiler", "NVRTC 13.0.48", "NVRTC 12.4");
  check(only([](Key& k) { k.kiln_version = "0.2.0"; }), "kiln", "0.1.0", "0.2.0");
  check(only([](Key& k) { k.templates = "f"; }), "templates", "0123456789abcdef0123456789abcdef", "f");
  check(only([](Key& k) { k.runtime = "glibc 2.36"; }), "runtime", "", "glibc 2.36");
  for (const kiln::ArithmeticFlag& flag : kiln::kArithmeticFlags) {
    check(only([&](Key& k) { k.arithmetic.*flag.member = true; }), flag.name, "false", "true");
  }
  check(only([](Key& k) { k.debug = true; }), "debug", "false", "true");
  check(only([](Key& k) { k.defines = {"N=4"}; }), "defines", "N=3", "N=4");
  check(only([](Key& k) { k.options.push_back("-g"); }), "options", "", "-g");
  check(only([](Key& k) { std::swap(k.options[0], k.options[1]); }), "options", "-O3 -std=c++20", "-std=c++20 -O3");
  check(only([](Key& k) { k.headers["a.hpp"] = "#define A 2\n"; }), "headers/a.hpp", "1: #define A 1", "1: #define A 2");
  check(only([](Key& k) { k.headers.erase("a.hpp"); }), "headers/a.hpp", "12 bytes", "(none)");
  check(only([](Key& k) { k.headers["c.hpp"] = "1"; }), "headers/c.hpp", "(none)", "1 bytes");
}

TEST_CASE("of long texts the first lines that differ are shown, of a long target the features") {
  Key wanted = sample_key("1\n2\n3\n4\n5\n6\n7\n");
  Key found = wanted;
  found.source = "1\n2\nthree\n4\n5\n6\n7\n";
  auto all = differences(wanted, found);
  REQUIRE(all.size() == 1);
  check(all[0], "source", "3: 3\n4: 4\n5: 5", "3: three\n4: 4\n5: 5");
  found.source = "1\n2\n";
  check(differences(wanted, found)[0], "source", "3: 3\n4: 4\n5: 5", "(ends at line 3)");
  found.source = std::string(100'000, 'x') + "\n";
  CHECK(differences(wanted, found)[0].found.size() < 200);

  found = wanted;
  for (int i = 0; i < 40; ++i) wanted.target += " +feature" + std::to_string(i);
  found.target = wanted.target + " +new";
  wanted.target += " -new";
  check(differences(wanted, found)[0], "target", "-new", "+new");
}

TEST_CASE("the kernel's name is found in its rendered source") {
  kiln::codegen::UserText text;
  text.name = "dis\"crim";
  text.body = "\n#line 1 \"other\"\nreturn a;";
  text.preamble = "#define X 1\n";
  text.functions = "int f();";
  text.input_names = {"a"};
  kiln::kinds::ElementwiseSpec spec;
  spec.inputs = {{}};
  spec.outputs = {{}};
  for (const auto kind : {kiln::DeviceKind::cpu, kiln::DeviceKind::cuda}) {
    CHECK(kiln::cache::kernel_name_in(kiln::kinds::render(text, spec, kind)) == "dis\"crim");
  }
  CHECK(kiln::cache::kernel_name_in("int x;") == "");
}
