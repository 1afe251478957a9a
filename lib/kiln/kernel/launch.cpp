#include "kernel/launch.hpp"

#include <chrono>
#include <mutex>
#include <thread>

#include "kernel/faults.hpp"
#include "kernel/loop_stop.hpp"
#include "kiln/error.hpp"
#include "profiling/call.hpp"

namespace kiln::kinds {
namespace {

/// One launch with what may happen to it: a request to stop, a profile, faults in debug mode, a fork before it.
class SupervisedLaunch {
 public:
  SupervisedLaunch(Backend& backend, const Module& module, const AnyLaunch& work, const LaunchContext& context)
      : backend_(backend), module_(module), work_(work), context_(context) {}

  void start() const {
    if (context_.stop != nullptr) [[unlikely]]
      context_.stop->require_not_due(kPartlyWritten);
#if KILN_HAVE_CPU
    if (backend_.kind() == DeviceKind::cpu) return work_.functions->on_cpu(backend_, module_, work_.launch, context_);
#endif
    work_.functions->on_gpu(backend_, module_, work_.launch, context_);
    if (context_.stop != nullptr) [[unlikely]]
      context_.stop->wait(backend_, context_.queue, context_.keep);
  }

  // Apart, so that nothing of it is in the way of calls that nobody listens to.
  [[gnu::noinline, gnu::cold]] void start_profiled() const {
    profiling::Launch timed(backend_, module_, context_.queue);
    start();
    timed.queued(context_.queue);
  }

  /// In debug mode: waits for the kernel's end, hands over what it printed, and throws the first of its faults.
  [[gnu::noinline, gnu::cold]] void start_checked() const {
    LaunchDiagnostics diagnostics;
    {
      const bool forked = module_.faults_mutex.is_of_parent();
      const std::lock_guard guard(module_.faults_mutex);
      if (forked) forget_diagnostics(backend_, module_, context_.queue);
      if (module_.stopped_work != nullptr) {
        wait_for_stopped();
        forget_diagnostics(backend_, module_, context_.queue);
      }
      diagnostics = watched_diagnostics();
    }
    tell(diagnostics);
  }

 private:
  /// A GPU's kernel goes on after its call was stopped: what it leaves is not the next call's. Stopped where that one is first.
  void wait_for_stopped() const {
    while (!module_.stopped_work->done()) {
      if (context_.stop != nullptr) context_.stop->require_not_due(kNothingWritten);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    module_.stopped_work = nullptr;
  }

  [[nodiscard]] LaunchDiagnostics watched_diagnostics() const {
    LoopStop loops(backend_, module_, context_.stop);
    try {
      start_profiled();
      loops.end_with(context_.queue);
      LaunchDiagnostics diagnostics = take_diagnostics(backend_, module_, context_.queue);
      loops.require_not_stopped();
      return diagnostics;
    } catch (const Stopped& stopped) {
      loops.end();
      if (backend_.kind() != DeviceKind::cpu) {  // it still runs
        module_.stopped_work = backend_.make_event();
        module_.stopped_work->record(context_.queue);
        throw;
      }
      LaunchDiagnostics diagnostics = take_diagnostics(backend_, module_, context_.queue);
      diagnostics.stopped = stopped;
      return diagnostics;
    } catch (...) {
      loops.end();
      forget_diagnostics_of_failed(backend_, module_, context_.queue);
      throw;
    }
  }

  Backend& backend_;
  const Module& module_;
  const AnyLaunch& work_;
  const LaunchContext& context_;
};

}  // namespace

void launch(Backend& backend, const Module& module, const AnyLaunch& launch, const LaunchContext& context) {
  if (context.capture != nullptr) [[unlikely]] {
    context.capture->require_own(backend, context.queue);
    return context.capture->add(launch.functions->record(backend, module, launch.launch));
  }
  const SupervisedLaunch supervised(backend, module, launch, context);
  if (module.faults() != nullptr) [[unlikely]]
    return supervised.start_checked();
  if (profiling::active()) [[unlikely]]
    return supervised.start_profiled();
  supervised.start();
}

}  // namespace kiln::kinds
