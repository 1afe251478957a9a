#include "fft/fftw.hpp"

#include <pthread.h>

#include <array>
#include <filesystem>
#include <memory>

#include "base/environment.hpp"
#include "base/fork.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"

namespace kiln::fft {
namespace {

constexpr const char* kAdvice =
    "install FFTW (Debian: libfftw3-single3 and libfftw3-double3; Fedora: fftw-libs), or name its folder in KILN_FFTW";

std::string soname(bool single, const char* part) {
  return std::string(single ? "libfftw3f" : "libfftw3") + part + ".so.3";
}

std::vector<std::string> fftw_names(bool single) {
  const std::string name = soname(single, "");
  const std::string given = base::env("KILN_FFTW").value_or("");
  if (given.empty()) return {name};
  std::error_code error;
  return {std::filesystem::is_directory(given, error) ? (std::filesystem::path(given) / name).string() : given};
}

template <class Function>
bool resolve(Function& slot, const base::DynamicLibrary& library, bool single, const char* name) {
  slot = library.function<Function>(((single ? "fftwf_" : "fftw_") + std::string(name)).c_str());
  return slot != nullptr;
}

/// In the order in which they are taken.
struct ForkLocks {
  std::mutex mutex;
  std::vector<std::mutex*> all;
};
ForkLocks& fork_locks() {
  static ForkLocks& locks = *new ForkLocks;
  return locks;
}

}  // namespace

void keep_free_in_children(std::mutex& mutex) {
  static const int registered = pthread_atfork(
      [] {
        fork_locks().mutex.lock();
        for (std::mutex* const lock : fork_locks().all) lock->lock();
      },
      [] {
        for (std::mutex* const lock : fork_locks().all) lock->unlock();
        fork_locks().mutex.unlock();
      },
      [] {
        for (std::mutex* const lock : fork_locks().all) lock->unlock();
        fork_locks().mutex.unlock();
      });
  static_cast<void>(registered);
  const std::lock_guard guard(fork_locks().mutex);
  fork_locks().all.push_back(&mutex);
}

namespace {

/// A thread that takes both takes the first one first, and so does a fork.
struct Locks {
  std::mutex opening;
  std::mutex planner;

  Locks() {
    keep_free_in_children(opening);
    keep_free_in_children(planner);
  }
};

Locks& locks() {
  // Leaked on purpose, as all here: plans may be destroyed while the process exits.
  static Locks& made = *new Locks;
  return made;
}

}  // namespace

const Fftw& Fftw::of(bool single) {
  static auto* const found = new std::array<std::unique_ptr<const Fftw>, 2>;
  const std::lock_guard guard(locks().opening);
  auto& library = (*found)[single ? 1 : 0];
  if (!library) library = std::make_unique<Fftw>(single, fftw_names(single));
  return *library;
}

Fftw::Fftw(bool single, const std::vector<std::string>& names) {
  auto opened = base::DynamicLibrary::open_first(names, base::Unload::never);
  if (!opened.library) {
    throw DeviceError("FFTW for " + std::string(single ? "float32" : "float64") + " was not found: tried " +
                      base::describe(opened.attempts) + "; " + kAdvice);
  }
  library_ = std::move(opened.library);
  path_ = library_.path();
  const auto require = [&](auto& slot, const char* name) {
    if (resolve(slot, library_, single, name)) return;
    throw DeviceError(path_ + " has no symbol " + (single ? "fftwf_" : "fftw_") + name + ", which transforms of " +
                      (single ? "float32" : "float64") + " need: it is not FFTW 3 of that precision; " + kAdvice);
  };
  require(calls_.plan_dft, "plan_guru64_dft");
  require(calls_.plan_r2c, "plan_guru64_dft_r2c");
  require(calls_.plan_c2r, "plan_guru64_dft_c2r");
  require(calls_.execute_dft, "execute_dft");
  require(calls_.execute_r2c, "execute_dft_r2c");
  require(calls_.execute_c2r, "execute_dft_c2r");
  require(calls_.destroy, "destroy_plan");
  require(calls_.alignment_of, "alignment_of");
  open_threads(single);
}

void Fftw::open_threads(bool single) {
  // Debian has them in libraries of their own, others in the first one.
  const base::DynamicLibrary* with_threads = &library_;
  if (!resolve(calls_.init_threads, library_, single, "init_threads")) {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    std::vector<std::string> names;
    for (const char* part : {"_threads", "_omp"}) names.push_back((folder / soname(single, part)).string());
    threads_ = base::DynamicLibrary::open_first(names, base::Unload::never).library;
    with_threads = &threads_;
    if (!resolve(calls_.init_threads, threads_, single, "init_threads")) return;
  }
  resolve(calls_.make_planner_safe, *with_threads, single, "make_planner_thread_safe");
  resolve(calls_.planner_threads, *with_threads, single, "planner_nthreads");
  base::watch_forks();
  const auto planner = lock_planner();
  if (calls_.make_planner_safe != nullptr) calls_.make_planner_safe();
  if (calls_.init_threads() != 0) resolve(calls_.plan_with_threads, *with_threads, single, "plan_with_nthreads");
}

std::unique_lock<std::mutex> Fftw::lock_planner() {
  return std::unique_lock(locks().planner);
}

}  // namespace kiln::fft
