// The module's one door: kiln_clang(). Runs each compile on a thread of its own with a deep stack, and turns what LLVM and lld
// mean as the end of the process into an error value.
#include <clang/Basic/Version.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "backend/cpu/clang/compile.hpp"
#include "backend/cpu/clang/interface.h"
#include "backend/cpu/clang/link.hpp"

namespace kiln::clang_module {
namespace {

constexpr std::size_t kStackBytes = std::size_t{8} << 20;

/// What the caller sees of a result, and what that points into.
struct Result : kiln_clang_result {
  Result() : kiln_clang_result{} {}
  Compiled compiled;
  Linked linked;
  std::string problem;
  std::vector<kiln_clang_diagnostic> found;
  std::vector<kiln_clang_text> missing;
};

kiln_clang_text text(const std::string& from) {
  return {from.data(), from.size()};
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// lld is not re-entrant.
std::mutex& link_lock() {
  static std::mutex lock;
  return lock;
}

/// One compile, and the thread that does it.
struct Job {
  Job(const kiln_clang_request& what, Result& into) : request(what), result(into) {}

  const kiln_clang_request& request;
  Result& result;
  const char* step = "clang";
  bool gave_up = false;
  std::unique_lock<std::mutex> linking = std::unique_lock(link_lock(), std::defer_lock);
  std::binary_semaphore ended{0};
};
thread_local Job* job_of_thread = nullptr;

/// The way out of a fatal error: the caller gets the reason, and the thread stays here for ever. It can neither go on nor
/// return nor be unwound, for LLVM's global lists (of timers, for one) hold addresses of objects on this stack.
[[noreturn]] void give_up(const char* reason) {
  Job& job = *job_of_thread;
  job.result.status = KILN_CLANG_FAILED;
  job.result.problem = std::string(job.step) + " gave up: " + reason;
  job.gave_up = true;
  if (job.linking.owns_lock()) job.linking.unlock();
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  job.ended.release();
  while (true) pause();
}

void on_fatal_error(void*, const char* reason, bool) {
  if (job_of_thread != nullptr) give_up(reason);
}

void run(Job& job) {
  Result& result = job.result;
  auto start = std::chrono::steady_clock::now();
  compile(job.request, result.compiled);
  result.compile_ms = milliseconds_since(start);
  if (!result.compiled.ok) {
    result.status = KILN_CLANG_REJECTED;
    return;
  }
  job.step = "lld";
  start = std::chrono::steady_clock::now();
  job.linking.lock();
  link({result.compiled.object.data(), result.compiled.object.size()}, result.linked);
  job.linking.unlock();
  result.link_ms = milliseconds_since(start);
  if (result.linked.ok) return;
  result.status = !result.linked.undefined.empty() ? KILN_CLANG_UNDEFINED : KILN_CLANG_FAILED;
  result.problem = result.linked.error;
}

void publish(Result& result) {
  for (const Diagnostic& each : result.compiled.diagnostics) {
    result.found.push_back({.severity = each.severity,
                            .line = each.line,
                            .column = each.column,
                            .file = text(each.file),
                            .text = text(each.text),
                            .source_line = text(each.source_line)});
  }
  for (const std::string& name : result.linked.undefined) result.missing.push_back(text(name));
  result.code = text(result.linked.code);
  result.diagnostics = result.found.data();
  result.diagnostic_count = result.found.size();
  result.undefined = result.missing.data();
  result.undefined_count = result.missing.size();
  result.log = text(result.compiled.log);
  result.error = text(result.problem);
}

void* run_job(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  job_of_thread = &job;
  try {
    run(job);
  } catch (const std::exception& error) {
    job.result.status = KILN_CLANG_FAILED;
    job.result.problem = error.what();
  }
  job.ended.release();
  return nullptr;
}

void run_on_deep_stack(const kiln_clang_request& request, Result& result) {
  auto job = std::make_unique<Job>(request, result);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const int failed = pthread_create(&thread, &attributes, run_job, job.get());
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    result.status = KILN_CLANG_FAILED;
    result.problem = "no thread to compile on: error " + std::to_string(failed);
    return;
  }
  job->ended.acquire();
  if (job->gave_up) {
    pthread_detach(thread);
    static_cast<void>(job.release());  // the thread's for ever
  } else {
    pthread_join(thread, nullptr);
  }
}

const kiln_clang_result kOutOfMemory = [] {
  kiln_clang_result result{};
  result.status = KILN_CLANG_FAILED;
  result.error = {"out of memory", 13};
  return result;
}();

const kiln_clang_result* compile_and_link(const kiln_clang_request* request) {
  try {
    static std::once_flag once;
    std::call_once(once, [] {
      llvm::install_fatal_error_handler(on_fatal_error);
      initialize();
    });
    auto result = std::make_unique<Result>();
    run_on_deep_stack(*request, *result);
    publish(*result);
    return result.release();
  } catch (const std::exception&) {
    return &kOutOfMemory;
  }
}

void release(const kiln_clang_result* result) {
  if (result != nullptr && result != &kOutOfMemory) delete static_cast<const Result*>(result);
}

constexpr kiln_clang_api kApi{.interface_version = KILN_CLANG_INTERFACE,
                              .version = CLANG_VERSION_STRING,
                              .compile = compile_and_link,
                              .release = release};

}  // namespace

/// lld's fatal() ends the process through these two; the linker is told to bind its calls here (--wrap).
extern "C" {
[[noreturn]] void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
[[noreturn]] void __real__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
void __wrap__ZN4llvm13llvm_shutdownEv();

void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup) {
  if (job_of_thread != nullptr) give_up("it met a fatal error");
  __real__ZN4llvm3sys7Process4ExitEib(code, no_cleanup);
}
void __wrap__ZN4llvm13llvm_shutdownEv() {}  // would take the options of every later compile away
}

}  // namespace kiln::clang_module

__attribute__((visibility("default"))) const kiln_clang_api* kiln_clang(uint32_t interface_version) {
  return interface_version == KILN_CLANG_INTERFACE ? &kiln::clang_module::kApi : nullptr;
}
