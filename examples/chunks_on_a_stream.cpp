// A ufunc a chunk at a time: copies to the device, kernels and copies back are queued on one stream, from page-locked arrays,
// so that the program waits once. Line for line what Numba's documentation does by hand for its ROC target ("Async execution: A
// Chunk at a Time"); its comments stand here, too.
// At the end the one call that does it all.
//   chunks_on_a_stream [ELEMENTS]      a whole number of chunks of 100,000; Numba's example has 1e8
#include <kiln/kiln.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

namespace {

// the ufunc kernel
const auto discriminant = kiln::vectorize("float32(float32 a, float32 b, float32 c)", "return sqrt(b * b - 4 * a * c);");

// random numbers from `least` to `least` + 1
kiln::Array sample(std::int64_t n, float least) {
  static std::mt19937 source(1);
  const kiln::Array a = kiln::Array::empty({n}, kiln::DType::float32);
  for (std::int64_t i = 0; i < n; ++i) a.as<float>()[i] = std::uniform_real_distribution<float>(least, least + 1)(source);
  return a;
}

// helper function, async requires operation on page-locked memory
kiln::Array async_array(const kiln::Array& arr) {
  kiln::Array pinned = kiln::pinned(arr.shape(), arr.dtype());
  pinned.assign(arr);
  return pinned;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names of Numba's example
int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 500'000;
  const kiln::Device device = kiln::Device::best();

  // prepare the input
  const kiln::Array A = sample(n, 0);
  const kiln::Array B = sample(n, 10);
  const kiln::Array C = sample(n, 0);
  kiln::Array D = kiln::Array::zeros(A.shape(), A.dtype());

  // create a stream
  const kiln::Stream stream(device);

  const std::int64_t chunksize = 100'000;
  const std::int64_t chunkcount = n / chunksize;

  // partition the arrays into chunks; no copying is performed
  const auto chunk = [&](std::int64_t i) { return kiln::Slice{i * chunksize, (i + 1) * chunksize}; };

  std::vector<kiln::Array> dchunks;  // holds the result chunks
  {
    const auto scope = kiln::auto_synchronize(stream);
    // every operation in this scope is launched asynchronously by using the stream

    // for each chunk
    for (std::int64_t i = 0; i < chunkcount; ++i) {
      // create page-locked arrays
      const kiln::Array asyncA = async_array(A[chunk(i)]);
      const kiln::Array asyncB = async_array(B[chunk(i)]);
      const kiln::Array asyncC = async_array(C[chunk(i)]);
      const kiln::Array asyncD = async_array(D[chunk(i)]);

      // transfer to device
      const kiln::Array dA = to_device(asyncA, device, {.stream = stream});
      const kiln::Array dB = to_device(asyncB, device, {.stream = stream});
      const kiln::Array dC = to_device(asyncC, device, {.stream = stream});
      const kiln::Array dD = to_device(asyncD, device, {.stream = stream, .copy = false});  // no copying

      // launch kernel
      discriminant({dA, dB, dC}, {.out = dD, .stream = stream});

      // retrieve result
      dD.copy_to_host(asyncD, {.stream = stream});

      // device arrays need not be stored: the stream keeps what its work uses

      // store result reference
      dchunks.push_back(asyncD);
    }
  }

  // put result chunks into the output array D
  for (std::int64_t i = 0; i < chunkcount; ++i) D[chunk(i)] = dchunks[static_cast<std::size_t>(i)];

  // data is ready at this point inside D
  // all of the above in one call, which takes any number of elements, several chunks at once and several devices
  const kiln::Array all = kiln::chunked(discriminant, {.chunk_bytes = 16 * chunksize, .devices = {device}})(A, B, C);
  if (all.to_vector<float>() != D.to_vector<float>()) return 1;

  for (std::int64_t i = 0; i < n; ++i) {
    const double a = A.as<float>()[i], b = B.as<float>()[i], c = C.as<float>()[i];
    if (std::abs(D.as<float>()[i] - std::sqrt(b * b - 4 * a * c)) <= 1e-5) continue;
    std::cerr << "element " << i << " is wrong: " << D.as<float>()[i] << "\n";
    return 1;
  }
  std::cout << n << " discriminants in " << chunkcount << " chunks on a stream, and by one call in chunks, checked\n";
}
// NOLINTEND(readability-identifier-naming)
