// Snippets of docs/memory-and-streams.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const std::int64_t n = 1000;
  const auto f = kiln::vectorize("float32(float32 x)", "return x + 1;");
  // snippet: stream
  const kiln::Device device = kiln::Device::best();
  const kiln::Stream stream(device);
  const kiln::Array a = kiln::pinned({n}, kiln::DType::float32);  // on the host, page-locked
  const kiln::Array result = kiln::pinned({n}, kiln::DType::float32);
  a.fill(2);
  {
    const auto scope = kiln::auto_synchronize(stream);
    const kiln::Array on_a = to_device(a, device, {.stream = stream});                // queued
    const kiln::Array out = to_device(a, device, {.stream = stream, .copy = false});  // room alone
    f({on_a}, {.out = out, .stream = stream});
    out.copy_to_host(result, {.stream = stream});
  }  // all of it is done
  std::cout << result.sum() << "\n";
  // end

  const kiln::Device second = kiln::Device::emulated("sm_90");
  // snippet: devices
  kiln::Device::set_default(kiln::Device::cpu());  // all threads, from now on; reset_default() takes it back
  {
    const kiln::DeviceScope on_second(second);  // this thread, until the scope ends; second: kiln::Device::cuda(1)
    f(a);
  }
  f(a, {.device = second});  // this call
  // end
}
