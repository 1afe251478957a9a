// Snippets of docs/debugging.md.
#include <chrono>
#include <iostream>
#include <kiln/kiln.hpp>
#include <string>

using kiln::Array;
using kiln::DType;
using namespace std::chrono_literals;

namespace {

/// Prints the fault of a call.
template <class Call>
void fault(const Call& call) {
  try {
    call();
    std::cout << "no fault\n";
  } catch (const kiln::Error& error) {
    std::cout << error.what() << "\n";
  }
}

}  // namespace

int main() {
  kiln::Device::set_default(kiln::Device::cpu({.threads = 1}));  // so that the first fault is the same one
  {
    const Array x = kiln::linspace(0, 1, 101).astype<float>(), bins = Array::zeros(10, DType::int32);
    // snippet: histogram
    const auto histogram = kiln::kernel({
        .name = "histogram",
        .signature = "void(const float32[:] x, float32 xmin, float32 xmax, int32[:] histogram_out)",
        .body = "const index bin_number = index((x[item] - xmin) / (xmax - xmin) * 10);\n"
                "atomic_add(&histogram_out[bin_number], 1);",
        .compile = {.debug = {.on = true}},
    });
    // end
    // snippet: histogram_fault
    fault([&] { histogram({.size = x.size()}, x, 0, 1, bins); });
    // end
  }
  {
    const Array count = Array::zeros(1, DType::int32);
    // snippet: counter
    auto counter = kiln::kernel({
        .name = "counter",
        .signature = "void(int32[:] count)",
        .body = "count[0] += 1;",
        .compile = {.debug = {.race = true}},
    });
    // end
    // snippet: counter_fault
    fault([&] {
      // end
      // snippet: counter
      counter.configure(4, 64)(count);
      // end
      // snippet: counter_fault
    });
    // end
  }
  {
    const kiln::CompileOptions race = {.debug = {.race = true}};
    // snippet: barrier
    const auto k =
        kiln::kernel({.name = "k", .signature = "void(int32 n)", .body = "if (thread.x < n)\n  barrier();", .compile = race});
    fault([&] { k.configure(1, 4)(2); });
    // end

    // snippet: raw
    const auto histogram = kiln::vectorize({
        .name = "histogram",
        .signatures = {"(raw int32 counts)(int32 x)"},
        .body = "counts[x] += 1;",
        .compile = race,
    });
    fault([&] { histogram(Array::from({3, 0, 3, 3}), {.out = Array::zeros(4, DType::int32)}); });
    // end
  }
  {
    const kiln::CompileOptions on = {.debug = {.on = true}};
    const auto sorted = kiln::kernel({.name = "sorted",
                                      .signature = "void(const float32[:] x, int64 n)",
                                      .body = R"(
        const index i = item;
        // snippet: assert
        assert(i < n && "the caller sorts");
        print("{}: {:.3f}", i, x[i]);
        // end
        )",
                                      .compile = on});
    // snippet: assert_output
    sorted({.size = 2}, Array::from({0.5F, 1.5F}), 2);
    fault([&] { sorted({.size = 2}, Array::from({0.5F, 1.5F}), 1); });
    // end

    std::string printed;
    const auto log = [&](std::string_view text) { printed += text; };
    // snippet: set_print
    kiln::set_print([&](std::string_view text) { log(text); });  // {}: a line on standard output for each, which is the default
    // end
    sorted({.size = 1}, Array::from({0.5F}), 1);
    if (printed.find("0: 0.500") == std::string::npos) return 1;

    const Array a = Array::from({1.0F});
    const auto f = kiln::vectorize({.name = "endless",
                                    .signatures = {"float32(float32 a)"},
                                    .body = "while (a > 0) a += 1e-9f; return a;",
                                    .compile = on});
    // snippet: timeout
    fault([&] {
      // end
      // snippet: timeout_call
      f(a, {.timeout = 200ms});  // ends the call, and the loop
      // end
      // snippet: timeout
    });
    // end

    const auto deep = kiln::vectorize(
        {.name = "deep",
         .signatures = {"int64(int64 n)"},
         .body = "return depth(n);",
         .compile = {
             .functions =
                 "int64 depth(int64 n) {\n  volatile int64 t[64] = {n};\n  return n < 0 ? t[0] : depth(n + 1) + t[n % 64];\n}",
             .debug = {.on = true}}});
    const auto null = kiln::kernel(
        {.name = "k", .signature = "void(int64 n)", .body = "int32* p = nullptr;\nif (item == n)\n  *p = 1;", .compile = on});
    const auto past =
        kiln::kernel({.name = "k",
                      .signature = "void(int32 n)",
                      .body = "KILN_SHARED int32 t[8];\nvolatile int32* p = t;\nfor (int64 i = 0; i < n; ++i) p[i] = 1;",
                      .compile = on});
    const auto trap =
        kiln::vectorize({.name = "k", .signatures = {"int32(int32 a)"}, .body = "__builtin_trap(); return a;", .compile = on});
    // snippet: signals
    fault([&] { deep(1); });
    fault([&] { null({.size = 100}, 43); });
    fault([&] { past.configure(1, 1)(1 << 24); });
    fault([&] { trap(1); });
    // end
  }
}
