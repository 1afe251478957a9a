// Every member of every definition survives the way to its text and back, and the schema and the page have the same members.
#include "kiln/definition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/cupy.hpp"
#include "kiln/fuse.hpp"
#include "kiln/math.hpp"
#include "manifest/tables.hpp"
#include "support/message.hpp"
#include "types/each_dtype.hpp"

using namespace kiln;
using kiln::test::message_of;
using manifest::Json;

namespace {

// A member that is new in a structure does not compile here, until it has a value below.
auto members_of(Debug& debug) {
  auto& [on, nan, race] = debug;
  return std::tie(on, nan, race);
}
auto members_of(CompileOptions& options) {
  auto& [preamble, functions, headers, include_dirs, defines, contract, fast_math, same_bits, link, debug, time_limit,
         constant_variants, cache] = options;
  static_cast<void>(cache);
  return std::tie(preamble, functions, headers, include_dirs, defines, contract, fast_math, same_bits, link, debug, time_limit,
                  constant_variants);
}
auto members_of(UfuncDefinition& definition) {
  auto& [name, signatures, body, expression, identity, reorderable, widens_integers, bools_are_numbers, compile] = definition;
  return std::tie(name, signatures, body, expression, identity, reorderable, widens_integers, bools_are_numbers, compile);
}
auto members_of(GufuncDefinition& definition) {
  auto& [name, layout, signatures, each, group, shared, sizes, body, compile] = definition;
  return std::tie(name, layout, signatures, each, group, shared, sizes, body, compile);
}
auto members_of(ReductionDefinition& definition) {
  auto& [name, signatures, accumulator, map, reduce, post, identity, reorderable, compile] = definition;
  return std::tie(name, signatures, accumulator, map, reduce, post, identity, reorderable, compile);
}
auto members_of(cupy::ElementwiseDefinition& definition) {
  auto& [in_params, out_params, operation, name, preamble, loop_prep, after_loop, options, reduce_dims, return_tuple, no_return,
         compile] = definition;
  static_cast<void>(preamble);  // written as that of the compile
  return std::tie(in_params, out_params, operation, name, loop_prep, after_loop, options, reduce_dims, return_tuple, no_return,
                  compile);
}
auto members_of(cupy::ReductionDefinition& definition) {
  auto& [in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, reduce_type, preamble, options,
         reduce_dims, compile] = definition;
  static_cast<void>(preamble);  // written as that of the compile
  return std::tie(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, reduce_type, options,
                  reduce_dims, compile);
}
auto members_of(raw::CudaDefinition& definition) {
  auto& [code, options, name_expressions, backend, name, compile] = definition;
  return std::tie(code, options, name_expressions, backend, name, compile);
}
auto members_of(RawKernelDefinition& definition) {
  auto& [name, signature, body, compile] = definition;
  return std::tie(name, signature, body, compile);
}

const CompileOptions kOtherOptions{
    .preamble = "#define N 3\n",
    .functions = "// \xff\t\n",
    .headers = {{"a/b~c.h", "int a;"}, {"empty.h", ""}},
    .include_dirs = {"inc", "\xfe"},
    .defines = {"A", "B(x)=x"},
    .contract = true,
    .fast_math = true,
    .same_bits = true,
    .link = {LinkFile("dir/a.o"), LinkFile::of_bytes("b\xff", std::string("\0\xff\n", 3))},
    .debug = {.on = true, .nan = true, .race = true},
    .time_limit = std::chrono::milliseconds::max(),
    .constant_variants = 0,
};
/// Without one of those that exclude each other.
const CompileOptions kOptionsOfOne = [] {
  CompileOptions options = kOtherOptions;
  options.same_bits = false;
  return options;
}();

const UfuncDefinition kUfunc{.name = "f", .signatures = {"T(T a, T b)"}, .body = "return a;"};
const UfuncDefinition kOtherUfunc{.name = "g",
                                  .signatures = {"float32(float32 a, float32 b)", "T(T a, T b)"},
                                  .body = "return b; // \xe9",
                                  .expression = "a + b",
                                  .identity = "0",
                                  .reorderable = true,
                                  .widens_integers = true,
                                  .bools_are_numbers = false,
                                  .compile = kOptionsOfOne};
const GufuncDefinition kGufunc{.name = "f", .layout = "(n)->()", .signatures = {"void(T[:] a, T b)"}, .body = "b = a(0);"};
const GufuncDefinition kOtherGufunc{.name = "g",
                                    .layout = "(m)->(p)",
                                    .signatures = {"void(T[:] a, T[:] b)", "void(int8[:] a, int8[:] b)"},
                                    .each = "i:p",
                                    .group = "32",
                                    .shared = "int8[m]",
                                    .sizes = "p = 2 * m",
                                    .body = "b(i) = a(0);",
                                    .compile = kOptionsOfOne};
const ReductionDefinition kReduction{.name = "f", .signatures = {"T(T x)"}, .reduce = "return b;"};
const ReductionDefinition kOtherReduction{.name = "g",
                                          .signatures = {"(T y)(T x)", "(int64 y)(int8 x)"},
                                          .accumulator = "int64 y;",
                                          .map = "return {i};",
                                          .reduce = "return a;",
                                          .post = "y = a.y;",
                                          .identity = "{0}",
                                          .reorderable = true,
                                          .compile = kOptionsOfOne};
const RawKernelDefinition kRawKernel{.name = "f", .signature = "void(int64 n)", .body = ";"};
const RawKernelDefinition kOtherRawKernel{
    .name = "g", .signature = "void(T[:] x)", .body = "x[item] = 0;", .compile = kOptionsOfOne};

const cupy::ElementwiseDefinition kCupy{.in_params = "T x", .out_params = "T y", .operation = "y = x", .name = "f"};
const cupy::ElementwiseDefinition kOtherCupy{.in_params = "raw U x",
                                             .out_params = "raw U y",
                                             .operation = "y[i] = x[i] + c; // \xe9",
                                             .name = "g",
                                             .loop_prep = "const U c = 1",
                                             .after_loop = ";",
                                             .options = {"-w"},
                                             .reduce_dims = false,
                                             .return_tuple = true,
                                             .no_return = true,
                                             .compile = kOptionsOfOne};

const cupy::ReductionDefinition kCupyReduction{
    .in_params = "T x", .out_params = "T y", .map_expr = "x", .reduce_expr = "a + b", .post_map_expr = "y = a", .name = "f"};
const cupy::ReductionDefinition kOtherCupyReduction{.in_params = "U x",
                                                    .out_params = "U z",
                                                    .map_expr = "x * x",
                                                    .reduce_expr = "a * b",
                                                    .post_map_expr = "z = a; // \xe9",
                                                    .identity = "1",
                                                    .name = "g",
                                                    .reduce_type = "U",
                                                    .options = {"-w"},
                                                    .reduce_dims = false,
                                                    .compile = kOptionsOfOne};
CompileOptions without_functions(CompileOptions options) {
  options.functions.clear();
  return options;
}
const raw::CudaDefinition kCupyRaw{.code = "__global__ void f(int n) {}"};
const raw::CudaDefinition kOtherCupyRaw{.code = "template <class T> __global__ void g(T* x) {} // \xe9",
                                        .options = {"-w"},
                                        .name_expressions = {"g<int>"},
                                        .backend = "nvcc",
                                        .name = "g<float>",
                                        .compile = without_functions(kOptionsOfOne)};

template <class Definition>
bool equal(Definition a, Definition b);

template <class Value>
bool same(const Value& a, const Value& b) {
  return a == b;
}
bool same(const std::vector<LinkFile>& a, const std::vector<LinkFile>& b) {
  return std::ranges::equal(a, b, [](const LinkFile& x, const LinkFile& y) {
    return x.name == y.name && (x.bytes == nullptr) == (y.bytes == nullptr) && (x.bytes == nullptr || *x.bytes == *y.bytes);
  });
}
bool same(const CompileOptions& a, const CompileOptions& b) {
  return equal(a, b);
}

template <class Definition>
bool equal(Definition a, Definition b) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (same(std::get<I>(members_of(a)), std::get<I>(members_of(b))) && ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(members_of(a))>>{});
}

template <class Definition>
Json json_of(const Definition& definition) {
  Json json = Json::object();
  manifest::write_members(definition, json);
  return json;
}

template <class Definition>
Definition read(const Json& json) {
  Definition definition;
  const std::string name = "m.json";
  manifest::read_members(manifest::Node(json, name), definition);
  return definition;
}

/// Gives one member after the other its value in `other`.
template <class Definition>
void check_each(const Definition& base, Definition other) {
  const Json before = json_of(base);
  CHECK(equal(read<Definition>(before), base));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto check = [&](const auto& set) {
      Definition changed = base;
      set(changed);
      CAPTURE(json_of(changed).dump());
      CHECK(json_of(changed) != before);
      CHECK(equal(read<Definition>(json_of(changed)), changed));
    };
    (check([&](Definition& changed) { std::get<I>(members_of(changed)) = std::get<I>(members_of(other)); }), ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(members_of(other))>>{});
  CHECK(equal(read<Definition>(json_of(other)), other));
}

Json schema_of(const auto& table) {
  Json properties = Json::object();
  for (const auto& member : table) {
    properties[std::string(member.name)] = {{"description", member.about}, {"$ref", "#/$defs/" + std::string(member.type)}};
  }
  return properties;
}

/// Of a file in docs/.
std::string contents(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(KILN_GOLDEN_DIR "/../../docs/" + name).rdbuf();
  return text.str();
}

/// Text, function and text again.
template <class Function>
void check_text(const Function& function, const auto& definition) {
  const std::string text = definition_text(function);
  CAPTURE(text);
  const AnyFunction again = define(text);
  REQUIRE(std::holds_alternative<Function>(again));
  CHECK(definition_text(std::get<Function>(again)) == text);
  const Json json = Json::parse(text);
  CHECK(equal(read<std::remove_cvref_t<decltype(definition)>>(json), definition));
}

}  // namespace

TEST_CASE("every member of a definition survives the way to JSON and back") {
  check_each(Debug{}, {.on = true, .nan = true, .race = true});
  check_each(CompileOptions{}, kOtherOptions);
  check_each(kUfunc, kOtherUfunc);
  check_each(kGufunc, kOtherGufunc);
  check_each(kReduction, kOtherReduction);
  check_each(kRawKernel, kOtherRawKernel);
  check_each(kCupy, kOtherCupy);
  check_each(kCupyReduction, kOtherCupyReduction);
  raw::CudaDefinition raw = kOtherCupyRaw;
  raw.compile = kOptionsOfOne;
  check_each(kCupyRaw, raw);
}

TEST_CASE("the schema and the page have the members of the tables") {
  const Json schema = Json::parse(contents("manifest.schema.json")).at("$defs");
  const std::string page = contents("manifest.md");
  const auto check = [&](const char* name, const auto& table) {
    CAPTURE(name);
    CHECK(schema.at(name).at("properties").dump(1) == schema_of(table).dump(1));
    for (const auto& member : table) {
      CAPTURE(member.name);
      CHECK(schema.contains(member.type));
      const bool told = page.find("`" + std::string(member.name) + "`") != std::string::npos ||
                        page.find("\"" + std::string(member.name) + "\":") != std::string::npos;
      CHECK(told);
    }
  };
  check("debug", manifest::kMembers<Debug>);
  check("compile_members", manifest::kMembers<CompileOptions>);
  check("ufunc_members", manifest::kMembers<UfuncDefinition>);
  check("gufunc_members", manifest::kMembers<GufuncDefinition>);
  check("reduction_members", manifest::kMembers<ReductionDefinition>);
  check("kernel_members", manifest::kMembers<RawKernelDefinition>);
  check("cupy_elementwise_members", manifest::kMembers<cupy::ElementwiseDefinition>);
  check("cupy_reduction_members", manifest::kMembers<cupy::ReductionDefinition>);
  check("cupy_raw_members", manifest::kMembers<raw::CudaDefinition>);
  CHECK(schema.at("dtype").at("enum") == Json(kDTypeNames));
}

TEST_CASE("a function, its text, and a function of the text") {
  CHECK(definition_text(vectorize("float32 f(float32 a) = a * a")) == R"j({
  "expression": "a * a",
  "kind": "ufunc",
  "name": "f",
  "signatures": [
    "float32(float32 a)"
  ]
}
)j");
  UfuncDefinition ufunc = kOtherUfunc;
  ufunc.expression.clear();
  check_text(vectorize(ufunc), ufunc);
  GufuncDefinition team = kOtherGufunc;
  team.each.clear();
  check_text(guvectorize(team), team);
  GufuncDefinition indexed = kOtherGufunc;
  indexed.group.clear();
  indexed.shared.clear();
  check_text(guvectorize(indexed), indexed);
  check_text(reduction(kOtherReduction), kOtherReduction);
  check_text(reduction(kReduction), kReduction);
  check_text(kernel(kOtherRawKernel), kOtherRawKernel);
  cupy::ElementwiseDefinition canonical = kOtherCupy;
  canonical.options.clear();  // -w, which says nothing
  check_text(cupy::elementwise(kOtherCupy), canonical);
  cupy::ReductionDefinition reduction_of_cupy = kOtherCupyReduction;
  reduction_of_cupy.options.clear();
  check_text(cupy::reduction(kOtherCupyReduction), reduction_of_cupy);
  raw::CudaDefinition one = kOtherCupyRaw;
  one.options.clear();
  one.name_expressions.clear();
  one.backend = "nvrtc";
  check_text(cupy::raw_kernel({.code = one.code, .name = "g<float>", .options = {"-w"}, .compile = one.compile}).kernel(), one);
  one.backend = "nvcc";
  check_text(cupy::raw_module({.code = one.code, .name_expressions = {"g<int>"}, .backend = "nvcc", .compile = one.compile})
                 .get_function("g<float>")
                 .kernel(),
             one);
  for (const math::FunctionInfo& function : math::functions()) {
    const std::string text = definition_text(*math::find(function.name));
    CHECK(definition_text(std::get<Ufunc>(define(text))) == text);
  }
  const std::string leads =
      R"j({"kind": "reduction", "name": "f", "signatures": ["T(T x)"], "reduce": "return a + b;", "identity": "0", "identity_leads": true})j";
  const std::string text = definition_text(std::get<Reduction>(define(leads)));
  CHECK(text.find("\"identity_leads\": true") != std::string::npos);
  CHECK(definition_text(std::get<Reduction>(define(text))) == text);
  // The short form is a definition, too.
  CHECK(std::get<Gufunc>(define(R"j({"kernel": "void f(int8[:] a, int8 b) { b = a(0); }", "layout": "(n)->()"})j")).name() ==
        "f");
}

TEST_CASE("what is no definition") {
  const auto error = [](const std::string& text) { return message_of([&] { static_cast<void>(define(text)); }); };
  CHECK(error(R"j({"kernel": "int8 f(int8 a) = a", "fast_maths": true})j") ==
        "definition: /: unknown member \"fast_maths\": did you mean \"fast_math\"?");
  CHECK(error(R"j({"kernel": "int8 f(int8 a) = a", "debug": {"ran": true}})j") ==
        "definition: /debug: unknown member \"ran\": did you mean \"nan\"?");
  CHECK(error(R"j({"kernel": "T f(T a) = a", "types": [{"T": "int8"}]})j")
            .starts_with("definition: /: unknown member \"types\"; the members are \"kind\", \"kernel\", \"name\", "));
  CHECK(error(R"j({"kind": "ufunc", "name": "f", "signatures": ["float31(float32 a)"], "body": "return a;"})j")
            .starts_with("definition: /signatures/0: unknown dtype \"float31\": did you mean \"float32\"?"));
  CHECK(error(R"j({"kernel": "int8 f(int8 a) = a", "time_limit_ms": 1.5})j") ==
        "definition: /time_limit_ms: expected an integer from -9223372036854775808 to 9223372036854775807, found 1.5");
  CHECK(error(R"j({"kernel": "int8 f(int8 a) = a", "constant_variants": 1e10})j") ==
        "definition: /constant_variants: expected an integer from 0 to 2147483647, found 10000000000.0");
  CHECK(error(R"j({"kind": "cupy.raw", "code": "__global__ void f() {}\n__global__ void g() {}"})j") ==
        "definition: /: the code has several kernels: f, g; say with \"name\" which one is meant");
  CHECK(error("{}") == "definition: /: the member \"kind\" is missing");
  CHECK(message_of([] { static_cast<void>(define("[]", "a.json")); }) == "a.json: /: expected an object, found a list");
}

TEST_CASE("what has no text") {
  const UfuncDefinition cached{
      .name = "f", .signatures = {"int8(int8 a)"}, .expression = "a", .compile = {.cache = Cache(CacheOptions{})}};
  CHECK(message_of([&] { static_cast<void>(definition_text(vectorize(cached))); }) ==
        "f has no text: its .compile.cache is a handle; leave it out of the definition");
  const UfuncDefinition header{
      .name = "f", .signatures = {"int8(int8 a)"}, .expression = "a", .compile = {.headers = {{"a\xff.h", ""}}}};
  CHECK(message_of([&] { static_cast<void>(definition_text(vectorize(header))); }) ==
        "f has no text: \"a?.h\" is not UTF-8, which JSON cannot hold");
  const Ufunc fused = fuse("both", [](const Expr& a, const Expr& b) { return math::add(a, math::negative(b)); });
  CHECK(message_of([&] { static_cast<void>(definition_text(fused)); }) ==
        "both has no text: it is a ufunc of fuse(), and its loops depend on the dtypes of a call; take the texts of its "
        "ufuncs, or record its calls");
  CHECK(message_of([] { static_cast<void>(definition_text(reduction(math::multiply, math::add))); }) ==
        "add_of_multiply has no text: it is a reduction of two ufuncs, and its loops depend on the dtypes of a call; take the "
        "texts of its ufuncs, or record its calls");
  CHECK(message_of([] { static_cast<void>(definition_text(Ufunc())); }) ==
        "this Ufunc is empty; make one with vectorize() or fuse()");
}
