#include "chunk/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "base/usable_memory.hpp"
#include "base/usable_threads.hpp"
#include "call/staging.hpp"
#include "device/capture.hpp"
#include "device/out_of_memory.hpp"
#include "device/stop_request.hpp"
#include "kiln/memory.hpp"
#include "profiling/behalf.hpp"
#include "profiling/call.hpp"

namespace kiln::chunk {
namespace {

/// While one computes, the next is on its way to the device and the one before on its way back. More, where the host has
/// threads: each copies its chunk to page-locked memory and from it, and a link takes what several of them copy.
int chunks_at_once() {
  return std::clamp(base::usable_threads() / 2, 3, 8);
}

/// Of all chunks that are under way: each so large that a transfer's start is nothing beside it, and so small that the first is
/// there soon.
constexpr std::int64_t kGpuBytesAtOnce = std::int64_t{192} << 20;

/// Many times what lets a call store past the caches (kNontemporalBytes), and the start of threads nothing.
constexpr std::int64_t kCpuChunkBytes = std::int64_t{256} << 20;

/// Smaller ones would take for ever.
constexpr std::int64_t kLeastChunkBytes = std::int64_t{16} << 10;

using Clock = std::chrono::steady_clock;

/// Bytes that a GPU has for calls now.
std::int64_t memory_for(const Device& device) {
  const MemoryStats now = memory_stats(device);
  const std::int64_t there = now.free ? *now.free + now.kept : now.total;
  return now.limit ? std::min(there, *now.limit - now.used) : there;
}

/// A device with what all its chunks share.
class Site {
 public:
  explicit Site(const Device& device) : device_(device) {}
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// The inputs that all chunks share, sent at the first call.
  const std::vector<Array>& shared(const Job& job) {
    const std::lock_guard guard(mutex_);
    if (!shared_.empty() || job.inputs.empty()) return shared_;
    std::vector<Array> sent(job.inputs.size());
    for (std::size_t k = 0; k < job.inputs.size() && !device_.is_cpu(); ++k) {
      if (!job.inputs[k].is_cut_by(job.cut)) sent[k] = call::send(job.inputs[k].array(), device_);
    }
    return shared_ = std::move(sent);
  }

 private:
  Device device_;
  std::mutex mutex_;
  std::vector<Array> shared_;
};

class Run {
 public:
  Run(const Job& job, const ChunkOptions& options, const backend::StopRequest* stop,
      base::FunctionRef<void(const Chunk&)> compute)
      : job_(job), options_(options), compute_(compute), stop_(stop) {
    progress_.chunks = job.cut.count();
    progress_.bytes = bytes_of(job.inputs) + bytes_of(job.outputs);
    for (const std::int64_t extent : job.cut.loop()) elements_ *= extent;
  }

  void run() {
    backend::Capture::refuse(job_.what, "chunks are computed at once, by threads of their own; call it outside");
    const profiling::Call whole;
    if (whole) {
      whole.named("chunked(" + job_.what + ")");
      whole.reads(elements_, bytes_of(job_.inputs));
      whole.writes(elements_, bytes_of(job_.outputs));
    }
    caller_ = profiling::caller();
    for (const Device& device : devices_of(options_)) {
      sites_.push_back(std::make_unique<Site>(device));
      if (job_.in_order) break;
    }
    {
      std::vector<std::jthread> workers;
      try {
        for (const auto& site : sites_) {
          const int at_once = site->device().is_cpu() || job_.in_order ? 1 : chunks_at_once();
          for (int i = 0; i < at_once && std::ssize(workers) < job_.cut.count(); ++i) {
            {
              const std::lock_guard guard(mutex_);
              ++working_;
            }
            start(workers, *site);
          }
        }
      } catch (...) {
        fail(std::current_exception());
      }
      report();
    }
    profiling::others_have_called();
    finish();
  }

 private:
  void start(std::vector<std::jthread>& workers, Site& site) {
    try {
      workers.emplace_back([this, &site] { work(site); });
    } catch (const std::exception& error) {
      {
        const std::lock_guard guard(mutex_);
        --working_;
      }
      throw DeviceError(job_.what + ": no thread for its chunks: " + error.what());
    }
  }

  void work(Site& site) {
    const profiling::OnBehalf calls(caller_);
    try {
      const Stream stream(site.device());
      while (const std::optional<std::int64_t> chunk = take()) {
        compute(site, stream, *chunk);
        done(*chunk);
      }
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard guard(mutex_);
    --working_;
    changed_.notify_all();
  }

  std::optional<std::int64_t> take() {
    const std::lock_guard guard(mutex_);
    if (failure_ || stopped_ || next_ == progress_.chunks) return std::nullopt;
    if (options_.stop.stop_requested() || (stop_ != nullptr && stop_->due())) {
      stopped_ = true;
      return std::nullopt;
    }
    return next_++;
  }

  void compute(Site& site, const Stream& stream, std::int64_t number) {
    const Box box = job_.cut.box(number);
    if (number + 1 < progress_.chunks) will_need(job_.cut.box(number + 1));
    const std::vector<Array>& shared = site.shared(job_);
    Chunk chunk{.number = number, .box = box, .inputs = {}, .outputs = {}, .stream = stream};
    for (std::size_t k = 0; k < job_.inputs.size(); ++k) {
      chunk.inputs.push_back(shared[k].valid() ? shared[k] : job_.inputs[k].at(box));
    }
    for (const Operand& output : job_.outputs) chunk.outputs.push_back(output.at(box));
    compute_(chunk);
    stream.synchronize();
    // A call that was queued could not tell.
    if (detail::MappedFile::any_torn()) [[unlikely]]
      check_files();
    for (const Array& input : chunk.inputs) detail::MappedFile::done_with(*input.rep());
    for (const Array& output : chunk.outputs) detail::MappedFile::done_with(*output.rep());
  }

  void check_files() const {
    for (const Operand& input : job_.inputs) detail::MappedFile::check(*input.array().rep());
    for (const Operand& output : job_.outputs) detail::MappedFile::check(*output.array().rep());
  }

  void will_need(const Box& box) const {
    for (const Operand& input : job_.inputs) {
      if (input.is_cut_by(job_.cut)) detail::MappedFile::will_need(*input.at(box).rep());
    }
  }

  void done(std::int64_t chunk) {
    const double part = static_cast<double>(job_.cut.box(chunk).size()) / static_cast<double>(elements_);
    const std::lock_guard guard(mutex_);
    ++progress_.done;
    bytes_done_ += part * static_cast<double>(progress_.bytes);
    changed_.notify_all();
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard guard(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  /// Tells of chunks that are done, until nobody works any more.
  void report() {
    std::unique_lock lock(mutex_);
    std::int64_t reported = 0;
    while (true) {
      changed_.wait(lock, [&] { return working_ == 0 || progress_.done > reported; });
      if (progress_.done > reported && options_.progress && !failure_) {
        reported = progress_.done;
        ChunkProgress now = progress_;
        now.bytes_done = now.done == now.chunks ? now.bytes : static_cast<std::int64_t>(bytes_done_);
        now.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
        lock.unlock();
        try {
          options_.progress(now);
          lock.lock();
        } catch (...) {
          lock.lock();
          if (!failure_) failure_ = std::current_exception();
        }
        continue;
      }
      reported = progress_.done;
      if (working_ == 0) return;
    }
  }

  void finish() const {
    if (failure_) {
      const std::string state = "; of " + std::to_string(progress_.chunks) + " chunks " + std::to_string(progress_.done) +
                                " are done, the other results are not certain";
      try {
        std::rethrow_exception(failure_);
      } catch (const DeviceError& error) {
        throw DeviceError(error.what() + state, error.code(), error.code_name());
      } catch (const Stopped& error) {
        // A chunk that had not begun speaks of its own results alone.
        std::string said = error.what();
        const std::string nothing = std::string("; ") + backend::kNothingWritten;
        if (said.ends_with(nothing)) said.resize(said.size() - nothing.size());
        throw Stopped(said + state);
      } catch (const IoError& error) {
        throw IoError(error.what() + state);
      } catch (const std::bad_alloc&) {
        throw DeviceError(job_.what + ": the system has no memory for its chunks" + state);
      }
    }
    if (progress_.done < progress_.chunks) {
      const std::string left = std::to_string(progress_.chunks - progress_.done) + " of " + std::to_string(progress_.chunks) +
                               " chunks are as they were";
      if (!options_.stop.stop_requested() && stop_ != nullptr) stop_->fail("the results of " + left);
      throw Stopped(job_.what + ": stopped after " + std::to_string(progress_.done) + " of " +
                    std::to_string(progress_.chunks) + " chunks; the other results are as they were");
    }
  }

  const Job& job_;
  const ChunkOptions& options_;
  base::FunctionRef<void(const Chunk&)> compute_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::int64_t elements_ = 1;
  Clock::time_point begun_ = Clock::now();
  profiling::Caller caller_;
  const backend::StopRequest* stop_;  // the call's own

  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  ChunkProgress progress_;
  double bytes_done_ = 0;
  std::int64_t next_ = 0;
  int working_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<Arg> arguments_of(const Chunk& chunk, std::span<const Arg> args) {
  std::vector<Arg> parts(args.begin(), args.end());
  std::size_t next = 0;
  for (Arg& part : parts) {
    if (part.is_array()) part = Arg(chunk.inputs[next++]);
  }
  return parts;
}

std::vector<Device> devices_of(const ChunkOptions& options) {
  return options.devices.empty() ? std::vector<Device>{Device::best()} : options.devices;
}

std::int64_t chunk_bytes_of(const ChunkOptions& options) {
  if (options.chunk_bytes > 0) return options.chunk_bytes;
  std::int64_t bytes = kCpuChunkBytes;
  if (const std::size_t memory = base::usable_memory(); memory > 0) {
    bytes = std::min(bytes, static_cast<std::int64_t>(memory / 8));
  }
  for (const Device& device : devices_of(options)) {
    if (device.is_cpu()) continue;
    // All chunks that are under way, with what is copied of them, in half of what is there.
    const std::int64_t there = memory_for(device);
    bytes = std::min(bytes, std::min(kGpuBytesAtOnce, there / 4) / chunks_at_once());
    if (bytes >= kLeastChunkBytes) continue;
    throw backend::OutOfMemory("chunks of a call have no room on " + to_string(device) + ": " +
                               std::to_string(std::max<std::int64_t>(there, 0)) +
                               " bytes are left; free arrays there, or give .chunk_bytes");
  }
  return std::max<std::int64_t>(bytes, 1);
}

void run(const Job& job, const ChunkOptions& options, const backend::StopRequest* stop,
         base::FunctionRef<void(const Chunk&)> compute) {
  Run(job, options, stop, compute).run();
}

ChunkOptions chunks_on(const std::optional<Device>& device) {
  ChunkOptions options;
  if (device) options.devices = {*device};
  return options;
}

}  // namespace kiln::chunk
