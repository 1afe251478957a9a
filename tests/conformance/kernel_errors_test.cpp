// Raw kernels: what is refused before anything is compiled, with the text of every error.
#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::RawKernel;
using kiln::Slice;

namespace {

RawKernel kernel_of(const std::string& signature) {
  return kiln::kernel({.name = "k", .signature = signature, .body = ";"});
}

template <class... Args>
std::string type_error(const RawKernel& kernel, const Args&... args) {
  return message_of<kiln::TypeError>([&] { kernel({.size = 1}, args...); });
}

std::string launch_error(const kiln::LaunchOptions& options) {
  static const Array x = Array::zeros({4}, DType::float32);
  return message_of<kiln::ShapeError>([&] { kernel_of("void(float32[:] x)")(options, x); });
}

}  // namespace

TEST_CASE("kernels: arguments that do not fit the signature") {
  const RawKernel k = kernel_of("void(const float32[:] x, float32[:] y, int64 n)");
  const Array f32 = Array::zeros({4}, DType::float32);
  const Array f64 = Array::zeros({4}, DType::float64);
  const std::int64_t n = 4;
  CHECK(type_error(k, f32, f32) ==
        "k takes 3 arguments, 2 given; its signature is void(const float32[:] x, float32[:] y, int64 n)");
  CHECK(type_error(k, f32, f64, n) ==
        "k: argument 1 (y) is float64, and the parameter float32; raw kernels cast no arrays: give astype(DType::float32)");
  CHECK(type_error(k, f32, f32, 4.0) ==
        "k: argument 2 (n) is float64, which does not convert to int64: a scalar becomes a dtype of its kind or a higher one; "
        "convert the value");
  CHECK(type_error(k, f32, f32, ~std::uint64_t{0}) == "k: argument 2 (n) is 18446744073709551615, which int64 does not hold");
  CHECK(type_error(k, f32, 1.0F, n) == "k: argument 1 (y) is a scalar, and the parameter an array; give an Array");
  CHECK(type_error(k, f32, f32, f32) ==
        "k: argument 2 (n) is an array, and the parameter a scalar; give its value, which item() of the array returns");
  CHECK(type_error(k, f32, Array(), n) == "k: argument 1 (y) is an empty Array handle, not an array");
  CHECK(type_error(k, f32, f32.broadcast_to({2, 4}), n) ==
        "k: argument 1 (y) is read-only, and the kernel may write to it; give a writable array, or declare \"const\" in the "
        "signature");
  const auto shape_error = [](const std::string& signature, const Array& array) {
    return message_of<kiln::ShapeError>([&] { kernel_of(signature)({.size = 1}, array); });
  };
  CHECK(shape_error("void(const float32* x)", f32[{Slice{.step = 2}}]) ==
        "k: argument 0 (x) of shape (2,) is not contiguous, and the kernel gets a pointer to elements in C order; give its "
        "copy(), or declare a view: float32[:] x");
  CHECK(shape_error("void(const T* x) where T: float32", f32.reshape({2, 2}).transpose()) ==
        "k: argument 0 (x) of shape (2, 2) is not contiguous, and the kernel gets a pointer to elements in C order; give its "
        "copy(), or declare a view: T[:,:] x");
  CHECK(
      shape_error("void(float32[:,:] x)", f32) ==
      "k: argument 0 (x) has shape (4,), and the parameter 2 dimensions; declare float32[:] x, or float32* x for elements in C "
      "order, or give a reshape()");
  CHECK(shape_error("void(float32[:] x)", f32.reshape({2, 2, 1})) ==
        "k: argument 0 (x) has shape (2, 2, 1), and the parameter 1 dimension; declare float32[:,:,:] x, or float32* x for "
        "elements in C order, or give a reshape()");
  CHECK(shape_error("void(float32[:] x)", f32.reshape({2, 2})[{0, 0}]) ==
        "k: argument 0 (x) has shape (), and the parameter 1 dimension; declare float32* x for elements in C order, or give a "
        "reshape()");
}

TEST_CASE("kernels: type variables that do not fit") {
  const RawKernel k = kernel_of("void(const T[:] x, T[:] y, T a) where T: float32, float64");
  const Array f32 = Array::zeros({4}, DType::float32);
  const Array i32 = Array::zeros({4}, DType::int32);
  const Array f64 = Array::zeros({4}, DType::float64);
  CHECK(type_error(k, f32, f64, 1) ==
        "k: argument 1 (y) is float64, and T is float32 by an earlier argument; raw kernels cast no arrays");
  CHECK(type_error(k, f32, f32, std::complex<float>(1)) ==
        "k: argument 2 (a) is complex64, which does not convert to float32: a scalar becomes a dtype of its kind or a higher "
        "one; convert the value");
  CHECK(type_error(kernel_of("void(T a, T[:] y) where T: float32, float64"), 1, i32) ==
        "k: argument 1 (y) is int32, which T may not be in void(T a, T[:] y) where T: float32, float64");
  CHECK(type_error(kernel_of("void(T a) where T: float32, float64"), 1) ==
        "k: argument 0 (a) is int32, which T may not be in void(T a) where T: float32, float64");
  CHECK(type_error(k, i32, i32, 1) == "k: argument 0 (x) is int32, which T may not be in " + k.signature());
  CHECK(message_of<kiln::TypeError>([&] { kernel_of("void(T[:] x)").compile("native"); }) ==
        "k: nothing says what \"T\" is; restrict it in the signature: \"… where T: float32, float64\"");
}

TEST_CASE("kernels: launches that are none") {
  CHECK(launch_error({}) == "k: the launch is not said: give .size, or .grid and .block");
  CHECK(launch_error({.block = {64}}) == "k: the launch is not said: give .size, or .grid and .block");
  CHECK(launch_error({.grid = {1}, .size = 4}) == "k: give .size, for which kiln chooses the grid, or .grid and .block");
  CHECK(launch_error({.size = 4, .shared_bytes = 8}) == "k: .shared_bytes goes with .grid and .block: items share nothing");
  CHECK(launch_error({.size = -1}) == "k: .size is -1; it is the number of items");
  CHECK(launch_error({.grid = {1, 0, 1}}) == "k: .grid is (1, 0, 1); every extent is from 1 to 2147483647");
  CHECK(launch_error({.grid = {1}, .block = {1, 1, -2}}) == "k: .block is (1, 1, -2); every extent is from 1 to 2147483647");
  CHECK(launch_error({.grid = {1 << 30, 1 << 30, 1 << 30}}) ==
        "k: .grid is (1073741824, 1073741824, 1073741824), which is too many");
  CHECK(launch_error({.grid = {1}, .shared_bytes = -1}) == "k: .shared_bytes is -1; it is a number of bytes");
  const std::string beyond = message_of<kiln::DeviceError>([&] {
    kernel_of("void(float32[:] x)")({.grid = {1}, .shared_bytes = std::int64_t{1} << 40}, Array::zeros({4}, DType::float32));
  });
  CHECK(beyond.find(".shared_bytes is 1099511627776, and the device has ") != std::string::npos);
}

TEST_CASE("kernels: definitions that are none") {
  const auto error = [](kiln::RawKernelDefinition definition) {
    return message_of<kiln::SignatureError>([&] { static_cast<void>(kiln::kernel(std::move(definition))); });
  };
  CHECK(error({.name = "k", .body = ";"}).starts_with("k: no signature given; write one like \"void(float32[:] x, int64 n)\""));
  CHECK(message_of<kiln::CompileError>([&] {
          static_cast<void>(kiln::kernel({.name = "k", .signature = "void(int64 n)", .body = "if (n) {"}));
        }).starts_with("k:1:8: error: "));
}

TEST_CASE("kernels: arrays of several devices") {
  on_every_device(
      [&](const Target& target) {
        if (target.device().is_cpu()) return;
        const RawKernel k = kernel_of("void(float32[:] x, float32[:] y)");
        const Array here = target.place(Array::zeros({4}, DType::float32));
        const Array there = to_device(Array::zeros({4}, DType::float32), kiln::Device::cpu());
        const std::string name = to_string(target.device());
        CHECK(message_of<kiln::DeviceError>([&] { k({.size = 1}, here, there); }) ==
              "k: argument 0 (x) is on " + name + ", argument 1 (y) is on cpu; bring them to one device with to_device()");
      },
      {Mode::device});
}

TEST_CASE("kernels: compiled ahead of time, and what a launch would do") {
  const RawKernel k = kiln::kernel({.name = "k",
                                    .signature = "void(const T[:] x, T[:] y, U a) where T: float32, float64, U: int32",
                                    .body = "y[item] = x[item] + T(a);"});
  CHECK(k.name() == "k");
  if (kiln::Device::best().is_cpu()) CHECK(k.compile("native") == 2);
  const Array x = Array::zeros({4}, DType::float64);
  const kiln::Resolution resolution = k.resolve({.grid = {4}}, x, x, 3);
  CHECK(resolution.loop == "void(const float64[:] x, float64[:] y, int32 a)");
  CHECK(resolution.dtypes == std::vector{kiln::DType::float64, kiln::DType::float64, kiln::DType::int32});
  CHECK(resolution.variant == (kiln::Device::best().is_cpu() ? "single" : "blocks"));
  CHECK(resolution.device == kiln::Device::best());
}
