// What NVRTC and hipRTC say of the library's bodies: one loop of every function and every loop of some; with KILN_TEST_BIG all.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../unit/device/gpu_compilers.hpp"
#include "compiler/gpu/compiler.hpp"
#include "device/backend.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "math/entry.hpp"
#include "signature/signature.hpp"
#include "ufunc/layout_class.hpp"

namespace {

using namespace kiln;
using math::detail::Entry;

std::vector<signature::TypeSignature> signatures_of(const Entry& entry) {
  std::vector<signature::TypeSignature> signatures;
  for (const std::string_view text : entry.signatures) {
    if (!text.empty()) signatures.push_back(signature::parse(text));
  }
  return signatures;
}

/// Why the loop does not compile; empty where it does.
std::string compile(const Entry& entry, const ufunc::Loop& loop, const backend::Compiler& compiler) {
  const signature::TypeSignature first = signatures_of(entry).front();
  codegen::UserText text;
  text.name = entry.name;
  text.body = entry.body;
  for (const auto& input : first.inputs) text.input_names.push_back(input.name);
  if (first.named_outputs) {
    for (const auto& output : first.outputs) text.output_names.push_back(output.name);
  }
  text.type_variables = loop.variables;
  backend::CompileRequest request{.name = text.name, .context = loop.text};
  std::vector<DType> storage = loop.inputs;
  storage.insert(storage.end(), loop.outputs.begin(), loop.outputs.end());
  request.source = kinds::render(text, ufunc::specialize(loop, storage, {}, compiler.kind()), compiler.kind());
  request.headers = codegen::resolve_includes({{text.name, request.source}}, {}, {});
  try {
    const backend::CompileResult result = compiler.compile(request);
    return result.log.empty() ? "" : loop.text + ": " + result.log;
  } catch (const CompileError& error) {
    return error.what();
  }
}

/// Functions whose bodies differ most between dtypes.
constexpr std::string_view kEveryLoop[] = {"floor_divide", "nextafter"};

struct Job {
  const Entry* entry;
  ufunc::Loop loop;
};

std::vector<Job> jobs() {
  const char* const big = std::getenv("KILN_TEST_BIG");
  const bool all = big != nullptr && *big != '\0' && *big != '0';
  std::vector<Job> found;
  std::size_t turn = 0;
  for (const math::detail::Group* const group : math::detail::groups()) {
    for (const Entry& entry : group->entries) {
      const std::vector<ufunc::Loop> loops = ufunc::fixed_loops(signatures_of(entry));
      const bool every = all || std::find(std::begin(kEveryLoop), std::end(kEveryLoop), entry.name) != std::end(kEveryLoop);
      if (every) {
        for (const ufunc::Loop& loop : loops) found.push_back({&entry, loop});
      } else {
        // Another dtype for each function, so that all of them have a turn.
        found.push_back({&entry, loops[turn++ % loops.size()]});
        // Where a function differs most from its like: of complex numbers, beyond arithmetic.
        const bool elementary = group == &math::detail::kTrigonometry || group == &math::detail::kExponential;
        if (elementary && loops.back().inputs.front() == DType::complex128) found.push_back({&entry, loops.back()});
      }
    }
  }
  return found;
}

void compile_all(const char* target) {
  const auto compiler = backend::gpu::compiler_for_target(target);
  REQUIRE(compiler);
  const std::vector<Job> all = jobs();
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<std::string> failures;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1U, std::min(8U, std::thread::hardware_concurrency())); ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < all.size(); i = next++) {
        const std::string wrong = compile(*all[i].entry, all[i].loop, *compiler);
        if (wrong.empty()) continue;
        const std::lock_guard lock(mutex);
        failures.push_back(wrong);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) FAIL_CHECK(std::string(target), ": ", failure);
  MESSAGE(all.size(), " loops compiled for ", std::string(target));
}

}  // namespace

TEST_CASE("math: every function compiles for sm_90") {
  if (kiln::test::have_compiler(DeviceKind::cuda)) compile_all("sm_90");
}

TEST_CASE("math: every function compiles for gfx90a") {
  if (kiln::test::have_compiler(DeviceKind::hip)) compile_all("gfx90a");
}
