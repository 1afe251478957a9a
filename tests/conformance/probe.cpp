// A small program of its own, run by process_test.cpp to see what a whole process does: which libraries it maps, what it finds
// in the cache, how it forks and how it ends. Not a test by itself.
#include <kiln/c/kiln.h>
#include <sys/wait.h>
#include <unistd.h>
#include <kiln/cache.hpp>
#include <kiln/chunked.hpp>
#include <kiln/error.hpp>
#include <kiln/fft.hpp>
#include <kiln/math.hpp>

#include <chrono>
#include <complex>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// As users write them: at namespace scope, made before main() and destroyed after it.
const kiln::Ufunc axpy =
    kiln::vectorize({.name = "axpy", .signatures = {"float64(float64 a, float64 x, float64 y)"}, .body = "return a * x + y;"});
std::optional<kiln::Array> kept;
std::optional<kiln::Array> result;
std::optional<kiln::Array> second_result;
std::optional<kiln::Stream> stream;

/// Clang is in this process, or at the other end of a socket.
bool compiler_started() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libkiln-clang") != std::string::npos) return true;
  }
  std::error_code error;
  for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
    if (std::filesystem::read_symlink(open.path(), error).string().starts_with("socket:")) return true;
  }
  return false;
}

/// "axpy" under another text, so that it is no other run's kernel.
kiln::Ufunc with_mark(const std::string& mark) {
  return kiln::vectorize({.name = "marked",
                          .signatures = {"float64(float64 a, float64 x, float64 y)"},
                          .body = "/* " + mark + " */ return a * x + y;"});
}

bool right(const kiln::Ufunc& ufunc, const kiln::Device& device, std::int64_t count) {
  const kiln::Array x = kiln::to_device(kiln::Array::full({count}, 3.0), device);
  const std::vector<double> values = ufunc(2.0, x, 1.0).to_vector<double>();
  for (const double value : values) {
    if (value != 7.0) return false;
  }
  return values.size() == static_cast<std::size_t>(count);
}

int run(const kiln::Device& device, const std::string& mark) {
  kiln::cache::set_log([](std::string_view line) { std::cout << "log: " << line << "\n"; });
  const bool was_right = right(with_mark(mark), device, 1000);
  std::cout << "right " << was_right << "\n";
  const kiln::cache::Stats stats = kiln::cache::stats();
  std::cout << "compiles " << stats.compiles << "\ndisk_hits " << stats.disk_hits << "\ncompiler_started " << compiler_started()
            << "\n";
  return 0;
}

/// Leaves everything to static destructors, with work in the queue.
int leave(const kiln::Device& device) {
  kept = kiln::to_device(kiln::Array::full({2'000'000}, 1.0), device);
  result = kiln::device_array({2'000'000}, kiln::DType::float64, device);
  stream.emplace(device);
  for (int i = 0; i < 20; ++i) axpy({2.0, *kept, *kept}, {.out = *result, .stream = *stream});
  second_result = kiln::device_array({2'000'000}, kiln::DType::float64, device);
  for (int i = 0; i < 3; ++i) axpy({2.0, *kept, *kept}, {.out = *second_result});
  return 0;
}

int split(const kiln::Device& device, const std::string& mark) {
  std::cout << "parent " << right(axpy, device, 3'000'000) << "\n" << std::flush;
  const pid_t child = fork();
  if (child == 0) {
    try {
      const kiln::Device cpu = kiln::Device::cpu();
      std::cout << "child known " << right(axpy, cpu, 3'000'000) << "\n";
      std::cout << "child new " << right(with_mark(mark), cpu, 1000) << "\n";
      if (!device.is_cpu()) {
        try {
          const bool was_right = right(axpy, device, 1000);
          std::cout << "child gpu " << was_right << "\n";
        } catch (const kiln::DeviceError& error) {
          std::cout << "child gpu: " << error.what() << "\n";
        }
      }
    } catch (const std::exception& error) {
      std::cout << "child: " << error.what() << "\n";
    }
    std::cout << std::flush;
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::cout << "child left " << (WIFEXITED(status) ? WEXITSTATUS(status) : -1) << "\n";
  std::cout << "parent again " << right(axpy, device, 3'000'000) << "\n";
  std::cout << "parent new " << right(with_mark(mark + "p"), device, 1000) << "\n";
  return 0;
}

/// Returns the square of 3 by C, or the status of a failure.
double square_by_c(const std::string& when) {
  const std::string text = "float64 square(float64 x) { /* " + when + " */ return x * x; }";
  const std::int64_t shape[] = {1};
  double value[] = {3};
  const kiln_array_info info = kiln_memory(value, KILN_FLOAT, 64, 1, shape);
  const kiln_arg input = kiln_memory_arg(&info);
  kiln_arg output = input;
  kiln_function* function = nullptr;
  kiln_status status = kiln_function_parse(&function, text.data(), text.size(), nullptr);
  if (status == KILN_OK) status = kiln_call(function, &output, 1, &input, 1, nullptr, nullptr);
  kiln_function_release(function);
  return status == KILN_OK ? value[0] : -status;
}

/// What is made at a first call, and used by those behind it.
void use(const kiln::Device& device, const std::string& when) {
  try {
    const kiln::Ufunc twice =
        kiln::vectorize({.name = "twice", .signatures = {"float64(float64 x)"}, .body = "/* " + when + " */ return 2 * x;"});
    const kiln::Array x = kiln::Array::full({100'000}, 3.0);
    const kiln::Array there = kiln::to_device(x, device);
    const kiln::Stream own = kiln::Stream::per_thread(device);
    const kiln::Array doubled = twice({there}, {.stream = own});
    own.synchronize();
    const double sum = kiln::math::add.reduce(doubled).item<double>();
    const double parts = kiln::chunked(twice, {.chunk_bytes = 100'000, .devices = {device}})(x).to_vector<double>()[77'777];
    const double frequency = kiln::fft::rfft(x[{kiln::Slice{0, 1000}}]).to_vector<std::complex<double>>()[0].real();
    std::string error;
    try {
      (void)kiln::vectorize("float64(float64 x)", "return nothing; // " + when)(x);
    } catch (const kiln::CompileError&) {
      error = "CompileError";
    }
    std::cout << when << " " << sum << " " << parts << " " << frequency << " " << square_by_c(when) << " " << error << "\n"
              << std::flush;
  } catch (const std::exception& error) {
    std::cout << when << ": " << error.what() << "\n" << std::flush;
  }
}

std::optional<kiln::Device> late_device;

struct Late {
  ~Late() {
    if (late_device) use(*late_device, "destructor");
  }
} const late;

/// Goes on in handlers of atexit() and in destructors of static objects.
int use_late(const kiln::Device& device) {
  late_device = device;
  std::atexit([] { use(*late_device, "before"); });
  use(device, "main");
  std::atexit([] { use(*late_device, "behind"); });
  return 0;
}

/// Ends while other threads compile.
int exit_early(const std::string& mark) {
  for (int thread = 0; thread < 4; ++thread) {
    std::thread([thread, mark] {
      for (int i = 0;; ++i) {
        const std::string text = mark + std::to_string(thread) + "," + std::to_string(i);
        (void)kiln::vectorize("float64(float64 x)", "/* " + text + " */ return sin(x) + cos(x);")(1.0);
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(150 + 7 * (getpid() % 20)));
  std::exit(7);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "idle") {
    std::cout << "compiler_started " << compiler_started() << "\n";
    return 0;
  }
  const kiln::Device device = kiln::Device::from_string(argc > 2 ? argv[2] : "cpu");
  const std::string mark = argc > 3 ? argv[3] : "";
  if (what == "run") return run(device, mark);
  if (what == "leave") return leave(device);
  if (what == "split") return split(device, mark);
  if (what == "use_late") return use_late(device);
  if (what == "exit_early") return exit_early(mark);
  std::cout
      << "usage: probe idle | run DEVICE MARK | leave DEVICE | split DEVICE MARK | use_late DEVICE | exit_early DEVICE MARK\n";
  return 2;
}
