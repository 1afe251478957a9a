// What a resolution says of the kernel, on every device.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/gufunc.hpp"

using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;

TEST_CASE("resolve: what a thread computes, which sizes are constants, and how cores lie") {
  const auto product = [](const std::string& each, const std::string& body) {
    return kiln::guvectorize({.name = "product",
                              .layout = "(m,n),(n,p)->(m,p)",
                              .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                              .each = each,
                              .body = body});
  };
  const Gufunc by_index =
      product("i:m, j:p", "float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;");
  const Gufunc by_item = product("", R"(for (index i = 0; i < m; ++i)
                                          for (index j = 0; j < p; ++j) {
                                            float32 s = 0;
                                            for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j);
                                            C(i, j) = s;
                                          })");
  for (const kiln::Device& device : kiln::Device::all()) {
    INFO(kiln::to_string(device));
    const kiln::GufuncOptions options{.stream = kiln::Stream(device)};
    const Array a = Array::zeros({5, 2, 40}, DType::float32);
    const kiln::GufuncResolution found = by_index.resolve({a, Array::zeros({40, 3}, DType::int16)}, options);
    CHECK(found.variant == "an item's (i, j)");
    CHECK(found.constants == std::vector<std::string>{"m = 2", "p = 3"});
    CHECK(found.layouts ==
          std::vector<std::string>{"input 0 (A): contiguous", "input 1 (B): contiguous", "output 0 (C): contiguous"});
    const Shape shapes[] = {{1000, 1000}, {7, 1000, 10}};
    CHECK(by_item.resolve(shapes, options).variant == "an item");
    CHECK(by_index.resolve({a, Array::zeros({40, 0}, DType::float32)}, options).variant == "nothing");
    const Array across = a.transpose({0, 2, 1});
    CHECK(by_index.resolve({across, Array::zeros({2, 3}, DType::float32)}, options).layouts[0] ==
          "input 0 (A): contiguous along m");
  }
}

TEST_CASE("resolve: on a GPU, which cores go to shared memory") {
  const Gufunc inner = kiln::guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 r)",
                                         "r = 0; for (index i = 0; i < n; ++i) r += a(i) * b(i);");
  for (const kiln::Device& device : kiln::Device::all()) {
    INFO(kiln::to_string(device));
    const std::string shared = device.is_cpu() ? "" : ", in shared memory";
    const kiln::GufuncOptions options{.stream = kiln::Stream(device)};
    const Array a = Array::zeros({100, 50}, DType::float32);
    const kiln::GufuncResolution found = inner.resolve({a, Array::zeros({50}, DType::float32)}, options);
    CHECK(found.variant == (device.is_cpu() ? "an item" : "an item, its cores in shared memory"));
    CHECK(found.layouts ==
          std::vector<std::string>{"input 0 (a): contiguous" + shared, "input 1 (b): contiguous", "output 0 (r): one element"});
    const Array few = Array::zeros({10, 50}, DType::float32);
    CHECK(inner.resolve({few, few}, options).variant == "an item");
    // Long ones: inputs alone, also of few items.
    const Gufunc running = kiln::guvectorize("(n)->(n)", "void(float32[:] x, float32[:] y)",
                                             "float32 s = 0; for (index i = 0; i < n; ++i) { s += x(i); y(i) = s; }");
    const kiln::GufuncResolution long_ones = running.resolve({Array::zeros({10, 1024}, DType::float32)}, options);
    CHECK(long_ones.variant == found.variant);
    CHECK(long_ones.layouts == std::vector<std::string>{"input 0 (x): contiguous" + shared, "output 0 (y): contiguous"});
    const Array too_long = Array::zeros({100, 7000}, DType::float32);
    CHECK(inner.resolve({too_long, too_long}, options).variant == "an item");
  }
}
