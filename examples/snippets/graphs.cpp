// Snippets of docs/graphs.md.
#include <iostream>
#include <kiln/kiln.hpp>
#include <vector>

int main() {
  const kiln::Device device = kiln::Device::best();
  const auto saxpy = kiln::vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  const auto x = kiln::Array::ones(4, kiln::DType::float32), x2 = x.copy(), bias = x.copy();
  const std::vector<kiln::Array> batches = {x.copy(), x + 1};
  // snippet: capture
  kiln::Stream stream(device);
  kiln::Array y;
  kiln::Graph graph = kiln::capture(stream, [&] {
    kiln::Array scaled = saxpy({2.0F, x, bias}, {.stream = stream});
    y = kiln::math::add.reduce(scaled, {.stream = stream});
  });
  for (const kiln::Array& next : batches) {
    x.assign(next);        // what is in the arrays when the graph runs counts
    device.synchronize();  // a GPU assigns on its default stream, and the graph runs on another
    graph.launch();
    stream.synchronize();  // y has the result
    std::cout << y << "\n";
  }
  // end

  const kiln::Array &front = x, &back = bias;
  // snippet: exchange
  graph.exchange(x, x2);  // x2 where x was, from the next launch on
  // end
  graph.exchange(x2, x);
  // snippet: exchange
  graph.exchange({{front, back}, {back, front}});
  // end
  graph.launch();
  stream.synchronize();
  if (y.item<float>() != 16) return 1;
}
