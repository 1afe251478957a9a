// How long a first call takes on the CPU that compiles its kernel; and how long NVRTC and hipRTC take for a kiln kernel, beside
// a kernel of the same operation written by hand, in turn and in one process. The first compile of each, which loads the
// compiler, is left out, but for the CPU's `first_ms`. Prints JSON. Needs no GPU.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <kiln/kiln.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// What a CUDA programmer would write: a grid-stride loop over float4, and the rest one by one.
constexpr const char* kByHand = R"(
extern "C" __global__ void __launch_bounds__(256) discriminant(unsigned n, const float* __restrict__ a, const float* __restrict__ b,
                                                               const float* __restrict__ c, float* __restrict__ out) {
  unsigned packs = n / 4, step = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned p = t; p < packs; p += step) {
    float4 va = reinterpret_cast<const float4*>(a)[p], vb = reinterpret_cast<const float4*>(b)[p], vc = reinterpret_cast<const float4*>(c)[p], r;
    r.x = sqrtf(vb.x * vb.x - 4 * va.x * vc.x);
    r.y = sqrtf(vb.y * vb.y - 4 * va.y * vc.y);
    r.z = sqrtf(vb.z * vb.z - 4 * va.z * vc.z);
    r.w = sqrtf(vb.w * vb.w - 4 * va.w * vc.w);
    reinterpret_cast<float4*>(out)[p] = r;
  }
  for (unsigned i = packs * 4 + t; i < n; i += step) out[i] = sqrtf(b[i] * b[i] - 4 * a[i] * c[i]);
}
)";

struct Rtc {
  void* library;
  std::string prefix;
  template <class F>
  F symbol(const char* name) const {
    return reinterpret_cast<F>(dlsym(library, (prefix + name).c_str()));
  }
};

bool compile_by_hand(const Rtc& rtc, const std::string& text, const std::vector<const char*>& options) {
  using Create = int (*)(void**, const char*, const char*, int, const char* const*, const char* const*);
  using Compile = int (*)(void*, int, const char* const*);
  using Size = int (*)(void*, std::size_t*);
  using Get = int (*)(void*, char*);
  using Destroy = int (*)(void**);
  void* program = nullptr;
  if (rtc.symbol<Create>("CreateProgram")(&program, text.c_str(), "by_hand", 0, nullptr, nullptr) != 0) return false;
  bool good = rtc.symbol<Compile>("CompileProgram")(program, static_cast<int>(options.size()), options.data()) == 0;
  std::size_t size = 0;
  const bool cuda = rtc.prefix == "nvrtc";
  good = good && rtc.symbol<Size>(cuda ? "GetCUBINSize" : "GetCodeSize")(program, &size) == 0 && size > 0;
  std::string code(size, '\0');
  good = good && rtc.symbol<Get>(cuda ? "GetCUBIN" : "GetCode")(program, code.data()) == 0;
  rtc.symbol<Destroy>("DestroyProgram")(&program);
  return good;
}

double ms_of(const auto& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A text that no cache has seen; NVRTC 13 has one of its own.
std::string salt() {
  return "/* " + std::to_string(Clock::now().time_since_epoch().count()) + " */ ";
}

struct CpuCase {
  const char* name;
  kiln::UfuncDefinition definition;
};

std::vector<CpuCase> cpu_cases() {
  const std::vector<std::string> floats{"float32(float32 a, float32 b)"};
  std::string divisions = "int32 s = a;";
  for (int i = 0; i < 300; ++i) divisions += " s = s / (b + " + std::to_string(i) + ") + " + std::to_string(i) + ";";
  std::string functions;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    functions +=
        "float f" + number + "(float x, float y) { float z = x * y; if (z > 3) z = z * x - " + number + "; return z + y; }\n";
  }
  const char* const header =
      "#pragma once\n#define JOIN(left, right) left##right\ninline float twice(float x) { return 2 * x; }\n";
  return {
      {"plain", {.name = "f", .signatures = floats, .body = "return a + b;"}},
      {"sine", {.name = "f", .signatures = floats, .body = "return sin(a) + b;"}},
      {"loop",
       {.name = "f",
        .signatures = floats,
        .body = "float s = 0; for (int i = 0; i < 100 && s < b; ++i) s = s * s + a; return s;"}},
      {"divisions_300", {.name = "f", .signatures = {"int32(int32 a, int32 b)"}, .body = divisions + " return s;"}},
      {"header_that_pastes",
       {.name = "f",
        .signatures = floats,
        .body = "return twice(a) + b;",
        .compile = {.functions = "#include \"mine.hpp\"\n", .headers = {{"mine.hpp", header}}}}},
      {"unused_functions_100",
       {.name = "f", .signatures = floats, .body = "return a + b;", .compile = {.functions = functions}}},
  };
}

/// Medians.
void print_stages(const std::vector<kiln::CallRecord>& records) {
  constexpr std::pair<const char*, double kiln::CompileStages::*> kStages[] = {{"front_end", &kiln::CompileStages::front_end},
                                                                               {"passes", &kiln::CompileStages::passes},
                                                                               {"code", &kiln::CompileStages::code},
                                                                               {"link", &kiln::CompileStages::link},
                                                                               {"load", &kiln::CompileStages::load}};
  for (const auto& [name, stage] : kStages) {
    std::vector<double> ms;
    for (const kiln::CallRecord& record : records) ms.push_back(record.stages ? (*record.stages).*stage : 0);
    std::printf(", \"%s\": %.2f", name, median(ms));
  }
}

void measure_cpu(int rounds) {
  std::vector<float> float_values(8, 1);
  std::vector<std::int32_t> integer_values(8, 1);
  const kiln::Array floats = kiln::Array::view(float_values.data(), {8});
  const kiln::Array integers = kiln::Array::view(integer_values.data(), {8});
  const auto first_call = [&](kiln::UfuncDefinition definition) {
    definition.body.insert(0, salt());
    const kiln::Array& operand = definition.signatures.front().starts_with("int32") ? integers : floats;
    return ms_of([&] { kiln::vectorize(std::move(definition))(operand, operand); });
  };
  const std::vector<CpuCase> cases = cpu_cases();
  std::printf("  \"cpu\": {\"first_ms\": %.1f", first_call(cases.front().definition));
  for (const auto& [name, definition] : cases) {
    std::vector<double> ms;
    for (int i = 0; i < rounds; ++i) ms.push_back(first_call(definition));
    std::printf(",\n    \"%s\": {\"least_ms\": %.2f, \"median_ms\": %.2f", name, *std::min_element(ms.begin(), ms.end()),
                median(ms));
    const kiln::Profile profile = kiln::profile();
    for (int i = 0; i < rounds; ++i) first_call(definition);
    print_stages(profile.records());
    std::printf("}");
  }
  std::printf("},\n");
}

void* open_first(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (name == nullptr || *name == '\0') continue;
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

bool measure(const char* name, const Rtc& rtc, const char* target, const std::vector<const char*>& options, int rounds,
             bool comma) {
  if (rtc.library == nullptr) {
    std::printf("  \"%s\": null%s\n", name, comma ? "," : "");
    return true;
  }
  std::vector<double> kiln_ms, hand_ms;
  for (int i = 0; i <= rounds; ++i) {
    const std::string unseen = salt();
    const double by_kiln = ms_of([&] {
      kiln::vectorize({.name = "discriminant",
                       .signatures = {"float32(float32 a, float32 b, float32 c)"},
                       .body = unseen + "return sqrt(b * b - 4 * a * c);"})
          .compile(target);
    });
    bool good = false;
    const double by_hand = ms_of([&] { good = compile_by_hand(rtc, unseen + kByHand, options); });
    if (!good) {
      std::fprintf(stderr, "the kernel written by hand did not compile with %s\n", name);
      return false;
    }
    if (i == 0) continue;
    kiln_ms.push_back(by_kiln);
    hand_ms.push_back(by_hand);
  }
  std::printf("  \"%s\": {\"target\": \"%s\", \"kiln_ms\": %.2f, \"by_hand_ms\": %.2f, \"ratio\": %.3f}%s\n", name, target,
              median(kiln_ms), median(hand_ms), median(kiln_ms) / median(hand_ms), comma ? "," : "");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  setenv("KILN_CACHE_DIR", "", 1);
  setenv("KILN_DEVICE", "cpu", 1);
  const Rtc nvrtc{open_first({std::getenv("KILN_NVRTC"), "libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
                              "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12"}),
                  "nvrtc"};
  const Rtc hiprtc{open_first({std::getenv("KILN_HIPRTC"), "libamdhip64.so.5", "libhiprtc.so"}), "hiprtc"};
  std::printf("{\n");
  measure_cpu(rounds);
  const bool good =
      measure("nvrtc", nvrtc, "sm_90", {"--gpu-architecture=sm_90", "--std=c++20", "-fmad=false"}, rounds, true) &&
      measure("hiprtc", hiprtc, "gfx90a", {"--offload-arch=gfx90a", "-std=c++20", "-O3", "-ffp-contract=off"}, rounds, false);
  std::printf("}\n");
  return good ? 0 : 1;
}
