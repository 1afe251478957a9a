// The PTX of NVRTC and of Clang on the emulator, kernel by kernel: the same bits, except where each has functions of its own.
#include <doctest/doctest.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "agreement_jobs.hpp"
#include "golden.hpp"
#include "numbers.hpp"
#include "support/turns.hpp"

namespace {

using agreement::Job;
using kiln::Array;
using kiln::DType;
using kiln::Kind;
using math_tests::Bits;

// What NVRTC takes from libdevice and Clang from kernels-src/math, by the dtype of the first input. The bounds, in units in the
// last place, are the sum of what both document: CUDA's "Mathematical Functions" appendix, and tests/math/libm_test.cpp and
// accuracy_test.cpp or, of complex numbers, docs/math.md. 0: the same bits, or no such loop. Whatever is not here has the same
// bits, and what is here has not.
struct Bound {
  const char* function;
  double float32, float64, complex64, complex128;
};
// complex64 is computed in float64, of which a last bit hardly ever shows; float16 and bfloat16 in float32.
constexpr double kHalves = 1;
constexpr Bound kBounds[] = {{"exp", 2 + 1.1, 1 + 1.1, 0, 10},
                             {"exp2", 2 + 1.1, 1 + 1.2, 0, 10},
                             {"expm1", 1 + 1.7, 1 + 2.5, 0, 10},
                             {"log", 1 + 2, 1 + 1.2, 0, 10},
                             {"log2", 1 + 0.6, 1 + 0.8, 0, 10},
                             {"log10", 2 + 0.6, 1 + 0.8, 0, 10},
                             {"log1p", 1 + 1.5, 1 + 1.5, 0, 10},
                             {"logaddexp", 4 + 4, 4 + 4, 0, 0},
                             {"logaddexp2", 4 + 4, 4 + 4, 0, 0},
                             {"sin", 2 + 2, 2 + 2.2, 0, 10},
                             {"cos", 2 + 2, 2 + 2.2, 0, 10},
                             {"tan", 4 + 4, 2 + 4, 0, 10},
                             {"arcsin", 2 + 2.1, 2 + 2.1, 0, 10},
                             {"arccos", 2 + 1.3, 2 + 1.3, 0, 10},
                             {"arctan", 2 + 2, 2 + 1.9, 0, 10},
                             {"arctan2", 3 + 2.5, 2 + 2.5, 0, 0},
                             {"sinh", 3 + 2.1, 2 + 2.3, 0, 10},
                             {"cosh", 2 + 1.9, 1 + 1.9, 0, 10},
                             {"tanh", 2 + 2, 1 + 2.2, 0, 10},
                             {"arcsinh", 3 + 0.6, 3 + 2.5, 0, 10},
                             {"arccosh", 4 + 2.1, 3 + 2.1, 0, 10},
                             {"arctanh", 3 + 0.6, 2 + 2.5, 0, 10},
                             {"cbrt", 1 + 0.6, 1 + 0.9, 0, 0},
                             {"hypot", 3 + 0.6, 2 + 1, 0, 0},
                             {"power", 4 + 0.6, 2 + 0.8, 0, 32},
                             {"float_power", 0, 2 + 0.8, 0, 32},
                             // By hypot, and by atan2.
                             {"sqrt", 0, 0, 0, 10},
                             {"absolute", 0, 0, 3 + 0.6, 2 + 1},
                             {"sign", 0, 0, 3 + 1.1, 2 + 1.5},
                             {"angle", 0, 0, 3 + 2.5, 2 + 2.5},
                             // Functions that only bodies have.
                             {"erf", 2 + 0.6, 2 + 2.5, 0, 0},
                             {"erfc", 4 + 0.6, 5 + 4, 0, 0},
                             {"tgamma", 5 + 0.6, 10 + 6, 0, 0},
                             {"lgamma", 6 + 0.6, 4 + 4, 0, 0},
                             {"gaussian", 2 + 1.1 + 1, 1 + 1.1 + 1, 0, 0}};

const Bound* bound_of(std::string_view function) {
  const auto* const found =
      std::find_if(std::begin(kBounds), std::end(kBounds), [&](const Bound& each) { return each.function == function; });
  return found == std::end(kBounds) ? nullptr : found;
}
double of_dtype(const Bound& bound, DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
      return bound.float32 > 0 ? kHalves : 0;
    case DType::float32:
      return bound.float32;
    case DType::float64:
      return bound.float64;
    case DType::complex64:
      return bound.complex64;
    case DType::complex128:
      return bound.complex128;
    default:
      return 0;
  }
}

struct Result {
  DType dtype = DType::bool_;
  Bits bits = {};
};
/// Each result of each job.
using Results = std::vector<std::vector<Result>>;

std::string function_of(const std::string& name) {
  return name.substr(0, name.find(' '));
}

/// Leaves out jobs without a function that each compiler has of its own, where those alone are asked for.
Results results_of(std::vector<Job> jobs, bool functions_alone) {
  if (functions_alone) {
    std::erase_if(jobs, [](const Job& job) {
      return std::none_of(job.names.begin(), job.names.end(), [](const auto& name) { return bound_of(function_of(name)); });
    });
  }
  const kiln::Device device = kiln::Device::emulated("sm_90");
  Results results(jobs.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  // Most of the time goes to compilers.
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U); ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < jobs.size(); i = next++) {
        try {
          std::vector<Array> inputs;
          for (const Array& each : jobs[i].inputs) inputs.push_back(to_device(each, device));
          for (const Array& each : jobs[i].run(inputs)) {
            results[i].push_back({each.dtype(), math_tests::bits_of(each.copy_to_host())});
          }
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
          next = jobs.size();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

void write(const Results& results, const std::string& file) {
  std::ofstream to(file, std::ios::binary);
  const auto number = [&](std::uint64_t x) { to.write(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const std::vector<Result>& of_job : results) {
    number(of_job.size());
    for (const Result& result : of_job) {
      number(static_cast<std::uint64_t>(result.dtype));
      number(result.bits.size());
      for (const std::uint64_t each : result.bits) number(each);
    }
  }
}

Results read(const std::string& file, std::size_t jobs) {
  std::ifstream from(file, std::ios::binary);
  const auto number = [&] {
    std::uint64_t x = 0;
    from.read(reinterpret_cast<char*>(&x), sizeof x);
    return x;
  };
  Results results(jobs);
  for (std::vector<Result>& of_job : results) {
    of_job.resize(number());
    for (Result& result : of_job) {
      result.dtype = static_cast<DType>(number());
      result.bits.resize(number());
      for (std::uint64_t& each : result.bits) each = number();
    }
  }
  REQUIRE(from.good());
  return results;
}

/// This program once more, with a compiler of its own: the choice is made once in a process.
class Run {
 public:
  explicit Run(const std::string& compiler, bool by_libdevice = false)
      : file_((std::filesystem::temp_directory_path() /
               ("kiln-agreement-" + compiler + (by_libdevice ? "-libdevice" : "") + std::to_string(getpid())))
                  .string()) {
    setenv("KILN_GPU_COMPILER", compiler.c_str(), 1);
    setenv("KILN_LIBDEVICE", by_libdevice ? "auto" : "", 1);
    std::string program = "/proc/self/exe", mode = by_libdevice ? "--functions" : "--results";
    char* const arguments[] = {program.data(), mode.data(), file_.data(), nullptr};
    REQUIRE(posix_spawn(&process_, program.c_str(), nullptr, nullptr, arguments, environ) == 0);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (process_ != 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    std::filesystem::remove(file_);
  }

  Results results(std::size_t jobs) {
    int status = -1;
    REQUIRE(waitpid(std::exchange(process_, 0), &status, 0) > 0);
    REQUIRE(status == 0);
    return read(file_, jobs);
  }

 private:
  std::string file_;
  pid_t process_ = 0;
};

/// What is different; empty where nothing is. NaNs are alike: which one it is, and its sign, are the compilers'. A tolerance of
/// 0 means the same bits.
std::string difference(const Job& job, const Result& nvrtc, const Result& clang, double tolerance, bool scaled) {
  if (clang.dtype != nvrtc.dtype || clang.bits.size() != nvrtc.bits.size()) return " another dtype or shape";
  math_tests::Case expected;
  expected.mode = tolerance == 0 ? "exact" : kiln::kind(nvrtc.dtype) == Kind::complex ? "norm" : scaled ? "scaled" : "ulp";
  expected.tolerance = tolerance;
  expected.outputs = {nvrtc.dtype};
  expected.results = {nvrtc.bits};
  const std::vector<Array> inputs = job.by_element ? job.inputs : std::vector<Array>();
  return math_tests::difference(math_tests::array_of(clang.bits, clang.dtype), expected, 0, inputs);
}

}  // namespace

TEST_CASE("compilers agree: NVRTC's PTX and Clang's give the same bits where no function of their own is involved") {
  Run by_nvrtc("nvrtc");
  Run by_clang("clang");
  const std::vector<Job> jobs = agreement::jobs();
  const Results nvrtc = by_nvrtc.results(jobs.size());
  const Results clang = by_clang.results(jobs.size());
  std::map<std::pair<const Bound*, DType>, bool> differs;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    REQUIRE(nvrtc[i].size() == job.names.size());
    REQUIRE(clang[i].size() == job.names.size());
    for (std::size_t k = 0; k < job.names.size(); ++k) {
      const std::string& name = job.names[k];
      const Bound* const bound = bound_of(function_of(name));
      const DType first = job.inputs[0].dtype();
      const double tolerance = bound == nullptr ? 0 : of_dtype(*bound, first);
      const std::string found = difference(job, nvrtc[i][k], clang[i][k], tolerance, name.starts_with("logaddexp"));
      CHECK_MESSAGE(found.empty(), name, ", by Clang and (expected) by NVRTC, within ", tolerance, " ulp:", found);
      if (tolerance > 0) {
        bool& any = differs[{bound, first}];
        any = any || !difference(job, nvrtc[i][k], clang[i][k], 0, false).empty();
      }
      ++compared;
    }
  }
  CHECK(compared > 1300);
  for (const Bound& bound : kBounds) {
    for (const DType dtype : {DType::float32, DType::float64, DType::complex64, DType::complex128}) {
      if (of_dtype(bound, dtype) == 0) continue;
      const auto found = differs.find({&bound, dtype});
      REQUIRE_MESSAGE(found != differs.end(), std::string(bound.function), " of ", kiln::name(dtype),
                      " has a bound and was not computed");
      CHECK_MESSAGE(found->second, std::string(bound.function), " of ", kiln::name(dtype),
                    " has the same bits by both: its bound can go");
    }
  }
}

// Where NVRTC is, its toolkit has libdevice.
TEST_CASE("compilers agree: with libdevice Clang's PTX has the bits of NVRTC's functions, too") {
  const std::vector<Job> jobs = agreement::jobs();
  Run by_libdevice("clang", true);
  Run by_nvrtc("nvrtc");
  std::vector<const Job*> expected;
  const Results nvrtc = by_nvrtc.results(jobs.size());
  std::vector<const std::vector<Result>*> of_nvrtc;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& names = jobs[i].names;
    if (std::none_of(names.begin(), names.end(), [](const auto& name) { return bound_of(function_of(name)); })) continue;
    expected.push_back(&jobs[i]);
    of_nvrtc.push_back(&nvrtc[i]);
  }
  const Results clang = by_libdevice.results(expected.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t k = 0; k < expected[i]->names.size(); ++k) {
      const std::string found = difference(*expected[i], (*of_nvrtc[i])[k], clang[i][k], 0, false);
      CHECK_MESSAGE(found.empty(), expected[i]->names[k], ", by libdevice and (expected) by NVRTC:", found);
      ++compared;
    }
  }
  CHECK(compared > 300);
}

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "--results" || mode == "--functions") {
    try {
      write(results_of(agreement::jobs(), mode == "--functions"), argv[2]);
      return 0;
    } catch (const std::exception& error) {
      std::cerr << std::getenv("KILN_GPU_COMPILER") << ": " << error.what() << "\n";
      return 1;
    }
  }
  doctest::Context context(argc, argv);
  kiln::test::take_turn(context, argc, argv);
  return context.run();
}
