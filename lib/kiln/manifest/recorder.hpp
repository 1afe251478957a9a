// KILN_RECORD: collects what calls report, and keeps them in a file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "kiln/gufunc.hpp"
#include "kiln/reduction.hpp"
#include "manifest/document.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

/// What is new is written by a thread of its own, which is there only while there is something to write: at once, but not twice
/// within `pause`. Faults are lines of the cache's log. Never destroyed: see close().
class FileRecorder final : public ufunc::Recorder {
 public:
  struct Timing {
    std::chrono::milliseconds pause = std::chrono::seconds(1);
    std::chrono::milliseconds lock_wait = std::chrono::seconds(5);
    std::chrono::milliseconds last_wait = std::chrono::seconds(60);  ///< by the last write of the process: nobody tries again
  };
  explicit FileRecorder(std::string path) : FileRecorder(std::move(path), Timing{}) {}
  FileRecorder(std::string path, Timing timing) : path_(std::move(path)), timing_(timing) {}

  void used(const UfuncDefinition& ufunc, const call::Description& call) noexcept override;
  void used(const cupy::ElementwiseDefinition& kernel, const call::Description& call) noexcept override;
  void used(const cupy::ReductionDefinition& reduction, const call::Description& call) noexcept override;
  void used(const GufuncDefinition& gufunc, const call::Description& call) noexcept override;
  void used(const ReductionDefinition& reduction, bool prepends_identity, const call::Description& call) noexcept override;
  void used(const ufunc::RawUse& use) noexcept override;

  /// Ends the thread and writes what is left. What is reported later is written at once, by the caller.
  void close() noexcept;

  /// Around fork(): before it, then in the parent, and in the child, which has no thread that writes.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

 private:
  using Lock = std::unique_lock<std::mutex>;

  template <class Make>
  void add_recorded(const std::string& name, const Make& make) noexcept;
  bool is_new(const Entry& entry);
  void add(const Json& kernel);
  void write_from_now_on() noexcept;
  void write(Lock& lock);
  void complain(const std::string& failure);

  const std::string path_;
  const Timing timing_;
  std::mutex mutex_;  ///< never held while the file is written
  std::condition_variable wake_;
  std::thread writer_;
  KernelSet kernels_;
  std::set<std::string> known_;  // hashes of the kernels that CPUs and GPUs run for them
  bool dirty_ = false;
  bool writing_ = false;  ///< there is a writer that will look at dirty_ again
  bool closed_ = false;
  std::chrono::steady_clock::time_point last_write_ = {};
  bool failed_ = false;  ///< the last write
  std::string last_complaint_;
};

}  // namespace kiln::manifest
