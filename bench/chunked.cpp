// Calls in chunks beside what they are measured against: the whole call, a plain loop over a mapped file, `cat FILE
// >/dev/null`. usage: kiln-chunked-bench [ELEMENTS] [FOLDER]      1e8 float32 elements; the folder holds a file of them, and
// one of the result. Medians of rounds in which the columns take turns.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using kiln::Array;
using kiln::DType;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;

double seconds(const std::function<void()>& call) {
  const auto begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Column {
  std::string name;
  std::function<void()> call;
};

/// The first column over each other: above 1 is faster than the first.
void compare(const char* what, double bytes, const std::vector<Column>& columns,
             const std::function<void()>& before = nullptr) {
  std::vector<std::vector<double>> times(columns.size());
  for (int round = -1; round < kRounds; ++round) {  // one to warm up
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (before) before();
      const double time = seconds(columns[c].call);
      if (round >= 0) times[c].push_back(time);
    }
  }
  const auto median = [](std::vector<double> list) {
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
  };
  std::printf("%s\n", what);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto [least, most] = std::minmax_element(times[c].begin(), times[c].end());
    std::printf("  %-28s %8.1f ms  %6.2f GB/s  %5.2f  spread %.0f%%\n", columns[c].name.c_str(), 1e3 * median(times[c]),
                bytes / median(times[c]) / 1e9, median(times[0]) / median(times[c]), 100 * (*most - *least) / median(times[c]));
  }
}

/// Sums in sixteen lanes, which a compiler makes vectors of.
float plain_sum(const float* data, std::int64_t count) {
  float lanes[64] = {};
  std::int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    for (int k = 0; k < 64; ++k) lanes[k] += data[i + k];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; i < count; ++i) sum += data[i];
  return sum;
}

class File {
 public:
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), bytes_(std::filesystem::file_size(path)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(fd_); }

  void drop() const { posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED); }
  float sum_mapped(unsigned threads) const {
    void* const mapped = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd_, 0);
    const auto* const data = static_cast<const float*>(mapped);
    const float sum =
        by_threads(threads, [&](std::int64_t begin, std::int64_t end) { return plain_sum(data + begin, end - begin); });
    munmap(mapped, bytes_);
    return sum;
  }
  float sum_read(unsigned threads) const {
    return by_threads(threads, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer(1 << 16);
      float sum = 0;
      while (begin < end) {
        const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(end - begin, std::ssize(buffer)));
        const ssize_t got = pread(fd_, buffer.data(), 4 * wanted, 4 * begin);
        if (got <= 0) std::abort();
        sum += plain_sum(buffer.data(), got / 4);
        begin += got / 4;
      }
      return sum;
    });
  }

 private:
  template <class Sum>
  float by_threads(unsigned threads, const Sum& sum) const {
    const auto count = static_cast<std::int64_t>(bytes_ / 4);
    std::vector<float> sums(threads);
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t) {
      running.emplace_back([&, t] { sums[t] = sum(count * t / threads, count * (t + 1) / threads); });
    }
    running.clear();
    float all = 0;
    for (const float part : sums) all += part;
    return all;
  }

  int fd_;
  std::size_t bytes_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t count = argc > 1 ? std::llround(std::atof(argv[1])) : 100'000'000;
  const std::filesystem::path folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path();
  const kiln::Device cpu = kiln::Device::cpu();
  const kiln::ChunkOptions how{.devices = {cpu}};
  const auto disc = kiln::vectorize("float32 disc(float32 a, float32 b, float32 c) = sqrt(b * b - 4 * a * c)");
  const Array a = Array::full({count}, 0.5F);
  const Array b = Array::full({count}, 3.0F);
  const Array c = Array::full({count}, 1.5F);
  const Array out = Array::empty({count}, DType::float32);
  const double bytes = 4.0 * static_cast<double>(count);
  kiln::Stream stream(cpu);
  compare(
      "discriminant of host arrays", 4 * bytes,
      {{"the call", [&] { disc(a, b, c, {.out = out}); }},
       {"chunked", [&] { kiln::chunked(disc, how)(a, b, c, {.out = out}); }},
       {"chunked, 64 MiB", [&] { kiln::chunked(disc, {.chunk_bytes = 64 << 20, .devices = {cpu}})(a, b, c, {.out = out}); }}});

  const std::string path = folder / "kiln-chunked-bench.npy";
  const std::string to = folder / "kiln-chunked-bench-out.npy";
  kiln::save_npy(path, a);
  const File file(path);
  Array mapped = kiln::open_npy(path);
  const auto sum = kiln::chunked(kiln::math::add, how);
  volatile float sink = 0;
  compare("sum of a file in the page cache", bytes,
          {{"chunked, mapped", [&] { sink = sum.reduce(kiln::open_npy(path)).item<float>(); }},
           {"chunked, mapped before", [&] { sink = sum.reduce(mapped).item<float>(); }},
           {"the call, mapped", [&] { sink = kiln::math::add.reduce(kiln::open_npy(path)).item<float>(); }},
           {"plain, mapped, 1 thread", [&] { sink = file.sum_mapped(1); }},
           {"plain, mapped, 2 threads", [&] { sink = file.sum_mapped(2); }},
           {"plain, read, 1 thread", [&] { sink = file.sum_read(1); }},
           {"plain, read, 2 threads", [&] { sink = file.sum_read(2); }}});
  mapped = Array();  // pages that somebody has mapped stay
  compare("sum of a file that is not in the page cache", bytes,
          {{"chunked, mapped", [&] { sink = sum.reduce(kiln::open_npy(path)).item<float>(); }},
           {"the call, mapped", [&] { sink = kiln::math::add.reduce(kiln::open_npy(path)).item<float>(); }},
           {"cat >/dev/null", [&] { sink = static_cast<float>(std::system(("cat " + path + " >/dev/null").c_str())); }},
           {"plain, read, 2 threads", [&] { sink = file.sum_read(2); }}},
          [&] { file.drop(); });
  compare("file to file", 2 * bytes,
          {{"chunked",
            [&] {
              const Array target = kiln::create_npy(to, {count}, DType::float32);
              kiln::chunked(disc, how)(kiln::open_npy(path), 3.0F, 1.5F, {.out = target});
            }},
           {"the call", [&] {
              const Array target = kiln::create_npy(to, {count}, DType::float32);
              disc(kiln::open_npy(path), 3.0F, 1.5F, {.out = target});
            }}});
  std::filesystem::remove(path);
  std::filesystem::remove(to);
  return sink == 0 ? 1 : 0;
}
