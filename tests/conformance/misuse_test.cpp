// Misuse of operands in bodies: the words, the place, and that all compilers have the same.
#include <map>
#include <span>
#include <string>
#include <vector>

#include "devices.hpp"
#include "every_compiler.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::CompileError;
using kiln::Diagnostic;

namespace {

struct Case {
  std::string statement;
  std::string expected;  ///< "COLUMN: text"
};

/// A matrix, a vector, numbers and a view of one, with sizes by name and known ones.
kiln::GufuncDefinition gufunc_of(const std::string& body) {
  return {.name = "misuse",
          .layout = "(m,n),(n),(),(3)->(n),(),()",
          .signatures = {"void(T[:,:] A, T[:] x, T w, T[:] v, T[:] y, T r, T[:] o) where T: float32"},
          .body = body + "\ny(0) += 0; r += 0; o(0) += 0;"};  // every output is assigned
}

kiln::RawKernelDefinition kernel_of(const std::string& body) {
  return {.name = "misuse",
          .signature = "void(const float32* x, T* y, int64 n, const float32[:] u, T[:,:] A, float32 f) where T: float32",
          .body = body};
}

/// "COLUMN: text" of the errors by lines.
template <class Make>
std::multimap<int, std::string> errors_by_line(const Make& make) {
  std::multimap<int, std::string> found;
  try {
    make();
  } catch (const CompileError& error) {
    for (const Diagnostic& each : error.diagnostics()) {
      if (each.severity != kiln::Severity::error) continue;
      CHECK(each.file == "misuse");
      found.emplace(each.line, std::to_string(each.column) + ": " + each.text);
    }
  }
  return found;
}

/// Compiles the statements, some at once since compilers stop at 20 errors, each in a line of its own.
template <class Compile>
void check_cases(std::span<const Case> cases, const Compile& compile) {
  constexpr std::size_t kAtOnce = 12;
  for (std::size_t begin = 0; begin < cases.size(); begin += kAtOnce) {
    const auto some = cases.subspan(begin, std::min(kAtOnce, cases.size() - begin));
    std::string body;
    for (const Case& each : some) body += each.statement + "\n";
    const auto found = errors_by_line([&] { compile(body); });
    for (std::size_t k = 0; k < some.size(); ++k) {
      CAPTURE(some[k].statement);
      const auto [first, end] = found.equal_range(static_cast<int>(k) + 1);
      REQUIRE(first != end);
      CHECK(first->second == some[k].expected);
      CHECK(std::next(first) == end);
    }
  }
}

void check_gufunc(std::span<const Case> cases) {
  on_every_compiler([&](const Compiler& compiler) {
    check_cases(cases, [&](const std::string& body) { (void)kiln::guvectorize(gufunc_of(body)).compile(compiler.target); });
  });
}

void check_kernel(std::span<const Case> cases, bool debug = false) {
  on_every_compiler([&](const Compiler& compiler) {
    check_cases(cases, [&](const std::string& body) {
      kiln::RawKernelDefinition definition = kernel_of(body);
      definition.compile.debug.on = debug;
      (void)kiln::kernel(definition).compile(compiler.target);
    });
  });
}

std::string column_of(const std::string& statement, char name) {
  return std::to_string(statement.find(name) + 1) + ": ";
}

}  // namespace

TEST_CASE("misuse: the number of indices") {
  check_gufunc(std::vector<Case>{{"o() = w;", "1: o has 1 index, none given; write o(0)"},
                                 {"  r += x();", "8: x has 1 index, none given; write x(i)"},
                                 {"r = A(0);", "5: A has 2 indices, 1 given; write A(i, j), or A[i] for a row"},
                                 {"r = A(0, max(1, 2), 3);", "5: A has 2 indices, 3 given; write A(i, j)"},
                                 {"r = x(0, 1);", "5: x has 1 index, 2 given; write x(i)"},
                                 {"r = x[0][1];", "5: x has 1 index, 2 given; write x(i)"},
                                 {"r = A[0](1, 2);", "5: A has 2 indices, 3 given; write A(i, j)"},
                                 {"r = A.row(0)[1][2];", "5: A has 2 indices, 3 given; write A(i, j)"},
                                 {"r = A(0, 1)(2);", "5: A has 2 indices, 3 given; write A(i, j)"},
                                 {"r = w * x() + w;", "9: x has 1 index, none given; write x(i)"},
                                 {"r = w(0);", "5: w is a number and has no indices; write w"},
                                 {"r() = w;", "1: r is a number and has no indices; write r"},
                                 {"r[0] = w;", "1: r is a number and has no indices; write r"}});
}

TEST_CASE("misuse: inputs are not written") {
  const auto refused = [](const char* place, const std::string& name, const std::string& element) {
    return std::string(place) + ": " + name +
           " is an input and cannot be written; write to an output, or to a copy: auto copy = " + element;
  };
  std::vector<Case> cases;
  for (const char* statement : {"x(0) = 1;", "x(0) += w;", "x(0) <<= 1;", "x(0)++;", "x[0] = 1;", "x = y;", "x += 1;"}) {
    cases.push_back({statement, refused("1", "x", "x(i)")});
  }
  cases.push_back({"A[0][1] -= 1;", refused("1", "A", "A(i, j)")});
  cases.push_back({"A.row(0)(1) *= 2;", refused("1", "A", "A(i, j)")});
  cases.push_back({"  ++x(0);", refused("5", "x", "x(i)")});
  cases.push_back({"w = 1;", refused("1", "w", "w")});
  cases.push_back({"r = ++w;", refused("7", "w", "w")});
  check_gufunc(cases);
}

TEST_CASE("misuse: indices are integers") {
  const auto refused = [](const char* place, const std::string& name, const std::string& given) {
    return std::string(place) + ": the index " + given + " of " + name + " is no integer; cut off its fraction: index(" +
           given + ")";
  };
  check_gufunc(std::vector<Case>{{"r = x(0.5);", refused("7", "x", "0.5")},
                                 {"r = A(0, 1e3f);", refused("10", "A", "1e3f")},
                                 {"r = x[-.5];", refused("7", "x", "-.5")},
                                 {"r = A(0, w);", refused("10", "A", "w")},
                                 {"float32 t = w * 2; r = x[t];", refused("26", "x", "t")},
                                 {"r = x(w * 2);", refused("7", "x", "w * 2")},
                                 {"r = A[0](w / 2);", refused("10", "A", "w / 2")},
                                 // Which of two it is, nothing tells.
                                 {"r = A(n - 1, w);", "6: the index is no integer; cut off its fraction: index(x)"}});
}

TEST_CASE("misuse: members that views have or do not have") {
  check_gufunc(std::vector<Case>{
      {"r = A.shape;", "7: A.shape takes the number of a dimension; write A.shape(0), or m"},
      {"r = A.shape[0];", "7: A.shape takes the number of a dimension; write A.shape(0), or m"},
      {"r = v.shape();", "7: v.shape takes the number of a dimension; write v.shape(0), or 3"},
      {"r = x.size;", "7: x.size is the number of elements; write x.size(), and for an extent x.shape(0), or n"},
      {"r = x.size(0);", "7: x.size is the number of elements; write x.size(), and for an extent x.shape(0), or n"},
      {"r = A.dim;", "7: A has no .dim; it has 2 dimensions, A.shape(d) and A.size(), and elements A(i, j)"},
      {"r = x.T();", "7: x has no .T; it has 1 dimension, x.shape(d) and x.size(), and elements x(i)"},
      {"r = x.row(0);", "7: x has 1 dimension and no rows here; write x(i)"},
      {"r = w.shape(0);", "7: w is a number and has no .shape"},
      {"r = len(x);", "5: kiln has no len(); write x.shape(0), or n"}});
}

TEST_CASE("misuse: a view is no number") {
  std::vector<Case> cases;
  for (const char* statement : {"r = x + 1;", "r = 1 - x;", "r = x * w;", "r = 2 * x;", "r = -x;", "r = x;", "r += x;",
                                "y(0) = x;", "if (x < 1) r = 0;", "if (x) r = 0;", "r = w == x;"}) {
    cases.push_back({statement, column_of(statement, 'x') + "x is a view of 1 dimension and no number; write x(i)"});
  }
  cases.insert(cases.end(), {{"y = 0;", "1: y is written one element at a time; write y(i) = …"},
                             {"y *= 2;", "1: y is written one element at a time; write y(i) = …"},
                             {"o = w;", "1: o is written one element at a time; write o(0) = …"},
                             {"r = exp(x);", "9: exp takes numbers, and x is a view of 1 dimension; write x(i)"},
                             {"r = std::max(w, A);", "17: max takes numbers, and A is a view of 2 dimensions; write A(i, j)"},
                             {"r = float32(x) + 1;", "13: float32 takes numbers, and x is a view of 1 dimension; write x(i)"},
                             {"r = T(A);", "7: T takes numbers, and A is a view of 2 dimensions; write A(i, j)"}});
  check_gufunc(cases);
}

TEST_CASE("misuse: pointers of raw kernels") {
  const std::string view = "declare a view in the signature: float32[:] x";
  const std::string plane =
      "11: x is a pointer and has one index, of its elements in C order; write x[i * columns + j], or declare a view in the "
      "signature: float32[:,:] x";
  check_kernel(std::vector<Case>{
      {"y[item] = x(item);", "11: x is a pointer and no function; write x[i], or " + view},
      {"y[item] = x[item][1];", plane},
      {"y[item] = x.shape[0];",
       "11: x is a pointer to the elements and has no members; write x[i], and give extents as scalars, or " + view},
      {"y[item] = x[0.5];", "13: the index 0.5 of x is no integer; cut off its fraction: index(0.5)"},
      {"x[item] += 1;", "1: x is only read: it is const in the signature; leave that out to write to it"},
      {"y[item] = ++x[item];", "13: x is only read: it is const in the signature; leave that out to write to it"},
      {"y[n()] = 1;", "3: n is a number and has no indices; write n"}});
  CHECK(errors_by_line([] { (void)kiln::kernel(kernel_of("y[item] = x[item, 1];")); }).find(1)->second == plane);
}

TEST_CASE("misuse: views of raw kernels") {
  const std::string only_read = "1: u is only read: it is const in the signature; leave that out to write to it";
  const auto no_pointer = [](const char* place, const std::string& name, const std::string& element,
                             const std::string& pointer) {
    return std::string(place) + ": " + name + ", and no number or pointer; write " + element +
           ", for the address of an element &" + element + ", or declare a pointer in the signature: " + pointer;
  };
  const std::string row = "u is a view of 1 dimension";
  const std::string plane = "A is a view of 2 dimensions";
  const std::vector<Case> cases{
      {"y[0] = A(0);", "8: A has 2 indices, 1 given; write A(i, j), or A[i] for a row"},
      {"y[0] = u(0, 1);", "8: u has 1 index, 2 given; write u(i)"},
      {"y[0] = u[f];", "10: the index f of u is no integer; cut off its fraction: index(f)"},
      {"y[0] = A.shape;", "10: A.shape takes the number of a dimension; write A.shape(0)"},
      {"y[0] = u.strides;", "10: u has no .strides; it has 1 dimension, u.shape(d) and u.size(), and elements u(i)"},
      {"u(0) = 1;", only_read},
      {"u[item] += 1;", only_read},
      {"u = y;", only_read},
      {"A = 0;", "1: A is written one element at a time; write A(i, j) = …"},
      {"auto p = u + n;", no_pointer("10", row, "u(i)", "const float32* u")},
      {"y[0] = *u;", no_pointer("9", row, "u(i)", "const float32* u")},
      {"const float32* q = u;", no_pointer("20", row, "u(i)", "const float32* u")},
      {"atomic_add(A, 1);", no_pointer("12", plane, "A(i, j)", "T* A")},
      {"y[0] = 2 * u;", no_pointer("12", row, "u(i)", "const float32* u")},
      {"y[0] = sqrt(u);", "13: sqrt takes numbers, and u is a view of 1 dimension; write u(i)"}};
  check_kernel(cases);
  check_kernel(cases, true);
}

TEST_CASE("misuse: in functions of the user's, which have no operands by name") {
  on_every_compiler([](const Compiler& compiler) {
    const auto first = [&](const std::string& body, const std::string& functions = "") {
      kiln::GufuncDefinition definition = gufunc_of(body);
      definition.compile.functions = functions;
      try {
        (void)kiln::guvectorize(definition).compile(compiler.target);
      } catch (const CompileError& error) {
        for (const Diagnostic& each : error.diagnostics()) {
          if (each.severity == kiln::Severity::error) return each.file + ":" + std::to_string(each.line) + ": " + each.text;
        }
      }
      return std::string();
    };
    const std::string count = "the number of indices is not that of the operand's dimensions";
    const std::string fraction = "the index is no integer; cut off its fraction: index(x)";
    CHECK(first("auto f = [](auto g) { return g(0, 1); };\nr = f(x);") == "misuse:1: " + count);
    CHECK(first("auto f = [](auto g) { return g(0.5); };\nr = f(x);") == "misuse:1: " + fraction);
    CHECK(first("r = mine(A);", "template <class V> float32 mine(V g) { return g(1); }") == "misuse.functions:1: " + count);
    CHECK(first("r = mine(x);", "template <class V> float32 mine(V g) { return g[2.5]; }") ==
          "misuse.functions:1: " + fraction);
    CHECK(first("r = x(ZERO_AND_ONE);", "#define ZERO_AND_ONE 0, 1") == "misuse:1: " + count);
    // A function of the user's says itself what it takes.
    CHECK(first("r = mine(x, w, w);", "template <class V> float32 mine(V g) { return g(0); }").find("mine") !=
          std::string::npos);
  });
}

TEST_CASE("misuse: literal indices are told when a gufunc or a kernel is defined") {
  const auto defined = [](const char* body) { return errors_by_line([&] { (void)kiln::guvectorize(gufunc_of(body)); }); };
  CHECK(defined("r = w;\n r += x(-1);").find(2)->second ==
        "9: the index -1 of x is negative; indices count from 0, and the last is n - 1");
  CHECK(defined("r = A[0, 1];").find(1)->second == "5: A[…] takes one index; write A(i, j)");
  CHECK(errors_by_line([] { (void)kiln::kernel(kernel_of("A(0, -1) = 0;")); }).find(1)->second ==
        "6: the index -1 of A is negative; indices count from 0, and the last is A.shape(1) - 1");
  CHECK(defined("r = x(0, 1) + A;").empty());  // a compiler's
}

TEST_CASE("misuse: bodies that only look like misuse compile") {
  on_every_compiler([](const Compiler& compiler) {
    for (const char* body : {
             "auto& first = y(0); first = 1; const auto row = A.row(0); r = row(1) + A[0][1] + A[0](1); o(0)++;",
             "auto sum = [](auto view) { float32 s = 0; for (auto e : view) s += e; return s; }; r = sum(x) + sum(A.row(0));",
             "r = x(max(index(0), n - 1)) + A([](int a, int b) { return a + b; }(0, 0), 0); // x()\n/* w(0) */",
             "for (index x = 0; x < n; ++x) y(x) = x + 1;",
             "auto f = [](float32 x, auto&& A) { x = x + A; return x; }; r = f(w, 2);",
             "r = [&](auto... k) { return A(k...); }(0, 1); float32 a = 1, b = a * x(0), w2 = b; r += w2;",
             "const auto copy = x; auto& same = y; same(0) = copy(int8(0)) + copy(true) + copy(0U) + copy(int64(w));",
             "auto exp = [](const auto& v) { return v(0); }; r = exp(x);",
             "#pragma unroll\nfor (index i = 0; i < 4; ++i) r = x(i) - -w;",
             "enum { kFirst }; r = x(kFirst) + A(kFirst, size_t(1));",
         }) {
      CAPTURE(std::string(body));
      CHECK_NOTHROW((void)kiln::guvectorize(gufunc_of(body)).compile(compiler.target));
    }
    kiln::GufuncDefinition asked = gufunc_of("r = first(x) + first(A);");
    asked.compile.functions =
        "template <class V, class... I> concept takes = requires(V v, I... i) { v(i...); };\n"
        "template <class V> float32 first(const V& v) {\n"
        "  static_assert(!takes<V, float32> && !takes<V, float64, int> && !takes<V> && takes<V, index> != takes<V, int, "
        "index>);\n"
        "  if constexpr (takes<V, int, int>) return v(0, 0); else return v(0);\n}";
    CHECK_NOTHROW((void)kiln::guvectorize(asked).compile(compiler.target));
    kiln::GufuncDefinition mine = gufunc_of("r = exp(x) + (x + 1);");
    mine.compile.functions =
        "template <class V> float32 exp(const V& v) { return v(0); }\n"
        "template <class V> float32 operator+(const V& v, int i) { return v(i); }";
    CHECK_NOTHROW((void)kiln::guvectorize(mine).compile(compiler.target));
  });
}
