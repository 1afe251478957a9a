// Which bodies misuse their operands, with the words and the place of each, and which only look as if they did.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kiln/error.hpp"
#include "source/operand_use.hpp"

using kiln::codegen::ArrayUse;
using kiln::codegen::UserText;
using kiln::codegen::ViewUse;

namespace {

// (m,n),(n),(),(3)->(n),(),() with a last one that is a view: A, x, w, v -> y, r, o.
const std::vector<ViewUse> kViews{{"A", {"m", "n"}},  {"x", {"n"}},          {"w", {}, false, true}, {"v", {"3"}},
                                  {"y", {"n"}, true}, {"r", {}, true, true}, {"o", {""}, true}};
const std::vector<std::string> kNumbers{"m", "n", "3"};
const std::vector<ArrayUse> kArrays{{.name = "x", .type = "float32", .array = true, .read_only = true},
                                    {.name = "y", .type = "T", .array = true},
                                    {.name = "n", .type = "int64"},
                                    {.name = "u", .type = "float32", .array = true, .read_only = true, .dimensions = 1},
                                    {.name = "A", .type = "T", .array = true, .dimensions = 2},
                                    {.name = "f", .type = "float32"}};

template <class Check>
std::string finding(Check check) {
  try {
    check();
  } catch (const kiln::CompileError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    const kiln::Diagnostic& d = error.diagnostics().front();
    CHECK(d.file == "k");
    CHECK(d.severity == kiln::Severity::error);
    return std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.text;
  }
  return "";
}

std::string of_text(UserText text) {
  text.name = "k";
  text.type_variables = {{"T", kiln::DType::float32}};
  return finding([&] { check_views(text, kViews, kNumbers); });
}
std::string of_views(const std::string& body) {
  return of_text({.body = body});
}
std::string of_arrays(const std::string& body) {
  return finding([&] { check_arrays({.name = "k", .body = body}, kArrays); });
}

}  // namespace

TEST_CASE("operands: the number of indices") {
  CHECK(of_views("o() = w;") == "1:1: o has 1 index, none given; write o(0)");
  CHECK(of_views("r = w;\n  r += x();") == "2:8: x has 1 index, none given; write x(i)");
  CHECK(of_views("r = A(0);") == "1:5: A has 2 indices, 1 given; write A(i, j), or A[i] for a row");
  CHECK(of_views("r = A(0, f(1, 2), 3);") == "1:5: A has 2 indices, 3 given; write A(i, j)");
  CHECK(of_views("r = x(0, 1);") == "1:5: x has 1 index, 2 given; write x(i)");
  CHECK(of_views("r = x[0][1];") == "1:5: x has 1 index, 2 given; write x(i)");
  CHECK(of_views("r = A[0](1, 2);") == "1:5: A has 2 indices, 3 given; write A(i, j)");
  CHECK(of_views("r = A.row(0)[1][2];") == "1:5: A has 2 indices, 3 given; write A(i, j)");
  CHECK(of_views("r = A[0, 1];") == "1:5: A[…] takes one index; write A(i, j)");
  CHECK(of_views("r = A(0, 1)(2);") == "1:5: A has 2 indices, 3 given; write A(i, j)");
  CHECK(of_views("r = w(0);") == "1:5: w is a number and has no indices; write w");
  CHECK(of_views("r() = w;") == "1:1: r is a number and has no indices; write r");
  CHECK(of_views("r[0] = w;") == "1:1: r is a number and has no indices; write r");
}

TEST_CASE("operands: inputs are not written") {
  const auto refused = [](const std::string& name, const std::string& element) {
    return name + " is an input and cannot be written; write to an output, or to a copy: auto copy = " + element;
  };
  for (const char* statement : {"x(0) = 1;", "x(0) += w;", "x(0) <<= 1;", "x(0)++;", "x[0] = 1;", "x = y;", "x += 1;"}) {
    CAPTURE(statement);
    CHECK(of_views(std::string("r = 0; ") + statement) == "1:8: " + refused("x", "x(i)"));
  }
  CHECK(of_views("A[0][1] -= 1;") == "1:1: " + refused("A", "A(i, j)"));
  CHECK(of_views("A.row(0)(1) *= 2;") == "1:1: " + refused("A", "A(i, j)"));
  CHECK(of_views("for (index i = 0; i < n; ++i) {\n  ++x(i);\n}") == "2:5: " + refused("x", "x(i)"));
  CHECK(of_views("w = 1;") == "1:1: " + refused("w", "w"));
  CHECK(of_views("r = ++w;") == "1:7: " + refused("w", "w"));
}

TEST_CASE("operands: indices are integers from 0 on") {
  CHECK(of_views("r = x(0.5);") == "1:7: the index 0.5 of x is no integer; cut off its fraction: index(0.5)");
  CHECK(of_views("r = A(0, 1e3f);") == "1:10: the index 1e3f of A is no integer; cut off its fraction: index(1e3f)");
  CHECK(of_views("r = x[-.5];") == "1:7: the index -.5 of x is no integer; cut off its fraction: index(-.5)");
  CHECK(of_views("r = A(0, w);") == "1:10: the index w of A is no integer; cut off its fraction: index(w)");
  CHECK(of_views("float32 t = w * 2;\nr = x[t];") == "2:7: the index t of x is no integer; cut off its fraction: index(t)");
  CHECK(of_views("r = x(-1);") == "1:7: the index -1 of x is negative; indices count from 0, and the last is n - 1");
  CHECK(of_views("r = A[0][-2];") == "1:10: the index -2 of A is negative; indices count from 0, and the last is n - 1");
  CHECK(of_views("r = A(-2, 0) + A.row(1)(0);") ==
        "1:7: the index -2 of A is negative; indices count from 0, and the last is m - 1");
  CHECK(of_views("o(-1) = w;") == "1:3: the index -1 of o is negative; indices count from 0, and the last is o.shape(0) - 1");
}

TEST_CASE("operands: members that views have or do not have") {
  CHECK(of_views("r = A.shape;") == "1:7: A.shape takes the number of a dimension; write A.shape(0), or m");
  CHECK(of_views("r = A.shape[0];") == "1:7: A.shape takes the number of a dimension; write A.shape(0), or m");
  CHECK(of_views("r = v.shape();") == "1:7: v.shape takes the number of a dimension; write v.shape(0), or 3");
  CHECK(of_views("r = x.size;") == "1:7: x.size is the number of elements; write x.size(), and for an extent x.shape(0), or n");
  CHECK(of_views("r = x.size(0);") ==
        "1:7: x.size is the number of elements; write x.size(), and for an extent x.shape(0), or n");
  CHECK(of_views("r = A.dim;") == "1:7: A has no .dim; it has 2 dimensions, A.shape(d) and A.size(), and elements A(i, j)");
  CHECK(of_views("r = x.T();") == "1:7: x has no .T; it has 1 dimension, x.shape(d) and x.size(), and elements x(i)");
  CHECK(of_views("r = x.row(0);") == "1:7: x has 1 dimension and no rows here; write x(i)");
  CHECK(of_views("r = w.shape(0);") == "1:7: w is a number and has no .shape");
  CHECK(of_views("r = len(x);") == "1:5: kiln has no len(); write x.shape(0), or n");
}

TEST_CASE("operands: a view is no number") {
  for (const char* statement : {"r = x + 1;", "r = 1 - x;", "r = x * w;", "r = 2 * x;", "r = -x;", "r = x;", "r += x;",
                                "y(0) = x;", "if (x < 1) r = 0;"}) {
    CAPTURE(statement);
    const std::string place = "1:" + std::to_string(std::string(statement).find('x') + 1);
    CHECK(of_views(statement) == place + ": x is a view of 1 dimension and no number; write x(i)");
  }
  CHECK(of_views("y = 0;") == "1:1: y is written one element at a time; write y(i) = …");
  CHECK(of_views("y *= 2;") == "1:1: y is written one element at a time; write y(i) = …");
  CHECK(of_views("o = w;") == "1:1: o is written one element at a time; write o(0) = …");
  CHECK(of_views("r = exp(x);") == "1:9: exp takes numbers, and x is a view of 1 dimension; write x(i)");
  CHECK(of_views("r = std::max(w, A);") == "1:17: max takes numbers, and A is a view of 2 dimensions; write A(i, j)");
  CHECK(of_views("r = float32(x) + T(A);") == "1:13: float32 takes numbers, and x is a view of 1 dimension; write x(i)");
  CHECK(of_views("r = T(A);") == "1:7: T takes numbers, and A is a view of 2 dimensions; write A(i, j)");
}

TEST_CASE("operands: bodies that only look like misuse") {
  for (const char* body : {
           // As they are meant.
           "for (index i = 0; i < n; ++i) { y(i) = A(i, 0) * w + x(i) - A[i][0] + A.row(i)(0) + A[i](0); } r = w;",
           "r = x.size() + A.shape(0) + A.shape(w < 1 ? 0 : 1); auto p = y.data(); bool c = x.contiguous();",
           "auto& first = y(0); first = 1; const auto row = A.row(0); r = row(1); for (auto& e : x) r += e;",
           "r = x(0) == 1; r = x(0) <= 1; r = x(0) >= w; r = x(0) != 1; r = w == 1; r = x(0) - -1; r = x(0) + +w;",
           "r = w + + + w; r = x(0) & 1; r = w - x(index(0.5)) + x(0x1e) + x(-0) + x(-n + n) + x(int64(-1.5) + 1);",
           "y(0)++; ++y(0); r += 1; o(0) += 2; y(i < j ? i : j) = 1; r = y(0);",
           // Commas that are no indices of theirs.
           "r = x(max(0, 1)) + A(f(1, 2), g<1, 2>(3)) + x(g<1, 2>(3)) + x([](int a, int b) { return a; }(1, 2)) + x((0, 1));",
           "r = [&](auto... k) { return A(k...); }(0, 1);",
           "int32 t = 1; r = x(t); { float32 u = 1; } index u = 0; r = x(u); float n = 1; r = x(n); r = x(s.w);",
           // Comments, strings, pragmas.
           "r = 0; // x() = 1, A(0)\n/* w(0) */ auto s = \"x()\"; char c = 'x';",
           "#pragma unroll\nfor (auto e : x) r += e;",
           // Functions of views, and names for them.
           "auto sum = [](auto view) { float s = 0; for (auto e : view) s += e; return s; }; r = sum(x) + mine(A, x);",
           "auto copy = x; auto& same = y; const auto* p = &x; auto all = {x, y}; r = sizeof(x); f(A.row(0), x);",
           "auto exp = [](auto v) { return v(0); }; r = exp(x);",
           "r = mine::exp(x) + view.exp(x) + c->T(x) + shared<T>(x);",
           // Other things of their names.
           "for (index x = 0; x < n; ++x) y(x) = x + 1;",
           "float x = 0; x = 1; r = x + exp(x);",
           "float* x = p; x(1, 2); r = *x;",
           "T a, x; x = 1;",
           "for (index i = 0, x = 1; i < n; ++i) x += i;",
           "auto [a, x] = pair(); x = 1;",
           "auto& [x, a] = pair(); x = 1;",
           "auto f = [](float x) { return x + 1; };",
           "auto f = [](array<float, 3> x, const array<float, 3>& w, int (*A)(int)) { w = x = A(1); };",
           "auto f = [x = 1](auto&&... A) mutable { x = A(0) + w; };",
           "auto f = [&w = r] { w = 1; }; auto g = [A{1}] { return A + 1; };",
           "auto f = [](float a) -> float { float b = a, x = 1; x = b; return x; };",
           "float32 (x)(3); x = 1;",
           "float32 (&x)[3] = p; x = q; ",
           "decltype(w) x = 3; x = 1;",
           "struct s { float x; float A(int i) { return x = i; } }; r = s{1}.A(2);",
           "template_of<3> x; x = 4;",
           "switch (n) { case 1: float* x = p; x = q; }",
           "if (float x = w; x) x = 1;",
           "s.x = 1; s->x = 1; ns::x = 1; s.w(3); s->A(1); t = {.x = 1, .w = 2};",
           "auto f = [](auto& y, auto& w) { y = w = 1; };",
           // Macros.
           "#define x w\nr = x + 1;",
           "#if 1\nr = x(0);\n#else\nr = x();\n#endif",
       }) {
    CAPTURE(body);
    CHECK(of_views(std::string(body)) == "");
  }
  CHECK(of_text({.body = "r = x(TWO);", .preamble = "#define TWO 0, 1"}) == "");
  CHECK(of_text({.body = "r = x(TWO);", .defines = {"TWO=0, 1"}}) == "");
  CHECK(of_text({.body = "r = x(0, 1);", .preamble = "#include \"macros.h\""}) == "");
  CHECK(of_text({.body = "r = x + 1; y += 2;", .functions = "template <class V> float operator+(V v, int);"}) == "");
  CHECK(of_text({.body = "r = exp(x);", .functions = "template <class V> float exp(V v);"}) == "");
  CHECK(of_text({.body = "r = len(x);", .functions = "template <class V> float len(V v);"}) == "");
  CHECK(of_text({.body = "{ float t = 1; } r = x(t);", .preamble = "constexpr int t = 0;"}) == "");
  // Macros that the body does not name change nothing.
  CHECK(of_text({.body = "r = x();", .preamble = "#define TWO 0, 1"}) == "1:5: x has 1 index, none given; write x(i)");
}

TEST_CASE("operands: expressions around a name are no declarations of it") {
  for (const char* body :
       {"r = w * x();", "r = w * 2 * x();", "r = A(0, 1) * w * x();", "r += a[0] * w * x();", "f(w * x());", "f(1, w * x());",
        "if (w > x()) r = 0;", "return w & x();", "float f[2] = {w, x()};", "r = w ? w * 2 : w * x();", "f(w, x());",
        "if (w) x();", "else x();", "for (;;) x();", "auto f = [&x, y] { return x(); };", "r = y(x());", "r = 2 > x();"}) {
    CAPTURE(body);
    CHECK(of_views(std::string(body)).find("x has 1 index, none given; write x(i)") != std::string::npos);
  }
}

TEST_CASE("pointers of raw kernels") {
  const std::string view = "declare a view in the signature: float32[:] x";
  CHECK(of_arrays("y[item] = x(item);") == "1:11: x is a pointer and no function; write x[i], or " + view);
  const std::string plane =
      "1:11: x is a pointer and has one index, of its elements in C order; write x[i * columns + j], or declare a view in the "
      "signature: float32[:,:] x";
  CHECK(of_arrays("y[item] = x[item, 1];") == plane);
  CHECK(of_arrays("y[item] = x[item][1];") == plane);
  CHECK(of_arrays("y[item] = x.shape[0];") ==
        "1:11: x is a pointer to the elements and has no members; write x[i], and give extents as scalars, or " + view);
  CHECK(of_arrays("y[item] = x[0.5];") == "1:13: the index 0.5 of x is no integer; cut off its fraction: index(0.5)");
  CHECK(of_arrays("x[item] += 1;") == "1:1: x is only read: it is const in the signature; leave that out to write to it");
  CHECK(of_arrays("y[item] = ++x[item];") ==
        "1:13: x is only read: it is const in the signature; leave that out to write to it");
  CHECK(of_arrays("y[n()] = 1;") == "1:3: n is a number and has no indices; write n");
  for (const char* body :
       {"y[item] = x[item - 1] + x[-1] + *x + *(x + n); n = 3; x += 1; y[0]++; n++; x = y; atomic_add(&y[x[0]], 1);",
        "auto x = [](int a, int b) { return a + b; }; y[item] = x(1, 2);", "KILN_SHARED float x[2][3]; x[0][1] = 1; barrier();",
        "y[x[0] == 1] = x[0] <= n;"}) {
    CAPTURE(body);
    CHECK(of_arrays(body) == "");
  }
}

TEST_CASE("views of raw kernels") {
  CHECK(of_arrays("y[0] = A(0);") == "1:8: A has 2 indices, 1 given; write A(i, j), or A[i] for a row");
  CHECK(of_arrays("y[0] = u(0, 1);") == "1:8: u has 1 index, 2 given; write u(i)");
  CHECK(of_arrays("y[0] = A[0, 1];") == "1:8: A[…] takes one index; write A(i, j)");
  CHECK(of_arrays("y[0] = u[0.5];") == "1:10: the index 0.5 of u is no integer; cut off its fraction: index(0.5)");
  CHECK(of_arrays("y[0] = u[f];") == "1:10: the index f of u is no integer; cut off its fraction: index(f)");
  CHECK(of_arrays("y[0] = A(0, -1);") ==
        "1:13: the index -1 of A is negative; indices count from 0, and the last is A.shape(1) - 1");
  CHECK(of_arrays("y[0] = A.shape;") == "1:10: A.shape takes the number of a dimension; write A.shape(0)");
  CHECK(of_arrays("y[0] = u.strides;") ==
        "1:10: u has no .strides; it has 1 dimension, u.shape(d) and u.size(), and elements u(i)");
  const std::string only_read = "u is only read: it is const in the signature; leave that out to write to it";
  for (const char* body : {"u(0) = 1;", "u[item] += 1;", "u = y;"}) {
    CAPTURE(body);
    CHECK(of_arrays(body) == "1:1: " + only_read);
  }
  CHECK(of_arrays("A = 0;") == "1:1: A is written one element at a time; write A(i, j) = …");
  const auto no_pointer = [](int column, const std::string& name, const std::string& element, const std::string& pointer) {
    return "1:" + std::to_string(column) + ": " + name + ", and no number or pointer; write " + element +
           ", for the address of an element &" + element + ", or declare a pointer in the signature: " + pointer;
  };
  const std::string row = "u is a view of 1 dimension";
  const std::string plane = "A is a view of 2 dimensions";
  CHECK(of_arrays("auto p = u + n;") == no_pointer(10, row, "u(i)", "const float32* u"));
  CHECK(of_arrays("y[0] = *u;") == no_pointer(9, row, "u(i)", "const float32* u"));
  CHECK(of_arrays("atomic_add(A, 1);") == no_pointer(12, plane, "A(i, j)", "T* A"));
  CHECK(of_arrays("y[0] = 2 * u;") == no_pointer(12, row, "u(i)", "const float32* u"));
  CHECK(of_arrays("y[0] = sqrt(u);") == "1:13: sqrt takes numbers, and u is a view of 1 dimension; write u(i)");
  for (const char* body : {"A(0, 1) = u(item) + u[item]; A[1][2] = u.data()[0]; atomic_add(&A(n, 0), u[0]); f = 2; n += 1;",
                           "for (auto& x : A.row(0)) x = u.size() + A.ndim + A.shape(1); const T* p = &u[0]; use(u, A);",
                           "auto& a = A; auto u = [](int a) { return a; }; a(0, 0) = u(1);"}) {
    CAPTURE(body);
    CHECK(of_arrays(body) == "");
  }
}
