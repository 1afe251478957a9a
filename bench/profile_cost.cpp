// What profiling costs a call of one element: where nobody listens, in a profile, and in one with a callback. Prints a line for
// each; the first two are the hooks of a call alone.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "kiln/kiln.hpp"
#include "profiling/call.hpp"
#include "registry/registry.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Nanoseconds a turn: the median of 31 rounds of `count`.
template <class Work>
double ns_each(int count, const Work& work) {
  std::vector<double> rounds;
  for (int round = 0; round < 31; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < count; ++i) work();
    rounds.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count);
  }
  std::nth_element(rounds.begin(), rounds.begin() + 15, rounds.end());
  return rounds[15];
}

}  // namespace

int main() {
  const kiln::Ufunc saxpy = kiln::vectorize(
      {.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"});
  const kiln::Array x = kiln::to_device(kiln::Array::full({1}, 2.0F), kiln::Device::cpu());
  const kiln::Array out = kiln::to_device(kiln::Array::full({1}, 2.0F), kiln::Device::cpu());
  const kiln::Arg args[] = {2.0F, x, x};
  const kiln::CallOptions options{.out = out};
  const auto call = [&] { saxpy(std::span<const kiln::Arg>(args), options); };
  call();
  kiln::backend::Backend& cpu = kiln::backend::backend_for(kiln::Device::cpu());
  const kiln::backend::Module module;
  const double nothing = ns_each(1'000'000, [] { asm volatile("" ::: "memory"); });
  const double hooks = ns_each(1'000'000, [&] {
    const kiln::profiling::Call profiled;
    asm volatile("" ::: "memory");
    if (profiled) profiled.named("saxpy");
    if (profiled) profiled.reads(1, 4);
    if (!kiln::profiling::active()) return;
    kiln::profiling::Launch launch(cpu, module, nullptr);
    launch.queued(nullptr);
  });
  const double off = ns_each(100'000, call);
  double profiled = 0;
  double told = 0;
  {
    const kiln::Profile profile = kiln::profile({.limit = 10'000'000});
    profiled = ns_each(10'000, call);
  }
  {
    std::int64_t calls = 0;
    const kiln::Profile profile = kiln::profile({.on_call = [&](const kiln::CallRecord&) { ++calls; }, .limit = 0});
    told = ns_each(10'000, call);
  }
  std::printf("nothing            %8.2f ns\n", nothing);
  std::printf("the hooks alone    %8.2f ns, %.2f of a call\n", hooks, (hooks - nothing) / off);
  std::printf("a call             %8.2f ns\n", off);
  std::printf("in a profile       %8.2f ns\n", profiled);
  std::printf("with a callback    %8.2f ns\n", told);
}
