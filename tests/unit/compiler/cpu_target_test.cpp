#include "compiler/cpu/target.hpp"
#include "device/cpu/backend.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "compiler/inspector.hpp"
#include "device/backend.hpp"
#include "device/cpu_kernels.hpp"
#include "kiln/kiln.hpp"

namespace kiln {
namespace {

using namespace backend::cpu;

/// A processor made up for the test: leaf and subleaf to registers.
CpuidSource made_up(std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> leaves, std::uint64_t state) {
  return {.query =
              [leaves = std::move(leaves)](std::uint32_t leaf, std::uint32_t subleaf) {
                const auto found = leaves.find({leaf, subleaf});
                return found == leaves.end() ? CpuidRegisters{} : found->second;
              },
          .enabled_state = state};
}

constexpr CpuidRegisters kIntel{0x1f, 0x756e6547, 0x6c65746e, 0x49656e69};
constexpr CpuidRegisters kAmd{0x10, 0x68747541, 0x444d4163, 0x69746e65};
constexpr std::uint64_t kAvxState = 0x7;
constexpr std::uint64_t kAllState = 0xe7;
constexpr std::uint32_t kAll = 0xffffffff;

bool present(const HostFeatures& host, std::string_view name) {
  const auto found = std::find_if(host.features.begin(), host.features.end(), [&](const Feature& f) { return f.name == name; });
  REQUIRE(found != host.features.end());
  return found->present;
}

TEST_CASE("cpu target: levels need every feature of theirs, and the system's support") {
  CHECK(detect(made_up({}, 0)).level == 1);
  const CpuidRegisters all{kAll, kAll, kAll, kAll};
  const std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> everything{
      {{0, 0}, kIntel}, {{1, 0}, all}, {{7, 0}, all}, {{7, 1}, all}, {{0x80000001, 0}, all}};
  CHECK(detect(made_up(everything, kAllState)).level == 4);
  CHECK(detect(made_up(everything, kAllState)).tune == "sapphirerapids");
  // Wrong masks of compared halves (features.cpp).
  for (const std::string& argument : target_of(detect(made_up(everything, kAllState))).arguments) {
    CHECK(argument.find("fp16") == std::string::npos);
  }
  auto without_bf16 = everything;
  without_bf16[{7, 1}][0] &= ~(1U << 5);
  CHECK(detect(made_up(without_bf16, kAllState)).tune == "icelake-server");
  // A system that saves no zmm registers: AVX-512 is as good as absent.
  const HostFeatures no_zmm = detect(made_up(everything, kAvxState));
  CHECK(no_zmm.level == 3);
  CHECK(no_zmm.tune == "alderlake");
  CHECK_FALSE(present(no_zmm, "avx512f"));
  CHECK(present(no_zmm, "avx2"));
  CHECK(detect(made_up(everything, 0)).level == 2);

  auto without_fma = everything;
  without_fma[{1, 0}][2] &= ~(1U << 12);
  const HostFeatures half = detect(made_up(without_fma, kAllState));
  CHECK(half.level == 2);
  CHECK(present(half, "avx2"));
  CHECK_FALSE(present(half, "fma"));
  CHECK_FALSE(present(half, "avx512bw"));  // no level 4 without level 3
}

TEST_CASE("cpu target: AMD's cores are tuned for by family") {
  const auto amd = [](std::uint32_t signature, std::uint32_t leaf7) {
    return detect(made_up({{{0, 0}, kAmd},
                           {{1, 0}, {signature, 0, kAll, kAll}},
                           {{7, 0}, {0, leaf7, 0, 0}},
                           {{0x80000001, 0}, {0, 0, kAll, 0}}},
                          kAllState))
        .tune;
  };
  CHECK(amd(0x00830f10, 0x128) == "znver2");
  CHECK(amd(0x00a20f10, 0x128) == "znver3");
  CHECK(amd(0x00a60f10, kAll) == "znver4");
  CHECK(amd(0x00b40f40, kAll) == "znver5");
  CHECK(amd(0x00600f12, 0) == "generic");
}

#if defined(__x86_64__)
TEST_CASE("cpu target: this machine's features are those that the kernel lists") {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; std::getline(file, line) && flags.empty();) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
  }
  REQUIRE_FALSE(flags.empty());
  const HostFeatures host = detect(host_cpuid());
  const std::pair<const char*, const char*> names[] = {{"sse3", "pni"},
                                                       {"ssse3", "ssse3"},
                                                       {"sse4.2", "sse4_2"},
                                                       {"popcnt", "popcnt"},
                                                       {"fma", "fma"},
                                                       {"movbe", "movbe"},
                                                       {"avx", "avx"},
                                                       {"avx2", "avx2"},
                                                       {"f16c", "f16c"},
                                                       {"bmi", "bmi1"},
                                                       {"bmi2", "bmi2"},
                                                       {"lzcnt", "abm"},
                                                       {"sahf", "lahf_lm"},
                                                       {"avx512f", "avx512f"},
                                                       {"avx512dq", "avx512dq"},
                                                       {"avx512bw", "avx512bw"},
                                                       {"avx512vl", "avx512vl"},
                                                       {"avx512vbmi", "avx512vbmi"},
                                                       {"avx512vnni", "avx512_vnni"},
                                                       {"avx512bf16", "avx512_bf16"},
                                                       {"gfni", "gfni"},
                                                       {"vaes", "vaes"},
                                                       {"aes", "aes"},
                                                       {"adx", "adx"},
                                                       {"avxvnni", "avx_vnni"},
                                                       {"sha", "sha_ni"},
                                                       {"prfchw", "3dnowprefetch"}};
  for (const auto& [ours, kernels] : names) {
    CAPTURE(ours);
    CHECK(present(host, ours) == flags.contains(kernels));
  }
}

TEST_CASE("cpu target: what code cannot run on a processor, and why") {
  const CpuidRegisters all{kAll, kAll, kAll, kAll};
  const std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> everything{
      {{0, 0}, kIntel}, {{1, 0}, all}, {{7, 0}, all}, {{7, 1}, all}, {{0x80000001, 0}, all}};
  const HostFeatures newest = detect(made_up(everything, kAllState));
  const HostFeatures no_zmm = detect(made_up(everything, kAvxState));
  for (const char* name : {"x86-64", "x86-64-v2", "x86-64-v3"}) CHECK(why_not_on(no_zmm, name).empty());
  CHECK(why_not_on(newest, "x86-64-v4").empty());
  CHECK(why_not_on(no_zmm, "x86-64-v4") == "this processor has all of x86-64-v3 and not of more");
  CHECK(why_not_on(newest, target_of(no_zmm).text).empty());
  CHECK(why_not_on(newest, target_of(newest).text).empty());
  CHECK(why_not_on(no_zmm, target_of(newest).text).starts_with("this processor lacks avx512"));
}

TEST_CASE("helper process: the CPU's target" * doctest::skip()) {
  const char* const error = std::getenv("KILN_TEST_ERROR");
  const auto use = [] {
    const Array x = Array::from(std::vector<float>(100, 3.0F));
    const Ufunc square = vectorize({.name = "square", .signatures = {"float32(float32 a)"}, .body = "return a * a;"});
    const std::vector<float> squares = square(x).to_vector<float>();
    CHECK(squares == std::vector<float>(100, 9.0F));
  };
  if (error != nullptr) {
    CHECK_THROWS_WITH_AS(use(), error, DeviceError);
    return;
  }
  const std::string target = test::from_parent("KILN_TEST_TARGET");
  CHECK(Device::cpu().info().target == (target == "native" ? native_target().short_name : target));
  // Compiled ahead by its name, and found.
  const Ufunc square = vectorize({.name = "square", .signatures = {"float32(float32 a)"}, .body = "return a * a;"});
  CHECK(square.compile(target) == 1);
  const auto compiled = cache::stats().compiles;
  use();
  CHECK(cache::stats().compiles == compiled);
  CHECK(compiler_for_target("native")->target() == native_target().text);
}

TEST_CASE("cpu target: KILN_CPU_TARGET chooses what kernels of the CPU device are compiled for") {
  const test::TemporaryDirectory folder;
  const auto run = [&](std::map<std::string, std::string> variables) {
    variables.insert({{"KILN_DEVICE", "cpu"}, {"KILN_CACHE_DIR", folder.path()}, {"KILN_CACHE_READONLY_DIRS", ""}});
    return test::ChildProcess("helper process: the CPU's target", variables).wait();
  };
  CHECK(run({{"KILN_CPU_TARGET", "x86-64-v2"}, {"KILN_TEST_TARGET", "x86-64-v2"}}) == 0);
  CHECK(run({{"KILN_CPU_TARGET", "native"}, {"KILN_TEST_TARGET", "native"}}) == 0);
  CHECK(run({{"KILN_CPU_TARGET", ""}, {"KILN_TEST_TARGET", "native"}}) == 0);
  CHECK(
      run({{"KILN_CPU_TARGET", "x86-64-v9"},
           {"KILN_TEST_ERROR",
            "KILN_CPU_TARGET is \"x86-64-v9\", which is no processor: give native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, or "
            "the whole target of another machine as the keys of its kernels have it"}}) == 0);
  // Like this processor, but with something that it lacks.
  std::string other = native_target().text;
  const std::size_t lacking = other.find(" -");
  REQUIRE(lacking != std::string::npos);
  other[lacking + 1] = '+';
  const std::string feature = other.substr(lacking + 2, other.find(' ', lacking + 2) - lacking - 2);
  CHECK(run({{"KILN_CPU_TARGET", other},
             {"KILN_TEST_ERROR",
              "KILN_CPU_TARGET is \"" + other + "\", whose code cannot run here: this processor lacks " + feature}}) == 0);
}

TEST_CASE("cpu target: names") {
  for (const char* name : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const auto compiler = compiler_for_target(name);
    REQUIRE(compiler != nullptr);
    CHECK(compiler->target() == name);
    CHECK(compiler->short_target() == name);
  }
  const auto native = compiler_for_target("native");
  REQUIRE(native != nullptr);
  CHECK(native->target().starts_with(native->short_target() + " "));
  CHECK(native->target().find(" tune=") != std::string::npos);
  CHECK(native->target().find("avx10") == std::string::npos);
  for (const char* name : {"", "x86-64-v1", "x86-64-v5", "sm_90", "gfx90a", "Native", "skylake"}) {
    CAPTURE(name);
    CHECK(compiler_for_target(name) == nullptr);
  }
}

TEST_CASE("cpu target: an older level's code runs here, and holds none of the newer registers") {
  const auto request = test::binary_request("return a * b + sqrtf(a);");
  const std::string old_code = compiler_for_target("x86-64-v2")->compile(request).code;
  const std::string new_code = compiler_for_target("x86-64-v3")->compile(request).code;
  CHECK(old_code != new_code);
  backend::Backend& device = open(1);
  const auto module = device.load(old_code, "probe");
  const std::vector<float> a(200, 4.0F);
  const std::vector<float> b(200, 10.0F);
  std::vector<float> out(200);
  kinds::launch(device, *module, test::BinaryLaunch(a.data(), b.data(), out.data(), 200).get(),
                {.queue = nullptr, .keep = nullptr});
  CHECK(std::count(out.begin(), out.end(), 42.0F) == 200);

  // A body for 256-bit vectors alone is refused by the older level: the registers are not there.
  const auto wide = test::binary_request(
      "asm volatile(\"vzeroupper\" : : : \"ymm0\"); typedef float v __attribute__((vector_size(32))); v x{}; "
      "asm volatile(\"vaddps %0, %0, %0\" : \"+x\"(x)); return x[0] + a;");
  CHECK_NOTHROW(static_cast<void>(compiler_for_target("x86-64-v3")->compile(wide)));
  CHECK_THROWS_AS(static_cast<void>(compiler_for_target("x86-64-v2")->compile(wide)), CompileError);
}

TEST_CASE("cpu target: the vectors are as wide as the level's") {
  const auto request = [](int bits) {
    return test::binary_request("return a * b;", "#if " + std::to_string(bits) +
                                                     " == 512\n#define WANT __AVX512F__\n#else\n#define WANT __AVX__\n#endif\n"
                                                     "#if !defined(__AVX__) || (" +
                                                     std::to_string(bits) +
                                                     " == 512 && !defined(__AVX512F__))\n#error narrow\n#endif");
  };
  CHECK_THROWS_AS(static_cast<void>(compiler_for_target("x86-64-v2")->compile(request(256))), CompileError);
  CHECK_NOTHROW(static_cast<void>(compiler_for_target("x86-64-v3")->compile(request(256))));
  CHECK_THROWS_AS(static_cast<void>(compiler_for_target("x86-64-v3")->compile(request(512))), CompileError);
  CHECK_NOTHROW(static_cast<void>(compiler_for_target("x86-64-v4")->compile(request(512))));
}
#endif

}  // namespace
}  // namespace kiln

#if defined(__x86_64__)
TEST_CASE("cpu target: nothing is gathered where that is slower than single loads") {
  using namespace kiln::backend;
  const std::string native = cpu::native_target().text;
  std::string features = native.substr(0, native.rfind(" tune="));
  if (features.find("+avx512f ") == std::string::npos) return;  // gathers are not chosen there
  // Sums of rows, one after the other: LLVM takes several rows at once, their elements a row apart.
  const CompileRequest request{.name = "rows",
                               .context = "rows",
                               .source =
                                   "extern \"C\" __attribute__((visibility(\"default\"))) void kiln_kernel(const double* "
                                   "__restrict__ a, double* __restrict__ y, long n) {\n"
                                   "  for (long i = 0; i < n; ++i) {\n    double s = 0;\n"
                                   "    for (long j = 0; j < 16; ++j) s += a[16 * i + j];\n    y[i] = s;\n  }\n}\n"};
  for (const std::string tune : {"znver4", "znver5", "sapphirerapids"}) {
    CAPTURE(tune);
    const std::string target = features + " tune=" + tune;
    const std::string code = cpu::compiler_for_target(target)->compile(request).code;
    const auto text =
        inspector_for(target).text({.name = "rows", .target = target, .bytes = code}, kiln::inspect::Form::assembly);
    REQUIRE(text.has_value());
    CHECK((text->find("vgather") == std::string::npos) == tune.starts_with("znver"));
  }
}

TEST_CASE("cpu target: the text of a target names it again, and no other text does") {
  using kiln::backend::cpu::target_named;
  const auto native = kiln::backend::cpu::native_target();
  const auto same = target_named(native.text);
  REQUIRE(same.has_value());
  CHECK(same->arguments == native.arguments);
  CHECK(same->short_name == native.short_name);
  // Another machine's.
  const std::size_t tune = native.text.rfind(" tune=");
  REQUIRE(tune != std::string::npos);
  const auto other = target_named(native.text.substr(0, tune) + " tune=znver2");
  REQUIRE(other.has_value());
  CHECK(other->text == native.text.substr(0, tune) + " tune=znver2");
  for (const std::string& bad : {native.text + " -load", native.text.substr(0, tune), native.text.substr(0, tune) + " tune=",
                                 native.text + "\n", native.text.substr(0, tune) + " +more tune=generic",
                                 std::string("x86-64-v5") + native.text.substr(native.text.find(' ')),
                                 std::string("x86-64-v4 tune=generic"), std::string("x86-64 ")}) {
    CAPTURE(bad);
    CHECK_FALSE(target_named(bad).has_value());
  }
}
#endif
