#include "profiling/collector.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kiln::profiling {
namespace {

bool is_done(const backend::Event& event) noexcept {
  try {
    return event.done();
  } catch (const std::exception&) {
    return true;  // nothing more will be known of it
  }
}

void wait_for(const backend::Event& event) noexcept {
  try {
    event.synchronize();
  } catch (const std::exception&) {
    return;  // a fault of the work is reported by who waits for the stream
  }
}

TimeSpan span_of(const HostSpan& span, Clock::time_point start) {
  const auto ms = [](Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); };
  return {.start = ms(span.begin - start), .duration = ms(span.end - span.begin)};
}

/// When the call's queued work ran; nothing where the device does not tell.
std::optional<HostSpan> run_of(const Measured& call) noexcept {
  if (call.first == nullptr || call.last == nullptr || call.clock == nullptr) return std::nullopt;
  try {
    const std::chrono::duration<double, std::milli> took(call.last->milliseconds_since(*call.first));
    // A device's clock is known to some microseconds, and nothing runs before it is called.
    const Clock::time_point begin = std::max(call.clock->time_of(*call.first), call.host.begin);
    return HostSpan{begin, begin + std::chrono::duration_cast<Clock::duration>(took)};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Collector::Collector(ProfileOptions options, std::optional<std::thread::id> thread)
    : options_(std::move(options)), thread_(thread) {}

void Collector::add(Measured call) noexcept {
  try {
    std::vector<Measured> done;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      if (options_.on_call == nullptr && records_.size() + pending_.size() >= options_.limit) {
        ++dropped_;
        return;
      }
      pending_.push_back(std::move(call));
      // Two for each that comes: there are never many more than the device has before it.
      while (done.size() < 2 && !pending_.empty() && (pending_.front().last == nullptr || is_done(*pending_.front().last))) {
        done.push_back(std::move(pending_.front()));
        pending_.pop_front();
      }
    }
    for (Measured& each : done) complete(std::move(each));
  } catch (const std::exception&) {
    return;  // of memory
  }
}

void Collector::settle() noexcept {
  try {
    const std::lock_guard settling(settling_);
    std::deque<Measured> calls;
    {
      const std::lock_guard lock(mutex_);
      calls.swap(pending_);
    }
    for (Measured& each : calls) {
      if (each.last != nullptr) wait_for(*each.last);
      complete(std::move(each));
    }
  } catch (const std::exception&) {
    return;  // of memory
  }
}

void Collector::complete(Measured&& call) noexcept {
  try {
    const std::optional<HostSpan> run = call.run ? call.run : run_of(call);
    call.record.host = span_of(call.host, start_);
    if (call.load) call.record.load = span_of(*call.load, start_);
    if (run) call.record.run = span_of(*run, start_);
    tell(call.record);
    const std::lock_guard lock(mutex_);
    if (records_.size() < options_.limit) {
      records_.push_back(std::move(call.record));
    } else {
      ++dropped_;
    }
  } catch (const std::exception&) {
    return;  // of memory
  }
}

void Collector::tell(const CallRecord& record) noexcept {
  if (options_.on_call == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    if (failed_ || closed_) return;
    ++delivering_;
  }
  const Silence silence;
  try {
    options_.on_call(record);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(failed_, true)) thrown_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  --delivering_;
  delivered_.notify_all();
}

std::vector<CallRecord> Collector::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

std::size_t Collector::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void Collector::close() noexcept {
  std::unique_lock lock(mutex_);
  closed_ = true;
  delivered_.wait(lock, [this] { return delivering_ <= 0; });
}

void Collector::rethrow() {
  std::unique_lock lock(mutex_);
  if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) {
    lock.unlock();
    std::rethrow_exception(thrown);
  }
}

void Collector::after_fork_in_child(bool forget) {
  pending_.clear();  // their devices are the parent's
  if (forget) {
    records_.clear();
    dropped_ = 0;
  }
  // Who held it, and who is in the callback, is not in this process.
  new (&settling_) std::mutex();
  new (&delivered_) std::condition_variable();
  delivering_ = 0;
  mutex_.unlock();
}

}  // namespace kiln::profiling
