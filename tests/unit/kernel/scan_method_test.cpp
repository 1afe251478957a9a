// How running results are computed on the CPU: by shape and strides alone.
#include <doctest/doctest.h>

#include "kernel/scan/cpu.hpp"

using kiln::kinds::scan_method;
using kiln::kinds::ScanLaunch;
using kiln::kinds::ScanMethod;

namespace {

ScanLaunch launch(std::int64_t extent, std::int64_t stride, std::vector<std::int64_t> shape, bool reorderable) {
  const std::vector<std::int64_t> strides(shape.size(), 4);
  return {.extent = extent,
          .input_stride = stride,
          .output_stride = stride,
          .shape = std::move(shape),
          .input_strides = strides,
          .output_strides = strides,
          .reorderable = reorderable};
}

}  // namespace

TEST_CASE("scan: one long line has segments, where the function may be regrouped") {
  CHECK(scan_method(launch(100'000, 4, {1}, true), 4) == ScanMethod::segments);
  CHECK(scan_method(launch(100'000, 8, {3}, true), 4) == ScanMethod::segments);
  CHECK(scan_method(launch(100'000, 4, {1}, false), 4) == ScanMethod::serial);
  CHECK(scan_method(launch(100, 4, {1}, true), 4) == ScanMethod::serial);
}

TEST_CASE("scan: many side by side are lanes") {
  CHECK(scan_method(launch(100, 400, {100}, true), 4) == ScanMethod::lanes);
  CHECK(scan_method(launch(100'000, 400, {100}, true), 4) == ScanMethod::lanes);
  CHECK(scan_method(launch(100'000, 4, {100}, false), 4) == ScanMethod::lanes);
  // Short ones along memory, too; long ones are streams of their own.
  CHECK(scan_method(launch(100, 4, {1000}, true), 4) == ScanMethod::lanes);
  CHECK(scan_method(launch(5000, 4, {1000}, true), 4) == ScanMethod::lanes);
  CHECK(scan_method(launch(5000, 4, {31}, true), 4) == ScanMethod::segments);
  CHECK(scan_method(launch(5000, 124, {31}, true), 4) == ScanMethod::lanes);
  // The longest of the other axes counts, where the innermost is short.
  CHECK(scan_method(launch(100, 4, {50, 2}, false), 4) == ScanMethod::lanes);
}
