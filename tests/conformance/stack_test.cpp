// Calls on the CPU by threads with small stacks, and kernels that want much of one.

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "unit/base/memory_limit.hpp"
#include "unit/base/sanitizer.hpp"
#include "unit/base/thread_with_stack.hpp"
#include "values.hpp"

#if !defined(KILN_SANITIZED)  // their frames and their memory are others

using namespace conformance;
using kiln::Array;
using kiln::DType;

TEST_CASE("stack: calls of every kind in threads of 64 KiB") {
  if (!has_cpu() || !chosen(kiln::DeviceKind::cpu)) return;
  const kiln::Ufunc local = kiln::vectorize({.name = "local",
                                             .signatures = {"int32(int32 a)"},
                                             .body = "int32 t[16384]; for (int32 i = 0; i < 16384; ++i) t[i] = a + i; "
                                                     "return t[(a * 7) & 16383];"});
  const kiln::Gufunc rows = kiln::guvectorize({.name = "rows",
                                               .layout = "(n)->(n)",
                                               .signatures = {"void(float32[:] a, float32[:] r)"},
                                               .body = "float32 c = 0; for (index i = 0; i < n; ++i) { c = c * 0.5f + a(i); "
                                                       "r(i) = c; }"});
  const kiln::RawKernel shared =
      kiln::kernel({.name = "shared",
                    .signature = "void(float32* x)",
                    .body = "KILN_SHARED float32 t[65536]; t[thread.x] = x[item]; barrier(); x[item] = t[63 - thread.x];"});
  const kiln::Reduction sum =
      kiln::reduction({.name = "total", .signatures = {"float32(float32 x)"}, .reduce = "return a + b;", .identity = "0"});
  const Array few = Array::from<std::int32_t>({1, 2, 3});
  const Array matrix = Array::full({200, 1000}, 1.0F);
  const auto calls = [&] {
    const kiln::DeviceScope here(kiln::Device::cpu());
    std::vector<std::vector<float>> results;
    results.push_back(local(few).astype(DType::float32).to_vector<float>());
    results.push_back(rows(matrix)[{0}].to_vector<float>());
    results.push_back(kiln::math::add(matrix, matrix.transpose().copy().transpose())[{0}].to_vector<float>());
    results.push_back(kiln::math::add.reduce(matrix, {.axis = 0}).to_vector<float>());
    results.push_back(kiln::math::add.accumulate(matrix, {.axis = 1})[{0}].to_vector<float>());
    results.push_back(sum(matrix).to_vector<float>());
    const Array x = Array::full({640}, 2.0F);
    shared({.grid = 10, .block = 64}, x);
    results.push_back(x.to_vector<float>());
    kiln::math::add.at(x, few, 1.0F);
    results.push_back(x.to_vector<float>());
    return results;
  };
  const auto expected = calls();  // compiled
  for (int round = 0; round < 2; ++round) {
    std::vector<std::vector<float>> got;
    kiln::test::in_thread(std::size_t{64} << 10, [&] { got = calls(); });
    CHECK(got == expected);
  }
}

TEST_CASE("stack: threads that find no memory for what they keep at a barrier") {
  if (!has_cpu() || !chosen(kiln::DeviceKind::cpu)) return;
  const kiln::RawKernel keeps =
      kiln::kernel({.name = "keeps",
                    .signature = "void(float32* x, int32 k)",
                    .body = "float32 y[100000]; for (int32 i = 0; i < 100000; ++i) y[i] = x[item] * i;"
                            " barrier(); x[item] = y[k];"});
  const kiln::DeviceScope here(kiln::Device::cpu());
  const Array x = Array::full({1024}, 1.0F);
  const auto launch = [&] { keeps({.grid = 1, .block = 1024}, x, 3); };
  keeps({.grid = 1, .block = 1}, x, 1);  // compiled
  for (int round = 0; round < 2; ++round) {
    const kiln::test::MemoryLimit limit(std::size_t{64} << 20);
    const std::string text = message_of<kiln::DeviceError>(launch);
    CAPTURE(text);
    CHECK(text.starts_with("no memory for what the threads of a block keep while they wait at a barrier(): "));
  }
  x.fill(1.0F);
  launch();
  CHECK(x.to_vector<float>() == std::vector<float>(1024, 3.0F));
}

// The stack of a process's first thread grows as it is used, which counts as memory, too.
TEST_CASE("stack: it need not grow where a thread finds no memory, whatever is left") {
  if (!has_cpu() || !chosen(kiln::DeviceKind::cpu)) return;
  const kiln::RawKernel keeps = kiln::kernel({.name = "keeps_less",
                                              .signature = "void(float32* x, int32 k)",
                                              .body = "float32 y[40000]; for (int32 i = 0; i < 40000; ++i) y[i] = x[item] * i;"
                                                      " barrier(); x[item] = y[k];"});
  const kiln::DeviceScope here(kiln::Device::cpu());
  const Array x = Array::full({1024}, 1.0F);
  keeps({.grid = 1, .block = 2}, x, 1);  // compiled, and the stack as large as it wants
  constexpr std::size_t kPagesOfFrame = 41;
  int refused = 0;
  for (std::size_t deeper = 0; deeper < 8; ++deeper) {
    for (std::size_t left = 0; left < kPagesOfFrame; ++left) {
      const pid_t child = ::fork();
      if (child == 0) {
        auto* const below = static_cast<volatile char*>(__builtin_alloca(deeper * 512 + 1));
        *below = 1;
        const kiln::test::MemoryLimit limit((std::size_t{4} << 20) + left * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
        try {
          keeps({.grid = 1, .block = 1024}, x, 3);
        } catch (const kiln::DeviceError&) {
          ::_exit(7);
        }
        ::_exit(0);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      refused += WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 1 : 0;
    }
  }
  CHECK(refused == 8 * kPagesOfFrame);
}

#endif
