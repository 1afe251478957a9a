// Emulated devices by the public interface: results, several at once, what is found and how it is told.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "../support/message.hpp"
#include "kiln/kiln.hpp"

namespace {

using namespace kiln;
using test::message_of;

}  // namespace

TEST_CASE("emulated: results, on several architectures in one process") {
  const Ufunc axpy = vectorize({.name = "axpy", .signatures = {"T(T a, T x, T y)"}, .body = "return a * x + y;"});
  for (const char* const target : {"sm_75", "sm_90"}) {
    const Device device = Device::emulated(target);
    CHECK(device.is_emulated());
    CHECK(device.kind() == DeviceKind::cuda);
    CHECK(to_string(device) == "emulated:" + std::string(target));
    CHECK(Device::from_string("emulated:" + std::string(target)) == device);
    CHECK(device.info().target.starts_with(target));
    const Array x = to_device(Array::from<float>({1, 2, 3}), device);
    const Array result = axpy(2.0F, x, x);
    CHECK(result.device() == device);
    CHECK(result.copy_to_host().to_vector<float>() == std::vector<float>{3, 6, 9});
    CHECK(math::add.reduce(x).copy_to_host().item<float>() == 6);
  }
  CHECK_FALSE(Device::emulated("sm_75") == Device::emulated("sm_90"));
  CHECK_FALSE(Device::emulated("sm_75").same_memory(Device::emulated("sm_90")));
  const Array here = to_device(Array::from<float>({1}), Device::emulated("sm_75"));
  const Array there = to_device(Array::from<float>({1}), Device::emulated("sm_90"));
  CHECK(message_of([&] { math::add(here, there); }).find("emulated:sm_75") != std::string::npos);
}

TEST_CASE("emulated: architectures that there are none of") {
  const std::string known = "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_103, sm_120 and sm_121 can be emulated";
  CHECK(message_of([] { static_cast<void>(Device::emulated("sm_91")); }) == "there is no device \"emulated:sm_91\": " + known);
  CHECK(message_of([] { static_cast<void>(Device::from_string("emulated:gfx90a")); }) ==
        "there is no device \"emulated:gfx90a\": " + known);
  CHECK(message_of([] {
          static_cast<void>(Device::from_string("emulated"));
        }).starts_with("unknown device \"emulated\"; devices are "));
}

TEST_CASE("emulated: shared memory of raw kernels") {
  const Device device = Device::emulated("sm_80");
  const RawKernel reverse = kernel({.name = "reverse",
                                    .signature = "void(const int32[:] x, int32[:] out)",
                                    .body = "KILN_SHARED int32 tile[64];\n"
                                            "tile[threadIdx.x] = x[threadIdx.x];\n"
                                            "__syncthreads();\n"
                                            "out[threadIdx.x] = tile[63 - threadIdx.x];"});
  std::vector<std::int32_t> values(64);
  for (int i = 0; i < 64; ++i) values[static_cast<std::size_t>(i)] = i;
  const Array out = device_array({64}, DType::int32, device);
  reverse({.grid = {1}, .block = {64}}, to_device(Array::from(values), device), out);
  std::vector<std::int32_t> expected(values.rbegin(), values.rend());
  CHECK(out.copy_to_host().to_vector<std::int32_t>() == expected);
}

TEST_CASE("emulated: PTX of nvcc is linked, and machine code is refused with what to give instead") {
  const Device device = Device::emulated("sm_90");
  const auto linked = [&](const char* file) {
    return vectorize({.name = "linked",
                      .signatures = {"float32(float32 x)"},
                      .body = "return scale(x);",
                      .compile = {.functions = declare_device("scale", "float32(float32 x)"),
                                  .link = {std::string(KILN_GOLDEN_DIR) + "/link/" + file}}});
  };
  const Array two = to_device(Array::from<float>({2}), device);
  CHECK(linked("nvcc.ptx")(two).copy_to_host().item<float>() == 6);
  const std::string refused = message_of([&] { static_cast<void>(linked("nvcc.o")(two)); });
  CAPTURE(refused);
  CHECK(refused.find("the emulator links PTX alone; give it what `nvcc -ptx -rdc=true` makes of the same source") !=
        std::string::npos);
}

// The histogram that is off by one. The device is lost: the last case.
TEST_CASE("emulated: z a finding names the kernel, the thread, the array and the user's line") {
  const Device device = Device::emulated("sm_100");
  const RawKernel histogram = kernel({.name = "histogram",
                                      .signature = "void(const uint8[:] x, int32[:] bins)",
                                      .body = "\n  atomic_add(&bins[x[item]], 1);"});
  const Array x = to_device(Array::full({1000}, std::uint8_t{255}), device);
  const Array bins = to_device(Array::zeros({255}, DType::int32), device);
  const std::string found = message_of([&] {
    histogram({.size = 1000}, x, bins);
    device.synchronize();
  });
  CAPTURE(found);
  CHECK(found.find("on emulated:sm_100: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered): kernel "
                   "histogram: thread (") != std::string::npos);
  CHECK(found.find(" of block (") != std::string::npos);
  CHECK(found.find(" updates 4 bytes at 0x") != std::string::npos);
  CHECK(found.find(", which is byte 1020 of an array of 1020 bytes, at histogram:2:") != std::string::npos);
  CHECK(message_of([&] { static_cast<void>(bins.copy_to_host()); }).find("emulated:sm_100 is lost to this process") !=
        std::string::npos);
  // Others go on.
  CHECK(math::add(1, to_device(Array::from<float>({1}), Device::emulated("sm_90"))).copy_to_host().item<float>() == 2);
}

TEST_CASE("emulated: a chunk whose kernel fails ends the call, which says how many are done") {
  const Device device = Device::emulated("sm_103");
  const Ufunc fails =
      vectorize("float32 fails(float32 a) { if (a == 77) *reinterpret_cast<volatile float32*>(8) = a; return a; }");
  std::vector<float> values(40'000, 1.0F);
  values[30'000] = 77;
  const Array x = Array::from(values);
  const Array out = Array::full({40'000}, -1.0F);
  const std::string said = message_of([&] { chunked(fails, {.chunk_bytes = 16'000, .devices = {device}})(x, {.out = out}); });
  CAPTURE(said);
  CHECK(said.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  CHECK(said.find("kernel fails: thread (") != std::string::npos);
  const std::size_t at = said.find("; of 20 chunks ");
  REQUIRE(at != std::string::npos);
  const int done = std::stoi(said.substr(at + 15));
  CHECK(done < 20);
  CHECK(said.ends_with(" are done, the other results are not certain"));
  // Those are whole.
  const std::vector<float> written = out.to_vector<float>();
  CHECK(std::count(written.begin(), written.end(), 1.0F) >= done * 2000);
  CHECK(std::count(written.begin(), written.end(), 77.0F) == 0);
}

TEST_CASE("emulated: from one device to another, whatever the layout") {
  const Device here = Device::emulated("sm_75");
  const Device there = Device::emulated("sm_90");
  const Array host = Array::empty({300, 200}, DType::float32);
  for (std::int64_t i = 0; i < host.size(); ++i) host.as<float>()[i] = static_cast<float>(i);
  const Array sent = to_device(host, here);
  const Stream stream(there);
  for (const Array& source : {sent, sent.transpose(), sent[{Slice{.step = -2}, Slice{1, 200, 3}}], sent[Slice{2, 2}]}) {
    const std::vector<float> expected = source.copy_to_host().to_vector<float>();
    const Array moved = to_device(source, there);
    CHECK(moved.device() == there);
    CHECK(moved.shape() == source.shape());
    CHECK(moved.copy_to_host().to_vector<float>() == expected);
    const Array queued = to_device(source, there, {.stream = stream});
    const Array back = pinned(source.shape(), DType::float32, Order::c, there);
    queued.copy_to_host(back, {.stream = stream});
    stream.synchronize();
    CHECK(back.to_vector<float>() == expected);
  }
  CHECK(message_of([&] { static_cast<void>(to_device(sent, there, {.stream = Stream(here)})); }) ==
        "to_device: the stream is on emulated:sm_75, the array is for emulated:sm_90; give a stream of emulated:sm_90");
}

TEST_CASE("emulated: page-locked memory is read when the copy runs, and registered memory, too") {
  const Device device = Device::emulated("sm_90");
  const Stream stream(device);
  const Array own = Array::full({1000}, 1.0F);
  HostRegistration registered = register_host({own, own[Slice{0, 10}], own.as_read_only()}, device);
  const Array locked = pinned({1000}, DType::float32, Order::c, device);
  locked.fill(2.0F);
  for (const Array& from : {own, locked}) {
    const Array back = pinned({1000}, DType::float32, Order::c, device);
    back.fill(0.0F);
    // Behind a kernel, so that the copies are not done at once.
    const Array x = to_device(from, device, {.stream = stream});
    math::multiply({x, 3.0F}, {.out = x, .stream = stream});
    x.copy_to_host(back, {.stream = stream});
    stream.synchronize();
    CHECK(back.to_vector<float>() == std::vector<float>(1000, 3 * from[0].item<float>()));
  }
  // Page-locked already, by kiln itself: nothing to do, and nothing undone.
  register_host({locked}, device).deregister();
  CHECK(to_device(locked, device).copy_to_host().to_vector<float>() == std::vector<float>(1000, 2));
  CHECK(message_of([&] { static_cast<void>(register_host({own[Slice{0, 5}], to_device(own, device)}, device)); }) ==
        "register_host: array 1 is on emulated:sm_90: give arrays in host memory");
  registered.deregister();
  CHECK(to_device(own, device).copy_to_host().to_vector<float>() == std::vector<float>(1000, 1));
}

TEST_CASE("emulated: a transform wants a library that is for GPUs alone") {
  const Stream stream(Device::emulated("sm_90"));
  CHECK(message_of([&] { fft::fft(Array::from<float>({1, 2}), {.stream = stream}); }) ==
        "cuFFT needs a GPU, and the emulator runs kernels alone; transform on Device::cpu()");
}
