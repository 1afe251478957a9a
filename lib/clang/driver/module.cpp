// The module's one door: kiln_clang(). Runs each job on a thread with a deep stack, and turns what LLVM and lld mean as the end
// of the process into an error value.
#include <clang/Basic/Version.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "clang/driver/compile.hpp"
#include "clang/driver/disassemble.hpp"
#include "clang/driver/link.hpp"
#include "clang/driver/locate.hpp"
#include "clang/driver/placeable.hpp"
#include "clang/driver/serve.hpp"
#include "clang/interface.h"

namespace kiln::clang_module {
namespace {

constexpr std::size_t kStackBytes = std::size_t{8} << 20;

/// What the caller sees of a result, and what that points into.
struct Result : kiln_clang_result {
  Result() : kiln_clang_result{} {}
  Compiled compiled;
  Linked linked;
  Disassembled disassembled;
  std::string problem;
  std::vector<kiln_clang_diagnostic> found;
  std::vector<kiln_clang_text> missing;
  std::vector<kiln_clang_instruction> lines;
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

/// One compile or disassembly, and the thread that does it.
struct Job {
  Job(const std::function<void(Job&)>& what, Result& into) : work(what), result(into) {}

  const std::function<void(Job&)>& work;
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
  if (serving()) {
    static std::string text;  // of the last question
    text = std::string(job.step) + " gave up: " + reason;
    end_service(KILN_CLANG_CRASHED, text.c_str());
  }
  job.result.status = KILN_CLANG_CRASHED;
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

/// Debuggers know files and what the system's loader has loaded.
bool is_loadable(const kiln_clang_request& request, llvm::StringRef object) {
  return request.form == KILN_CLANG_LOADABLE && request.object_count == 0 && request.debugs.size == 0 && is_placeable(object);
}

void compile_and_link(const kiln_clang_request& request, Job& job) {
  Result& result = job.result;
  compile(request, result.compiled);
  result.front_end_ms = result.compiled.times.front_end;
  result.passes_ms = result.compiled.times.passes;
  result.code_ms = result.compiled.times.code;
  if (!result.compiled.ok) {
    result.status = KILN_CLANG_REJECTED;
    return;
  }
  const llvm::StringRef output(result.compiled.output.data(), result.compiled.output.size());
  if (request.form != KILN_CLANG_SHARED_OBJECT && request.form != KILN_CLANG_LOADABLE) {
    result.code = {output.data(), output.size()};
    if (!result.compiled.undefined.empty()) result.status = KILN_CLANG_UNDEFINED;
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  if (is_loadable(request, output)) {
    find_undefined(output, result.linked);
    result.code = {output.data(), output.size()};
  } else {
    job.step = "lld";
    job.linking.lock();
    link(output, {request.objects, request.object_count}, request.debugs.size > 0, result.linked);
    job.linking.unlock();
    result.code = text(result.linked.code);
  }
  result.link_ms = milliseconds_since(start);
  if (result.linked.ok) return;
  result.status = !result.linked.undefined.empty() ? KILN_CLANG_UNDEFINED
                  : result.linked.refused          ? KILN_CLANG_UNLINKABLE
                                                   : KILN_CLANG_FAILED;
  result.problem = result.linked.error;
}

void disassemble(const kiln_clang_machine_code& code, Job& job) {
  job.step = "the disassembler";
  disassemble(code, job.result.disassembled);
  if (job.result.disassembled.error.empty()) return;
  job.result.status = KILN_CLANG_FAILED;
  job.result.problem = job.result.disassembled.error;
}

kiln_clang_diagnostic diagnostic(const Diagnostic& from) {
  return {.severity = from.severity,
          .line = from.line,
          .column = from.column,
          .file = text(from.file),
          .text = text(from.text),
          .source_line = text(from.source_line)};
}

kiln_clang_report report(const CodeReport& from) {
  return {.known = from.known ? 1 : 0,
          .vector_bits = from.vector_bits,
          .spills = from.spills,
          .stack_bytes = from.stack_bytes,
          .scalar_because = from.scalar_because ? diagnostic(*from.scalar_because) : kiln_clang_diagnostic{}};
}

void publish(Result& result) {
  for (const Diagnostic& each : result.compiled.diagnostics) result.found.push_back(diagnostic(each));
  for (const std::string& name : result.compiled.undefined) result.missing.push_back(text(name));
  for (const std::string& name : result.linked.undefined) result.missing.push_back(text(name));
  for (const Instruction& each : result.disassembled.instructions) {
    result.lines.push_back({.address = each.address, .target = each.target, .size = each.size, .text = text(each.text)});
  }
  result.instructions = result.lines.data();
  result.instruction_count = result.lines.size();
  result.diagnostics = result.found.data();
  result.diagnostic_count = result.found.size();
  result.undefined = result.missing.data();
  result.undefined_count = result.missing.size();
  result.report = report(result.compiled.report);
  result.log = text(result.compiled.log);
  result.error = text(result.problem);
}

void* run_job(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  job_of_thread = &job;
  try {
    job.work(job);
  } catch (const std::exception& error) {
    job.result.status = KILN_CLANG_FAILED;
    job.result.problem = error.what();
  }
  job_of_thread = nullptr;
  job.ended.release();
  return nullptr;
}

void run_on_deep_stack(const std::function<void(Job&)>& work, Result& result) {
  auto job = std::make_unique<Job>(work, result);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const int failed = pthread_create(&thread, &attributes, run_job, job.get());
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    result.status = KILN_CLANG_FAILED;
    result.problem = "no thread to work on: error " + std::to_string(failed);
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

const kiln_clang_result* run(const std::function<void(Job&)>& work) {
  try {
    static std::once_flag once;
    std::call_once(once, [] {
      llvm::install_fatal_error_handler(on_fatal_error);
      initialize();
    });
    auto result = std::make_unique<Result>();
    if (serving()) {
      Job job(work, *result);
      run_job(&job);
    } else {
      run_on_deep_stack(work, *result);
    }
    publish(*result);
    return result.release();
  } catch (const std::exception&) {
    return &kOutOfMemory;
  }
}

const kiln_clang_result* run_compile(const kiln_clang_request* request) {
  return run([request](Job& job) { compile_and_link(*request, job); });
}

const kiln_clang_result* run_disassemble(const kiln_clang_machine_code* code) {
  return run([code](Job& job) { disassemble(*code, job); });
}

const kiln_clang_result* run_locate(const kiln_clang_text* code, std::uint64_t address) {
  return run([code, address](Job& job) {
    job.step = "the reader of debug information";
    locate({code->data, code->size}, address, job.result.compiled.diagnostics);
  });
}

void release(const kiln_clang_result* result) {
  if (result != nullptr && result != &kOutOfMemory) delete static_cast<const Result*>(result);
}

constexpr kiln_clang_api kApi{.interface_version = KILN_CLANG_INTERFACE,
                              .version = CLANG_VERSION_STRING,
                              .compile = run_compile,
                              .disassemble = run_disassemble,
                              .locate = run_locate,
                              .release = release,
                              .serve = serve};

}  // namespace

/// The linker binds calls of these here (--wrap). lld's fatal() ends the process through the first two.
extern "C" {
[[noreturn]] void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
[[noreturn]] void __real__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
void __wrap__ZN4llvm13llvm_shutdownEv();
void __wrap__ZN5clang17noteBottomOfStackEv();
void __real__ZN5clang17noteBottomOfStackEv();

void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup) {
  if (job_of_thread != nullptr) give_up("it met a fatal error");
  __real__ZN4llvm3sys7Process4ExitEib(code, no_cleanup);
}
void __wrap__ZN4llvm13llvm_shutdownEv() {}  // would take the options of every later compile away
// Clang goes on with another thread where it takes 8 MiB of stack for full. A worker's stack is larger, and another thread has
// no handler for one that is full.
void __wrap__ZN5clang17noteBottomOfStackEv() {
  if (!serving()) __real__ZN5clang17noteBottomOfStackEv();
}
}

}  // namespace kiln::clang_module

__attribute__((visibility("default"))) const kiln_clang_api* kiln_clang(uint32_t interface_version) {
  return interface_version == KILN_CLANG_INTERFACE ? &kiln::clang_module::kApi : nullptr;
}
