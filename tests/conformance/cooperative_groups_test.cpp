// cooperative_groups.h on every device. Expected values are computed from the numbers of threads alone.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "kiln/cupy_raw.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Extent3;
namespace cupy = kiln::cupy;

namespace {

using Numbers = std::vector<std::int32_t>;

Numbers numbers(std::size_t n) {
  Numbers list;
  for (std::size_t i = 0; i < n; ++i) list.push_back(static_cast<std::int32_t>(i * i * 7919 % 1009) - 500);
  return list;
}

/// Launches `kernel(x, y)` and returns y, with `columns` numbers for each thread.
Numbers launched(const Target& target, const cupy::Function& kernel, std::int64_t blocks, const Extent3& block,
                 const Numbers& x, std::int64_t columns) {
  const Array y = target.place(Array::zeros({static_cast<std::int64_t>(x.size()), columns}, DType::int32));
  kernel(blocks, block, {target.place(Array::from(x)), y}, 0, target.options().stream);
  return values_of<std::int32_t>(target, y);
}

/// The first lane of each thread's group, of groups of `size` lanes, and the thread's rank.
struct Ranked {
  std::size_t begin;
  std::size_t rank;
};
Ranked ranked(std::size_t thread, std::size_t size) {
  return {thread / size * size, thread % size};
}

constexpr Extent3 kBlocks[] = {{64}, {32, 2}, {8, 8}, {48, 2}, {4, 4, 4}, {256}};

}  // namespace

TEST_CASE("cooperative groups: a block, its place and its barrier") {
  static const cupy::Function kernel = cupy::raw_kernel({.code = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int neighbour(const cg::thread_group& g, int* own, int v) {
  own[g.thread_rank()] = v;
  g.sync();
  const int result = own[g.size() - 1 - g.thread_rank()];
  cg::sync(g);
  return result;
}
extern "C" __global__ void places(const int* x, int* y) {
  __shared__ int own[256];
  cg::thread_block block = cg::this_thread_block();
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  y[6 * i] = neighbour(block, own, x[i]);
  y[6 * i + 1] = block.size() + 1000 * block.group_index().x + 10000 * block.group_index().y;
  y[6 * i + 2] = block.thread_index().x + 100 * block.thread_index().y + 10000 * block.thread_index().z;
  y[6 * i + 3] = block.group_dim().x + 1000 * cg::thread_block::dim_threads().y;
  y[6 * i + 4] = grid.size() + 10000 * grid.num_blocks() + 1000000 * grid.group_dim().y;
  y[6 * i + 5] = grid.block_rank() + 10 * grid.is_valid() + 100 * (cg::thread_rank(block) == block.thread_rank());
})",
                                                         .name = "places"});
  on_every_device([&](const Target& target) {
    for (const Extent3& block : kBlocks) {
      const auto threads = static_cast<std::size_t>(block.x * block.y * block.z);
      const Numbers x = numbers(6 * threads);
      const Array y = target.place(Array::zeros({static_cast<std::int64_t>(x.size()), 6}, DType::int32));
      kernel({2, 3}, block, {target.place(Array::from(x)), y}, 0, target.options().stream);
      Numbers expected;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto b = static_cast<std::int32_t>(i / threads), t = static_cast<std::int32_t>(i % threads);
        const auto [width, height, depth] = std::array{static_cast<std::int32_t>(block.x), static_cast<std::int32_t>(block.y),
                                                       static_cast<std::int32_t>(block.z)};
        expected.push_back(x[(i / threads + 1) * threads - 1 - i % threads]);
        expected.push_back(width * height * depth + 1000 * (b % 2) + 10000 * (b / 2));
        expected.push_back(t % width + 100 * (t / width % height) + 10000 * (t / width / height));
        expected.push_back(width + 1000 * height);
        expected.push_back(6 * width * height * depth + 60000 + 3000000);
        expected.push_back(b + 100);
      }
      CAPTURE(threads);
      CHECK(values_of<std::int32_t>(target, y) == expected);
    }
  });
}

TEST_CASE("cooperative groups: tiles exchange values, vote and count themselves") {
  static const cupy::RawModule module =
      cupy::raw_module({.code = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int Size, int Whole>
__global__ void tiles(const int* x, int* y) {
  const auto block = cg::this_thread_block();
  const auto whole = cg::tiled_partition<Whole>(block);
  const cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(whole);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  const int v = x[i];
  int* const to = y + 12 * i;
  to[0] = tile.thread_rank() + 100 * tile.size() + 10000 * cg::group_size(whole);
  to[1] = tile.meta_group_rank() + 100 * tile.meta_group_size();
  to[2] = whole.meta_group_rank() + 100 * whole.meta_group_size();
  to[3] = tile.shfl(v, Size / 2);
  to[4] = tile.shfl_up(v, 1);
  to[5] = int(tile.shfl_down((long long)v << 33, 2) >> 33);
  to[6] = int(2 * tile.shfl_xor(v * 0.5, Size / 2));
  to[7] = tile.any(v > 400) + 2 * tile.all(v > -400);
  to[8] = int(tile.ballot(v > 0));
  to[9] = __popc(tile.match_any(v & 1));
  to[10] = 0;
  if (tile.meta_group_rank() == 0) {  // one tile alone
    to[10] = tile.shfl(v, 0);
    tile.sync();
  }
  int same = -1;
  to[11] = int(tile.match_all(7, same)) == int(~0u >> (32 - Size)) && same == 1;
})",
                        .name_expressions = {"tiles<1, 32>", "tiles<4, 16>", "tiles<8, 32>", "tiles<32, 32>"}});
  const auto check = [&](const Target& target, const std::string& name, std::size_t size, std::size_t whole) {
    for (const Extent3& block : kBlocks) {
      const auto threads = static_cast<std::size_t>(block.x * block.y * block.z);
      const Numbers x = numbers(2 * threads);
      Numbers expected;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t thread = i % threads;
        const auto [begin, rank] = ranked(i - i % threads + thread, size);
        const std::size_t of_whole = thread / whole, in_whole = thread % whole / size;
        std::int32_t any = 0, all = 2, ballot = 0, matching = 0;
        for (std::size_t k = 0; k < size; ++k) {
          const std::int32_t v = x[begin + k];
          any |= static_cast<std::int32_t>(v > 400);
          if (v <= -400) all = 0;
          ballot |= static_cast<std::int32_t>(std::uint32_t{v > 0} << k);
          matching += static_cast<std::int32_t>(((v ^ x[i]) & 1) == 0);
        }
        const auto n = [](std::size_t v) { return static_cast<std::int32_t>(v); };
        expected.insert(expected.end(),
                        {n(rank + 100 * size + 10000 * whole), n(in_whole + 100 * (whole / size)),
                         n(of_whole + 100 * ((threads + whole - 1) / whole)), x[begin + size / 2], rank > 0 ? x[i - 1] : x[i],
                         rank + 2 < size ? x[i + 2] : x[i], x[begin + (rank ^ (size / 2)) % size], any + all, ballot, matching,
                         in_whole == 0 ? x[begin] : 0, 1});
      }
      CAPTURE(name);
      CAPTURE(threads);
      CHECK(launched(target, module.get_function(name), 2, block, x, 12) == expected);
    }
  };
  on_every_device([&](const Target& target) {
    check(target, "tiles<1, 32>", 1, 32);
    check(target, "tiles<4, 16>", 4, 16);
    check(target, "tiles<8, 32>", 8, 32);
    check(target, "tiles<32, 32>", 32, 32);
  });
}

TEST_CASE("cooperative groups: reductions and scans of tiles and of lanes that are at one place") {
  static const cupy::Function kernel = cupy::raw_kernel({.code = R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void totals(const int* x, int* y) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + block.thread_rank(), v = x[i];
  int* const to = y + 8 * i;
  to[0] = cg::reduce(tile, v, cg::plus<int>());
  to[1] = int(cg::reduce(tile, double(v), cg::less<double>()));
  to[2] = cg::reduce(tile, v, cg::greater<int>()) ^ cg::reduce(tile, v, [](int a, int b) { return a ^ b; });
  to[3] = cg::inclusive_scan(tile, v);
  to[4] = cg::exclusive_scan(tile, v, cg::plus<int>());
  const cg::coalesced_group odd = cg::binary_partition(tile, v & 1);
  to[5] = cg::reduce(odd, v, cg::plus<int>()) + 1000000 * odd.size() + 100000000 * odd.meta_group_rank();
  const cg::coalesced_group label = cg::labeled_partition(tile, v & 3);
  to[6] = label.shfl(v, label.size() - 1) + label.thread_rank() * 10000 + 1000000 * __popc(label.ballot(v > 0));
  const cg::thread_group quarter = cg::tiled_partition((cg::thread_group)tile, 4);
  to[7] = quarter.size() * 100 + quarter.thread_rank();
  quarter.sync();
})",
                                                         .name = "totals"});
  on_every_device([&](const Target& target) {
    for (const Extent3& block : kBlocks) {
      const auto threads = static_cast<std::size_t>(block.x * block.y * block.z);
      const Numbers x = numbers(2 * threads);
      Numbers expected;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto [begin, rank] = ranked(i, 16);
        std::int32_t sum = 0, least = x[begin], most = x[begin], exclusive = 0, bits = 0;
        std::int32_t odd_sum = 0, odd_count = 0, last = 0, label_rank = 0, positive = 0;
        for (std::size_t k = begin; k < begin + 16; ++k) {
          sum += x[k];
          bits ^= x[k];
          least = std::min(least, x[k]);
          most = std::max(most, x[k]);
          if (k < i) exclusive += x[k];
          if (((x[k] ^ x[i]) & 1) == 0) odd_sum += x[k], ++odd_count;
          if (((x[k] ^ x[i]) & 3) != 0) continue;
          last = x[k];
          label_rank += k < i;
          positive += x[k] > 0;
        }
        expected.insert(
            expected.end(),
            {sum, least, most ^ bits, exclusive + x[i], exclusive, odd_sum + 1000000 * odd_count + 100000000 * (x[i] & 1),
             last + label_rank * 10000 + 1000000 * positive, 400 + static_cast<std::int32_t>(rank % 4)});
      }
      CAPTURE(threads);
      CHECK(launched(target, kernel, 2, block, x, 8) == expected);
    }
  });
}

TEST_CASE("cooperative groups: lanes at one place, in a branch of the kernel and after lanes have ended") {
  // NVIDIA's example of one atomic operation for all lanes that want one.
  static const cupy::Function kernel = cupy::raw_kernel({.code = R"(
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int next(int* count, int* most) {
  const coalesced_group together = coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0) first = atomicAdd(count, together.size());
  atomicMax(most, together.size());
  return together.shfl(first, 0) + together.thread_rank();
}
extern "C" __global__ void choose(const int* x, int* count, int* chosen, int* mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] == -500) return;
  if (x[i] > 0) {
    chosen[next(count, count + 1)] = x[i];
  } else if (x[i] % 3 == 0) {
    mask[i] = __popc(__activemask());
  }
})",
                                                         .name = "choose"});
  on_every_device([&](const Target& target) {
    for (const std::int64_t threads : {20, 64, 256}) {
      const Numbers x = numbers(static_cast<std::size_t>(3 * threads));
      const std::int64_t n = std::int64_t(x.size());
      const Array count = target.place(Array::zeros({2}, DType::int32));
      const Array chosen = target.place(Array::zeros({n}, DType::int32));
      const Array mask = target.place(Array::zeros({n}, DType::int32));
      kernel(3, threads, {target.place(Array::from(x)), count, chosen, mask}, 0, target.options().stream);
      Numbers expected, most(x.size() / 32 + 3);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] > 0) expected.push_back(x[i]);
      }
      Numbers is = values_of<std::int32_t>(target, chosen);
      is.resize(expected.size());
      std::ranges::sort(is);
      std::ranges::sort(expected);
      CAPTURE(threads);
      CHECK(is == expected);
      const Numbers counted = values_of<std::int32_t>(target, count);
      CHECK(counted[0] == static_cast<std::int32_t>(expected.size()));
      CHECK(counted[1] >= 1);
      CHECK(counted[1] <= 32);
      const Numbers masks = values_of<std::int32_t>(target, mask);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool asks = x[i] <= 0 && x[i] % 3 == 0 && x[i] != -500;
        std::int32_t together = 0;  // that ask in this warp, of which the device may see any that are there
        const std::size_t thread = i % static_cast<std::size_t>(threads), begin = i - thread + thread / 32 * 32;
        for (std::size_t k = begin; k < std::min(begin + 32, i - thread + static_cast<std::size_t>(threads)); ++k)
          together += x[k] <= 0 && x[k] % 3 == 0 && x[k] != -500;
        CHECK(masks[i] >= (asks ? 1 : 0));
        CHECK(masks[i] <= (asks ? together : 0));
      }
    }
  });
}

TEST_CASE("cooperative groups: what there is none of is told with its place") {
  const Array x = Array::zeros({4}, DType::float32);
  const auto fails = [&](const std::string& body, const std::string& headers = "") {
    const std::string code = "#include <cooperative_groups.h>\n" + headers + "namespace cg = cooperative_groups;\n" +
                             "__global__ void f(float* x) {\n  " + body + "\n}";
    return message_of([&] { cupy::raw_kernel({.code = code, .name = "f"})(1, 1, {x}); });
  };
  constexpr const char* kGrid =
      "error: the blocks of a grid do not wait for one another; end the kernel here, and launch another for the rest";
  CHECK(fails("cg::this_grid().sync();").starts_with(std::string("f.functions:4:19: ") + kGrid));
  CHECK(fails("cg::sync(cg::this_grid());").starts_with(std::string("f.functions:4:7: ") + kGrid));
  CHECK(fails("cg::this_cluster().sync();")
            .find("; kernels know the groups of a block and of its warps, and this_grid() without sync()") !=
        std::string::npos);
  CHECK(fails("auto t = cg::tiled_partition<12>(cg::this_thread_block());").find("a tile has 1, 2, 4, 8, 16 or 32 threads") !=
        std::string::npos);
  CHECK(fails("auto t = cg::tiled_partition<32>(cg::tiled_partition<16>(cg::this_thread_block()));")
            .find("a part of a tile has no more threads than the tile") != std::string::npos);
  CHECK(fails("", "#include <cooperative_groups/memcpy_async.h>\n") ==
        "failed to find the header \"cooperative_groups/memcpy_async.h\", which f.functions:2 includes: of cooperative groups "
        "there are cooperative_groups.h, cooperative_groups/reduce.h and cooperative_groups/scan.h");
}
