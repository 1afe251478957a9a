// The builder of this process and its loaded modules: made at first use, never destroyed, usable after a fork.
#include "program/program.hpp"

#include <pthread.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "cache/cache.hpp"
#include "kiln/cache.hpp"
#include "program/builder.hpp"
#include "program/job.hpp"

namespace kiln::program {
namespace {

struct Process {
  Builder builder{cache::default_store()};
  std::mutex modules_mutex;
  std::map<std::pair<const backend::Backend*, std::string>, std::shared_ptr<backend::Module>> modules;
};

constinit std::atomic<Process*> current{nullptr};

// What before_fork() locked in this thread: another thread may make `current` while this one forks.
constinit thread_local Process* locked = nullptr;

void before_fork() {
  locked = current.load(std::memory_order_acquire);
  if (locked == nullptr) return;
  locked->modules_mutex.lock();
  locked->builder.before_fork();
}

void after_fork_in_parent() {
  if (locked == nullptr) return;
  locked->builder.after_fork_in_parent();
  locked->modules_mutex.unlock();
}

void after_fork_in_child() {
  if (locked == nullptr) return;
  locked->builder.after_fork_in_child();
  locked->modules_mutex.unlock();
}

// No function-local static: its guard could be held by another thread at a fork.
Process& process() {
  Process* known = current.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<Process>();
  if (current.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    known = made.release();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  }
  return *known;
}

}  // namespace

Code build(const Request& request, const backend::Compiler& compiler) {
  return process().builder.build(make_job(request, compiler), compiler);
}

std::shared_ptr<backend::Module> load(const Request& request, backend::Backend& backend) {
  Process& here = process();
  const backend::Compiler& compiler = *backend.compiler();
  const Job job = make_job(request, compiler);
  const std::pair<const backend::Backend*, std::string> key(&backend, job.digest);
  {
    const std::lock_guard lock(here.modules_mutex);
    if (const auto found = here.modules.find(key); found != here.modules.end()) {
      here.builder.count_memory_hit();
      return found->second;
    }
  }
  std::shared_ptr<backend::Module> module = backend.load(here.builder.build(job, compiler).bytes, job.compile.name);
  const std::lock_guard lock(here.modules_mutex);
  // Two threads may have loaded it at once; both go on with the first one's.
  return here.modules.emplace(key, std::move(module)).first->second;
}

Counts counts() noexcept {
  const Process* const known = current.load(std::memory_order_acquire);
  return known == nullptr ? Counts{} : known->builder.counts();
}

}  // namespace kiln::program

namespace kiln::cache {

Stats stats() noexcept {
  const program::Counts counts = program::counts();
  return {counts.memory_hits, counts.disk_hits, counts.compiles, counts.compile_ms};
}

}  // namespace kiln::cache
