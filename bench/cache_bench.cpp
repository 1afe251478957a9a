// What the kernel cache costs: making a key, finding a kernel in memory, and on the disk (read, verified and loaded) beside 10
// and 100,000 other entries. Sees the library's internals, so that each part is timed alone. Prints JSON. usage:
// kiln-cache-bench [ROUNDS] [ENTRIES]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cache/key.hpp"
#include "device/backend.hpp"
#include "kernel/elementwise/spec.hpp"
#include "program/cache_impl.hpp"
#include "program/job.hpp"
#include "registry/registry.hpp"

namespace {

using namespace kiln;
using Clock = std::chrono::steady_clock;

struct Kernel {
  explicit Kernel(std::string body) {
    text.name = "bench";
    text.body = std::move(body);
    text.input_names = {"a", "b", "c"};
    const kinds::OperandSpec operand{DType::float32, DType::float32, kinds::Access::contiguous};
    spec = kinds::ElementwiseSpec{.inputs = {operand, operand, operand}, .outputs = {operand}};
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  codegen::UserText text;
  kinds::ElementwiseSpec spec;
  /// Rendered anew.
  [[nodiscard]] program::Request request() const {
    return {.source = kinds::make_source({.text = text,
                                          .spec = spec,
                                          .target = DeviceKind::cpu,
                                          .kind = "ufunc",
                                          .signature = "float32(float32 a, float32 b, float32 c)",
                                          .headers = {},
                                          .include_dirs = {}})};
  }
};

/// Of one run of `work`, in microseconds.
template <typename Work>
double us_of(Work work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void report(const char* name, std::vector<double> us, bool last = false) {
  std::sort(us.begin(), us.end());
  std::printf("  \"%s\": {\"median_us\": %.3f, \"p10_us\": %.3f, \"p90_us\": %.3f, \"min_us\": %.3f, \"max_us\": %.3f}%s\n",
              name, us[us.size() / 2], us[us.size() / 10], us[us.size() * 9 / 10], us.front(), us.back(), last ? "" : ",");
}

/// Each sample is the mean of a thousand runs.
template <typename Work>
void report_thousand(const char* name, int rounds, Work work) {
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) {
    us.push_back(us_of([&] {
                   for (int k = 0; k < 1000; ++k) work();
                 }) /
                 1000);
  }
  report(name, us);
}

void fill(const std::string& directory, int entries) {
  cache::DiskStore store(directory, {}, UINT64_MAX, nullptr);
  for (int i = 0; i < entries; ++i) {
    cache::Key key;
    key.source = std::to_string(i);
    (void)store.put(key.canonical(), {.info = {.kernel = "filler", .target = "none", .compiler = "none"}, .payload = "x"});
  }
}

/// A cache object per round is what a new process has, but for what the process itself costs.
void measure_disk(const char* name, const std::string& directory, const Kernel& kernel, int rounds, bool last) {
  backend::Backend& cpu = backend::backend_for(Device::cpu());
  (void)detail::CacheImpl({.directory = directory, .max_bytes = UINT64_MAX})
      .builder()
      .build(program::make_job(kernel.request(), *cpu.compiler()), *cpu.compiler());
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) {
    detail::CacheImpl fresh({.directory = directory, .max_bytes = UINT64_MAX});
    std::shared_ptr<backend::Module> module;
    us.push_back(us_of([&] { module = fresh.builder().load(program::make_job(kernel.request(), *cpu.compiler()), cpu); }));
    if (fresh.builder().stats().disk_hits != 1) {
      std::fprintf(stderr, "%s: not found on the disk\n", name);
      std::exit(1);
    }
  }
  report(name, us, last);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  const int entries = argc > 2 ? std::atoi(argv[2]) : 100'000;
  const auto root = std::filesystem::temp_directory_path() / ("kiln-cache-bench-" + std::to_string(getpid()));
  setenv("KILN_CACHE_DIR", (root / "process").c_str(), 1);
  const Kernel plain("return a * b + c;");
  const Kernel rich("return sin(a) * exp(b) + pow(c, 0.5f) * erf(a) + lgamma(b) + hypot(a, c) + atan2(a, b);");
  backend::Backend& cpu = backend::backend_for(Device::cpu());
  std::printf("{\n");
  const std::string key = program::make_job(plain.request(), *cpu.compiler()).key;
  std::printf("  \"key_bytes\": %zu,\n", key.size());
  report_thousand("make_key", rounds / 10 + 1, [&] { (void)program::make_job(plain.request(), *cpu.compiler()); });
  report_thousand("make_key_many_functions", rounds / 10 + 1,
                  [&] { (void)program::make_job(rich.request(), *cpu.compiler()); });
  report_thousand("digest_of_key", rounds / 10 + 1, [&] { (void)cache::digest(key); });
  {
    detail::CacheImpl memory({});
    const program::Job job = program::make_job(plain.request(), *cpu.compiler());
    const auto module = memory.builder().load(job, cpu);
    report_thousand("memory_hit_module", rounds, [&] { (void)memory.builder().load(job, cpu); });
    report_thousand("memory_hit_code", rounds, [&] { (void)memory.builder().build(job, *cpu.compiler()); });
  }
  const std::string few = root / "few";
  const std::string many = root / "many";
  fill(few, 10);
  fill(many, entries);
  measure_disk("disk_hit_10", few, plain, rounds, false);
  measure_disk(("disk_hit_" + std::to_string(entries)).c_str(), many, plain, rounds, false);
  {
    const Cache cache(CacheOptions{.directory = many});
    std::size_t listed = 0;
    report("list", {us_of([&] { listed = cache.list().size(); })});
    std::printf("  \"listed\": %zu,\n", listed);
    report("verify", {us_of([&] { (void)cache.verify(); })});
    report("sweep", {us_of([&] { (void)cache.prune(UINT64_MAX); })}, true);
  }
  std::printf("}\n");
  std::filesystem::remove_all(root);
  return 0;
}
