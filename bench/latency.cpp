// How long a new process waits for its first results: cold (nothing cached, the compiler must be loaded), the next kernel, and
// warm from the disk cache. Each figure is the median over fresh processes. Prints JSON.
// usage: kiln-latency [PROCESSES [DEVICE]]      default: 15, cpu
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <kiln/kiln.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// In this process, or at the other end of a socket.
bool compiler_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    for (const char* name : {"libkiln-clang", "libnvrtc.", "libhiprtc."}) {
      if (line.find(name) != std::string::npos) return true;
    }
  }
  std::error_code error;
  for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
    if (std::filesystem::read_symlink(open.path(), error).string().starts_with("socket:")) return true;
  }
  return false;
}

/// In the child: first and second kernel of a process, from main() on, and how long the device took to open of that.
int child() {
  const auto start = Clock::now();
  kiln::Device::best().synchronize();
  const double open_ms = ms_since(start);
  const kiln::Array x = kiln::Array::full({1000}, 2.0F);
  const auto first = kiln::vectorize({.name = "discriminant",
                                      .signatures = {"float32(float32 a, float32 b, float32 c)"},
                                      .body = "return sqrt(b * b - 4 * a * c);"});
  const float got = first(x, x, 0.25F).as<const float>()[999];
  const double first_ms = ms_since(start);
  const auto again = Clock::now();
  const auto second = kiln::vectorize(
      {.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"});
  const float got2 = second(2.0F, x, x).as<const float>()[0];
  const double second_ms = ms_since(again);
  if (got != std::numbers::sqrt2_v<float> || got2 != 6.0F) return 1;
  std::printf("%f %f %f %d\n", open_ms, first_ms, second_ms, compiler_is_loaded() ? 1 : 0);
  return 0;
}

struct Sample {
  double open, first, second;
  int loaded;
};

Sample run_child(const char* self, const std::string& device, const std::filesystem::path& cache) {
  const std::string command = "KILN_DEVICE='" + device + "' KILN_CACHE_DIR='" + cache.string() + "' '" + self + "' --child";
  FILE* pipe = popen(command.c_str(), "r");
  Sample sample{};
  if (pipe == nullptr ||
      std::fscanf(pipe, "%lf %lf %lf %d", &sample.open, &sample.first, &sample.second, &sample.loaded) != 4 ||
      pclose(pipe) != 0) {
    std::cerr << "the child failed\n";
    std::exit(1);
  }
  return sample;
}

void report(const char* name, std::vector<double> values, bool last = false) {
  std::sort(values.begin(), values.end());
  std::printf("  \"%s\": {\"median_ms\": %.3f, \"min_ms\": %.3f, \"max_ms\": %.3f}%s\n", name, values[values.size() / 2],
              values.front(), values.back(), last ? "" : ",");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--child") return child();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  const std::string device = argc > 2 ? argv[2] : "cpu";
  const auto root = std::filesystem::temp_directory_path() / ("kiln-latency-" + std::to_string(getpid()));
  std::vector<double> open, cold, second, warm, warm_second;
  int loaded_when_warm = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto cache = root / std::to_string(i);
    const Sample fresh = run_child(argv[0], device, cache);
    const Sample again = run_child(argv[0], device, cache);
    open.push_back(fresh.open);
    cold.push_back(fresh.first);
    second.push_back(fresh.second);
    warm.push_back(again.first);
    warm_second.push_back(again.second);
    loaded_when_warm += again.loaded;
  }
  std::filesystem::remove_all(root);
  std::printf("{\n");
  report("device_opened", open);
  report("cold_first_result", cold);
  report("cold_second_kernel", second);
  report("warm_first_result", warm);
  report("warm_second_kernel", warm_second);
  std::printf("  \"compiler_loaded_when_warm\": %d,\n  \"processes\": %d\n}\n", loaded_when_warm, 2 * rounds);
  return loaded_when_warm == 0 ? 0 : 1;
}
