#include "profiling/call.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "library/ranges.hpp"
#include "profiling/behalf.hpp"
#include "profiling/collector.hpp"
#include "registry/registry.hpp"

namespace kiln::profiling {

struct Running {
  Measured call;
  std::vector<std::shared_ptr<Collector>> to;
  Running* outer = nullptr;
  std::shared_ptr<backend::Event> last;  // call.last, to be recorded again
  int exceptions = 0;                    // in flight when the call began
  bool worked = false;                   // a kernel was asked for
  bool timed = false;
  bool ranges = false;
  bool in_range = false;

  /// Around what is queued: several parts are one stretch of time. What lacks events or a clock has no time.
  void work_begins(backend::Backend& backend, backend::Queue* queue) {
    if (!backend.asynchronous(queue)) {
      if (!call.run) call.run = {.begin = Clock::now()};
      return;
    }
    if (call.first != nullptr) return;
    call.clock = clock_of(backend);
    last = backend.make_event();
    const std::shared_ptr<backend::Event> first = backend.make_event();
    first->record(queue);
    call.first = first;
  }
  void work_ends(backend::Queue* queue) noexcept {
    if (call.run) call.run->end = Clock::now();
    if (call.first == nullptr) return;
    try {
      last->record(queue);
    } catch (const std::exception&) {
      call.first = nullptr;
    }
  }
};

namespace {

constinit thread_local Running* current = nullptr;
constinit thread_local int silences = 0;
constinit thread_local const Caller* employer = nullptr;

bool any_of(const std::vector<std::shared_ptr<Collector>>& collectors, bool (Collector::*wants)() const noexcept) {
  return std::any_of(collectors.begin(), collectors.end(), [&](const auto& each) { return ((*each).*wants)(); });
}

}  // namespace

void Call::begin() noexcept {
  if (silences > 0) return;
  try {
    auto to = hearing(employer != nullptr ? employer->thread : std::this_thread::get_id());
    if (to.empty()) return;
    auto made = std::make_unique<Running>();
    made->timed = any_of(to, &Collector::wants_records);
    made->ranges = any_of(to, &Collector::wants_ranges);
    made->to = std::move(to);
    made->outer = current;
    made->exceptions = std::uncaught_exceptions();
    made->call.record.thread = gettid();
    made->call.record.depth = caller().depth;
    made->call.host.begin = Clock::now();
    current = running_ = made.release();
  } catch (const std::exception&) {
    return;  // of memory
  }
}

void Call::named(const std::string& function) const noexcept {
  try {
    running_->call.record.function = function;
  } catch (const std::exception&) {
    return;
  }
  if (!running_->ranges || running_->in_range) return;
  backend::push_range(function.c_str());
  running_->in_range = true;
}

void Call::on(const Device& device, const backend::Queue* queue) const noexcept {
  running_->call.record.device = device;
  running_->call.record.stream = queue != nullptr ? queue->number() : 0;
}

void Call::reads(std::int64_t elements, std::int64_t bytes) const noexcept {
  CallRecord& record = running_->call.record;
  record.elements = std::max(record.elements, elements);
  record.bytes_read += bytes;
}

void Call::writes(std::int64_t elements, std::int64_t bytes) const noexcept {
  CallRecord& record = running_->call.record;
  record.elements = std::max(record.elements, elements);
  record.bytes_written += bytes;
}

void Call::end() noexcept {
  const std::unique_ptr<Running> ended(running_);
  current = ended->outer;
  if (ended->in_range) backend::pop_range();
  if (!ended->worked) return;
  if (ended->outer != nullptr) ended->outer->worked = true;
  Measured& call = ended->call;
  call.host.end = Clock::now();
  call.record.failed = std::uncaught_exceptions() > ended->exceptions;
  call.last = std::move(ended->last);
  for (std::size_t i = 0; i < ended->to.size(); ++i) {
    if (!ended->to[i]->wants_records()) continue;
    try {
      ended->to[i]->add(i + 1 < ended->to.size() ? Measured(call) : std::move(call));
    } catch (const std::exception&) {
      return;  // of memory
    }
  }
}

void Load::begin() noexcept {
  if (current == nullptr || silences > 0) return;
  running_ = current;
  running_->worked = true;
  start_ = Clock::now();
}

void Load::end() const noexcept {
  running_->call.load = {start_, Clock::now()};
  running_->call.record.origin = origin_;
  running_->call.record.stages = stages_;
}

void Launch::begin(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) noexcept {
  if (current == nullptr || silences > 0) return;
  running_ = current;
  running_->worked = true;
  Measured& call = running_->call;
  ++call.record.launches;
  if (!running_->timed) return;
  try {
    if (module.label != nullptr && call.record.kernel.empty()) {
      call.record.kind = module.label->kind;
      call.record.variant = module.label->variant;
      call.record.kernel = module.label->id;
    }
    running_->work_begins(backend, queue);
  } catch (const std::exception&) {
    return;
  }
}

void Launch::end(backend::Queue* queue) noexcept {
  running_->work_ends(queue);
}

void Copy::begin(const char* function, const Device& device, backend::Queue* queue, std::int64_t elements,
                 std::int64_t bytes) noexcept {
  Running& running = *call_.running_;
  running.worked = true;
  queue_ = queue;
  call_.on(device, queue);
  call_.reads(elements, bytes);
  call_.writes(elements, bytes);
  try {
    running.call.record.kind = "copy";
    call_.named(function);
    if (running.timed) running.work_begins(backend::backend_for(device), queue);
  } catch (const std::exception&) {
    return;
  }
}

void Copy::end() noexcept {
  call_.running_->work_ends(queue_);
}

Caller caller() noexcept {
  Caller found = employer != nullptr ? *employer : Caller{.thread = std::this_thread::get_id()};
  if (current != nullptr) found.depth = current->call.record.depth + 1;
  found.silent = silences > 0;
  return found;
}

OnBehalf::OnBehalf(const Caller& caller) noexcept {
  employer = &caller;
  silences += caller.silent ? 1 : 0;
}
OnBehalf::~OnBehalf() {
  silences -= employer->silent ? 1 : 0;
  employer = nullptr;
}

void others_have_called() noexcept {
  if (current != nullptr) current->worked = true;
}

Silence::Silence() noexcept {
  ++silences;
}
Silence::~Silence() {
  --silences;
}

}  // namespace kiln::profiling
