// The order of things when a kernel is asked for, and who does the work.
#include "program/builder.hpp"

#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

namespace kiln::program {

Code Builder::build(const Job& job, const backend::Compiler& compiler) {
  for (;;) {
    std::promise<Outcome> promise;
    std::shared_future<Outcome> other;
    std::optional<Outcome> known;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(job.digest); found != known_.end()) {
        known = found->second;
      } else {
        const auto [flight, first] = in_flight_.try_emplace(job.digest);
        if (first) {
          flight->second = promise.get_future().share();
        } else {
          other = flight->second;
        }
      }
    }
    if (!known && !other.valid()) return lead(job, compiler, std::move(promise));
    const Outcome& outcome = known ? *known : other.get();
    if (outcome.code != nullptr || outcome.failure != nullptr) return from_memory(outcome, job);
  }
}

// The one thread that looks on the disk and compiles, while others wait for the promise.
Code Builder::lead(const Job& job, const backend::Compiler& compiler, std::promise<Outcome> promise) {
  Outcome outcome;
  std::unique_ptr<cache::DiskStore::Flight> flight;
  try {
    const auto look = [&] {
      std::optional<cache::Entry> entry = store_ == nullptr ? std::nullopt : store_->find(job.key);
      if (!entry) return false;
      outcome.code = std::make_shared<const Code>(Code{std::move(entry->payload), Origin::disk, entry->info.compile_ms});
      return true;
    };
    if (!look()) {
      if (store_ != nullptr) flight = store_->lock(job.key);
      // Another process may have compiled it while this one waited, also where the wait was given up.
      if (store_ == nullptr || !look()) outcome = compile(job, compiler);
    }
    settle(job.digest, outcome);
  } catch (...) {
    settle(job.digest, {});
    promise.set_value({});
    throw;
  }
  promise.set_value(outcome);
  if (outcome.failure != nullptr) rethrow(outcome, job);
  if (outcome.code->origin == Origin::disk) {
    disk_hits_.fetch_add(1, std::memory_order_relaxed);
  } else {
    store(job, *outcome.code);  // after the promise: the others need not wait for the disk
  }
  return *outcome.code;
}

Builder::Outcome Builder::compile(const Job& job, const backend::Compiler& compiler) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto elapsed_ns = [&] {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    return static_cast<std::uint64_t>(ns.count());
  };
  compiles_.fetch_add(1, std::memory_order_relaxed);
  Outcome outcome;
  try {
    backend::CompileResult result = compiler.compile(job.compile);
    const std::uint64_t ns = elapsed_ns();
    compile_ns_.fetch_add(ns, std::memory_order_relaxed);
    outcome.code = std::make_shared<const Code>(Code{std::move(result.code), Origin::compiled, static_cast<double>(ns) / 1e6});
  } catch (const CompileError& error) {
    compile_ns_.fetch_add(elapsed_ns(), std::memory_order_relaxed);
    outcome.failure = std::make_shared<const CompileError>(error);
    outcome.signature = job.compile.context;
  }
  return outcome;
}

void Builder::store(const Job& job, const Code& code) const {
  if (store_ == nullptr) return;
  store_->put(job.key, {.info = {.kernel = job.compile.name,
                                 .signature = job.compile.context,
                                 .body = job.body,
                                 .compile_ms = code.compile_ms,
                                 .created_unix = static_cast<std::int64_t>(std::time(nullptr))},
                        .payload = code.bytes});
}

void Builder::settle(const std::string& digest, const Outcome& outcome) {
  const std::lock_guard lock(mutex_);
  in_flight_.erase(digest);
  if (outcome.failure != nullptr) {
    if (!known_.emplace(digest, outcome).second) return;
    failure_order_.push_back(digest);
    if (failure_order_.size() > limits_.failures) {
      known_.erase(failure_order_.front());
      failure_order_.pop_front();
    }
  } else if (outcome.code != nullptr && outcome.code->bytes.size() <= limits_.code_bytes) {
    if (!known_.emplace(digest, outcome).second) return;
    code_order_.push_back(digest);
    code_bytes_ += outcome.code->bytes.size();
    while (code_bytes_ > limits_.code_bytes) {
      const auto oldest = known_.find(code_order_.front());
      code_bytes_ -= oldest->second.code->bytes.size();
      known_.erase(oldest);
      code_order_.pop_front();
    }
  }
}

Code Builder::from_memory(const Outcome& outcome, const Job& job) {
  if (outcome.failure != nullptr) rethrow(outcome, job);
  count_memory_hit();
  return {outcome.code->bytes, Origin::memory, outcome.code->compile_ms};
}

// A copy for each thread. The signature is not part of the key, and the message must show that of this call.
void Builder::rethrow(const Outcome& outcome, const Job& job) {
  const CompileError& error = *outcome.failure;
  if (outcome.signature == job.compile.context) throw CompileError(error);
  throw CompileError({.diagnostics = error.diagnostics(),
                      .log = error.log(),
                      .source = error.source(),
                      .options = error.options(),
                      .target = error.target(),
                      .compiler = error.compiler(),
                      .context = job.compile.context});
}

void Builder::after_fork_in_child() {
  // The threads that were compiling are not in this process: whoever waited for them would wait for ever.
  in_flight_.clear();
  mutex_.unlock();
}

Counts Builder::counts() const noexcept {
  return {memory_hits_.load(std::memory_order_relaxed), disk_hits_.load(std::memory_order_relaxed),
          compiles_.load(std::memory_order_relaxed), static_cast<double>(compile_ns_.load(std::memory_order_relaxed)) / 1e6};
}

}  // namespace kiln::program
