// Making arrays, what they say of themselves, and what they refuse.
#include <doctest/doctest.h>
#include <malloc.h>

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "../types/golden.hpp"
#include "array/rep.hpp"
#include "base/sanitizer.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"

using namespace kiln;
using golden::message_of;

TEST_CASE("new arrays are packed, aligned and of the right size") {
  for (const std::int64_t n : {0, 1, 3, 100, 100000, 1100000}) {
    const Array a = Array::empty({n, 3}, DType::float32);
    CHECK(a.shape() == Shape{n, 3});
    CHECK(a.strides() == Strides{12, 4});
    CHECK(a.size() == 3 * n);
    CHECK(a.nbytes() == 12 * n);
    CHECK(a.is_host());
    CHECK(a.device() == Device::cpu());
    CHECK_FALSE(a.read_only());
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % (a.nbytes() < 64 ? 16 : 64) == 0);
  }
  CHECK(Array::empty({2, 3}, DType::int16, Order::fortran).strides() == Strides{2, 4});
  CHECK(Array::empty({0, 3}, DType::int16).data() != nullptr);
}

TEST_CASE("a view keeps the memory of a small array") {
  for (const std::int64_t n : {4, 100}) {
    Array view;
    Array of_view;
    Array fortran;
    {
      const Array base = Array::full({n}, 5);
      view = base[Slice{1, 3}];
      of_view = view.as_read_only();
      fortran = to_device(base, Device::cpu()).reshape({2, n / 2}).transpose();
    }
    view = Array();
    std::vector<Array> others;  // in the memory of the array, if that is free
    for (int i = 0; i < 100; ++i) others.push_back(Array::full({n}, 9));
    CHECK(of_view.to_vector<int>() == std::vector<int>{5, 5});
    CHECK(fortran.to_vector<int>() == std::vector<int>(static_cast<std::size_t>(n), 5));
  }
}

// Sanitizers have their own malloc.
#ifndef KILN_SANITIZED
TEST_CASE("an array of 16 bytes takes 200 of the heap, and a view no more") {
  constexpr std::size_t kCount = 1000;
  std::vector<Array> arrays(kCount);
  const auto bytes_of_each = [&](const auto& make) {
    const std::size_t before = mallinfo2().uordblks;
    for (Array& array : arrays) array = make();
    const std::size_t bytes = (mallinfo2().uordblks - before) / kCount;
    for (Array& array : arrays) array = Array();
    return bytes;
  };
  CHECK(bytes_of_each([] { return Array::empty({4}, DType::float32); }) <= 200);
  CHECK(bytes_of_each([] { return Array::empty({1, 1, 2, 2, 1}, DType::float32); }) <= 200);
  CHECK(bytes_of_each([] { return Array::zeros({100}, DType::float32); }) <= 640);
  float value = 0;
  CHECK(bytes_of_each([&] { return Array::view(&value, {1}); }) <= 200);
  const Array base = Array::empty({4}, DType::float32);
  CHECK(bytes_of_each([&] { return base[Slice{1, 3}]; }) <= 200);
}
#endif

TEST_CASE("zeros are zero, also in memory that was used before") {
  for (const std::int64_t n : {1, 1000, 1100000}) {
    for (int round = 0; round < 2; ++round) {
      const Array a = Array::zeros({n}, DType::int32);
      int* const data = a.as<int>();
      CHECK(std::accumulate(data, data + n, std::int64_t{0}) == 0);
      std::fill(data, data + n, 7);
    }
  }
  CHECK(Array::zeros({2, 3}, DType::float64, Order::fortran).strides() == Strides{8, 16});
}

TEST_CASE("full, from and scalar") {
  CHECK(Array::full({2, 2}, 1.5F).to_vector<float>() == std::vector<float>(4, 1.5F));
  const std::vector<std::complex<double>> many =
      Array::full({100, 77}, std::complex<double>(1, -2)).to_vector<std::complex<double>>();
  CHECK(many == std::vector<std::complex<double>>(7700, {1, -2}));
  CHECK(Array::full({0}, 3).size() == 0);
  const Array a = Array::from<int>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  CHECK(a.dtype() == DType::int32);
  CHECK(a.to_vector<int>() == std::vector<int>{1, 2, 3, 4, 5, 6});
  CHECK(Array::from(std::vector<bool>{true, false, true}).to_vector<bool>() == std::vector<bool>{true, false, true});
  CHECK(Array::scalar(2.5).ndim() == 0);
  CHECK(Array::scalar(2.5).size() == 1);
  CHECK(Array::scalar(2.5F).item<float>() == 2.5F);
  CHECK(message_of<ShapeError>([] { (void)Array::from<int>({1, 2, 3}, Shape{2, 2}); }) ==
        "cannot make an array of shape (2, 2) from 3 values");
}

TEST_CASE("shapes that cannot be") {
  CHECK(message_of<ShapeError>([] { (void)Array::empty({2, -1}, DType::int8); }) ==
        "shape (2, -1) has a negative extent: extents are 0 or more");
  const std::int64_t huge = std::int64_t{1} << 31;
  CHECK(message_of<ShapeError>([&] { (void)Array::empty({huge, huge, 2}, DType::int8); }) ==
        "shape (2147483648, 2147483648, 2) of 1-byte elements has more than 2^63-1 bytes");
  CHECK(message_of<ShapeError>([&] { (void)Array::zeros({huge, huge}, DType::complex128); }) ==
        "shape (2147483648, 2147483648) of 16-byte elements has more than 2^63-1 bytes");
  // As in NumPy an extent of 0 does not excuse the others.
  CHECK(message_of<ShapeError>([&] { (void)Array::empty({0, huge, huge, huge}, DType::int8); }) ==
        "shape (0, 2147483648, 2147483648, 2147483648) of 1-byte elements has more than 2^63-1 bytes");
  CHECK(message_of<DeviceError>([&] {
          (void)Array::empty({huge, huge}, DType::int8);
        }).starts_with("failed to allocate 4611686018427387904 bytes of host memory: the system has no more; "));
}

TEST_CASE("an empty handle") {
  const Array none;
  CHECK_FALSE(none.valid());
  const std::string text = "an empty Array handle was used: make or assign an array first";
  CHECK(message_of<TypeError>([&] { (void)none.shape(); }) == text);
  CHECK(message_of<TypeError>([&] { (void)none.copy(); }) == text);
  CHECK(message_of<TypeError>([&] { (void)none.reshape({1}); }) == text);
  CHECK(message_of<TypeError>([&] { (void)to_device(none, Device::cpu()); }) == text);
}

TEST_CASE("reading elements") {
  const Array a = Array::from<float>({1, 2, 3});
  CHECK(a.as<float>()[2] == 3);
  CHECK(a.as<const float>()[0] == 1);
  CHECK(message_of<TypeError>([&] { (void)a.as<double>(); }) ==
        "as<T>(): T is float64, the array's dtype is float32: convert it with astype() first");
  CHECK(message_of<TypeError>([&] { (void)a.as_read_only().as<float>(); }) ==
        "as<T>(): the array is read-only: use as<const T>(), or copy() it");
  CHECK(a.as_read_only().as<const float>() == a.as<float>());
  CHECK(a[{1}].item<float>() == 2);
  CHECK(a[{1}].item<double>() == 2);  // safe
  CHECK(message_of<TypeError>([&] { (void)a[{1}].item<int>(); }) ==
        "cannot read elements of float32 as int32: the cast is not safe; convert the array with astype() first");
  CHECK(message_of<ShapeError>([&] { (void)a.item<float>(); }) == "item<T>(): the array of shape (3,) has 3 elements, not one");
  CHECK(a.to_vector<double>() == std::vector<double>{1, 2, 3});
  CHECK(message_of<TypeError>([&] { (void)a.to_vector<int>(); }) ==
        "cannot read elements of float32 as int32: the cast is not safe; convert the array with astype() first");
}

TEST_CASE("views of the caller's memory") {
  std::vector<double> values{0, 1, 2, 3, 4, 5};
  Array a = Array::view(values.data(), {2, 3});
  a.as<double>()[4] = 40;
  CHECK(values[4] == 40);
  CHECK_FALSE(a.read_only());
  const std::vector<double>& fixed = values;
  CHECK(Array::view(fixed.data(), {6}).read_only());
  const Array backwards = Array::view(&values[5], {6}, DType::float64,
                                      {.strides = Strides{-8}, .read_only = false, .owner = nullptr, .device = std::nullopt});
  CHECK(backwards.to_vector<double>() == std::vector<double>{5, 40, 3, 2, 1, 0});
  const Array placed = Array::view(values.data(), {6}, DType::float64, {.strides = std::nullopt, .device = Device::cpu()});
  CHECK_FALSE(placed.is_host());
  CHECK(Array::view(static_cast<double*>(nullptr), {0, 4}).size() == 0);
  // A stride of 0 may make more elements than there is memory.
  const Array wide = Array::view(values.data(), {std::int64_t{1} << 40}, DType::float64, {.strides = Strides{0}});
  CHECK(wide.size() == std::int64_t{1} << 40);
}

TEST_CASE("views that are refused") {
  std::vector<double> values(8);
  char* const bytes = reinterpret_cast<char*>(values.data());
  const auto refusal = [](void* data, const Shape& shape, DType dtype, std::optional<Strides> strides) {
    return message_of<ShapeError>([&] { (void)Array::view(data, shape, dtype, {.strides = std::move(strides)}); });
  };
  CHECK(refusal(bytes + 4, {2}, DType::float64, std::nullopt) ==
        "view: the address is not aligned to 8 bytes, as float64 needs: copy the data to aligned memory first");
  CHECK(refusal(bytes + 4, {2}, DType::complex64, std::nullopt) == "no error");
  CHECK(refusal(bytes + 8, {2}, DType::complex128, std::nullopt) == "no error");
  CHECK(refusal(bytes, {2, 2}, DType::float64, Strides{12, 8}) ==
        "view: stride 12 of axis 0 is not a multiple of 8, the alignment of float64");
  CHECK(refusal(bytes, {1, 2}, DType::float64, Strides{12, 8}) == "no error");
  CHECK(refusal(bytes, {2}, DType::float64, Strides{8, 8}) == "view: strides (8, 8) have 2 entries, shape (2,) has 1");
  CHECK(refusal(bytes, {-2}, DType::float64, Strides{8}) == "shape (-2,) has a negative extent: extents are 0 or more");
  CHECK(refusal(bytes, {-2}, DType::float64, std::nullopt) == "shape (-2,) has a negative extent: extents are 0 or more");
  CHECK(refusal(nullptr, {2}, DType::float64, std::nullopt) == "view: null address for shape (2,)");
  const std::int64_t big = std::int64_t{1} << 62;
  CHECK(refusal(bytes, {3}, DType::int8, Strides{big}) ==
        "view: shape (3,) with strides (4611686018427387904,) of int8 reaches over more than 2^63-1 bytes");
  CHECK(refusal(bytes, {2, 2, 2}, DType::int8, Strides{big, -big, 0}) ==
        "view: shape (2, 2, 2) with strides (4611686018427387904, -4611686018427387904, 0) of int8 reaches over more than "
        "2^63-1 bytes");
  CHECK(refusal(bytes, {big, 4}, DType::int8, Strides{0, 0}) ==
        "shape (4611686018427387904, 4) of 1-byte elements has more than 2^63-1 bytes");
  CHECK(refusal(bytes, {std::numeric_limits<std::int64_t>::max()}, DType::float64, std::nullopt) ==
        "shape (9223372036854775807,) of 8-byte elements has more than 2^63-1 bytes");
}

TEST_CASE("a view keeps its base alive, and the owner is released with the last handle") {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  std::weak_ptr<std::vector<float>> alive = owner;
  Array slice = Array::view(owner->data(), {4}, DType::float32, {.owner = owner})[{Slice{.start = 1}}].transpose();
  owner.reset();
  CHECK_FALSE(alive.expired());
  CHECK(slice.to_vector<float>() == std::vector<float>{2, 3, 4});
  slice = Array();
  CHECK(alive.expired());
}

TEST_CASE("contiguity as NumPy tells it") {
  const Array a = Array::empty({2, 3}, DType::float32);
  CHECK(a.is_c_contiguous());
  CHECK_FALSE(a.is_f_contiguous());
  CHECK(a.transpose().is_f_contiguous());
  CHECK_FALSE(a.transpose().is_c_contiguous());
  CHECK(Array::scalar(1).is_c_contiguous());
  CHECK(Array::scalar(1).is_f_contiguous());
  CHECK(Array::empty({5}, DType::int8).is_f_contiguous());
  CHECK(Array::empty({1, 5, 1}, DType::int8).is_f_contiguous());
  CHECK_FALSE(a[{all, Slice{.step = 2}}].is_c_contiguous());
  const Array row = a[{Slice{.start = 0, .stop = 1}, all}];
  CHECK(row.is_c_contiguous());
  CHECK(row.is_f_contiguous());
  const Array none = a[{Slice{.start = 2}, Slice{.step = 2}}];
  CHECK(none.size() == 0);
  CHECK(none.is_c_contiguous());
  CHECK(none.is_f_contiguous());
  CHECK_FALSE(Array::scalar(1).broadcast_to({3}).is_c_contiguous());
}

TEST_CASE("handles may be copied and dropped from several threads") {
  Array shared = Array::from<int>({1, 2, 3, 4});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([shared] {
      for (int i = 0; i < 1000; ++i) {
        const Array view = shared[{Slice{.start = i % 4}}];
        const Array copy = view.copy();
        if (copy.to_vector<int>().back() != 4) std::abort();
      }
    });
  }
  shared = Array();
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("allocate lays the axes in the order asked for") {
  const std::vector<int> order{1, 2, 0};
  const Array a = detail::allocate({2, 3, 4}, DType::int16, order, true, Device::cpu());
  CHECK(a.strides() == Strides{2, 16, 4});
  CHECK(detail::checked_size({2, 0, 4}, 8) == 0);
  CHECK(detail::checked_size({}, 8) == 1);
}
