// Arrays that stay on a device: allocated, sent, computed with, brought back into a host array that is there already, and seen
// with another shape. Line for line the calls of Numba's documentation ("Memory management"); NumPy's side is in the comments.
#include <kiln/kiln.hpp>

#include <iostream>
#include <numeric>

int main() {
  const kiln::Device device = kiln::Device::best();
  const auto my_kernel = kiln::vectorize("float64(float64 a)", "return a + 1;");

  // arr = np.arange(1000)
  kiln::Array arr = kiln::Array::empty({1000}, kiln::DType::float64);
  std::iota(arr.as<double>(), arr.as<double>() + 1000, 0.0);

  // d_arr = to_device(arr); my_kernel(d_arr); result_array = d_arr.copy_to_host()
  kiln::Array d_arr = to_device(arr, device);
  my_kernel({d_arr}, {.out = d_arr});
  const kiln::Array result_array = d_arr.copy_to_host();

  // ary = numpy.empty(shape=d_ary.shape, dtype=d_ary.dtype); d_ary.copy_to_host(ary)
  const kiln::Array ary = kiln::Array::empty(d_arr.shape(), d_arr.dtype());
  d_arr.copy_to_host(ary);

  // d_arr = d_arr.reshape(20, 50, order='F')
  d_arr = d_arr.reshape({20, 50}, kiln::Order::fortran);

  // out = device_array(shape, dtype, strides=None, order='F'); device_array_like(out)
  const kiln::Array out = device_array({20, 50}, kiln::DType::float64, device, kiln::Order::fortran);
  const kiln::Array more = device_array_like(out);
  my_kernel({d_arr}, {.out = out});
  my_kernel({out}, {.out = more});
  const kiln::Array flat = more.ravel(kiln::Order::fortran);

  bool right =
      d_arr.is_f_contiguous() && !d_arr.is_c_contiguous() && more.is_f_contiguous() && flat.shape() == kiln::Shape{1000};
  const kiln::Array flat_host = flat.copy_to_host();
  for (int i = 0; i < 1000; ++i) {
    const auto at = static_cast<std::size_t>(i);
    right =
        right && result_array.as<double>()[at] == i + 1 && ary.as<double>()[at] == i + 1 && flat_host.as<double>()[at] == i + 3;
  }
  // element (3, 2) of the new shape is element 3 + 2 * 20 of the old one
  right = right && d_arr[{3, 2}].item<double>() == 44;
  if (!right) {
    std::cerr << "an element is wrong\n";
    return 1;
  }
  std::cout << "1000 elements sent to " << to_string(device) << ", changed there and brought back, checked\n";
}
