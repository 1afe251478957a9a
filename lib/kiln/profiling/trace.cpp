#include "profiling/trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/output_target.hpp"
#include "kiln/error.hpp"

namespace kiln::profiling {
namespace {

/// Of one process and one of its threads, in nanoseconds.
struct Event {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t process;
  std::int64_t thread;
  std::string name;
  std::string category;
  std::string arguments;
};

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Chrome's unit, to the nanosecond, so that what nests does so to the last digit.
std::string microseconds(std::int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

bool is_copy(const CallRecord& record) {
  return record.kind == "copy";
}

std::string arguments_of(const CallRecord& record) {
  std::string text = fmt::format(R"({{"kind":{},"device":{},"stream":{},"elements":{},"bytes_read":{},"bytes_written":{})",
                                 quoted(record.kind), quoted(to_string(record.device)), record.stream, record.elements,
                                 record.bytes_read, record.bytes_written);
  if (!is_copy(record)) {
    text += fmt::format(R"(,"kernel":{},"variant":{},"origin":"{}","launches":{})", quoted(record.kernel),
                        quoted(record.variant), name(record.origin), record.launches);
  }
  if (record.run && record.run->duration > 0) {
    // What a copy moves is read and written, and counts once.
    const auto bytes = static_cast<double>(record.bytes_read + (is_copy(record) ? 0 : record.bytes_written));
    text += fmt::format(R"(,"GB/s":{:.3f})", bytes / record.run->duration / 1e6);
  }
  return text + (record.failed ? R"(,"failed":true})" : "}");
}

/// As further members of an object.
std::string stages_of(const CallRecord& record) {
  if (!record.stages) return "";
  const CompileStages& stages = *record.stages;
  return fmt::format(R"(,"front_end_ms":{:.3f},"passes_ms":{:.3f},"code_ms":{:.3f},"link_ms":{:.3f},"load_ms":{:.3f})",
                     stages.front_end, stages.passes, stages.code, stages.link, stages.load);
}

class Trace {
 public:
  explicit Trace(std::span<const CallRecord> records) {
    for (const CallRecord& record : records) add(record);
    separate();
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;  // what holds another one first
    });
  }

  [[nodiscard]] std::string json(std::size_t dropped) const {
    std::string text = "[";
    const auto line = [&](const std::string& event) { text += (text.size() > 1 ? ",\n" : "\n") + event; };
    line(named("process_name", host_, 0, fmt::format("host {}", host_)));
    for (const auto& [device, process] : devices_) line(named("process_name", process, 0, device));
    for (const auto& [track, label] : tracks_) line(named("thread_name", track.first, track.second, label));
    if (dropped > 0)
      line(named("process_labels", host_, 0, fmt::format("{} later calls are not in this trace", dropped), "labels"));
    for (const Event& event : events_) {
      line(fmt::format(R"({{"ph":"X","name":{},"cat":"{}","ts":{},"dur":{},"pid":{},"tid":{},"args":{}}})", quoted(event.name),
                       event.category, microseconds(event.begin), microseconds(event.end - event.begin), event.process,
                       event.thread, event.arguments));
    }
    return text + "\n]\n";
  }

 private:
  using Track = std::pair<std::int64_t, std::int64_t>;

  static std::string named(const char* what, std::int64_t process, std::int64_t thread, const std::string& name,
                           const char* key = "name") {
    return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what, process, thread, key,
                       quoted(name));
  }

  void add(const CallRecord& record) {
    const Track thread{host_, record.thread};
    tracks_.try_emplace(thread, record.thread == host_ ? "main thread" : fmt::format("thread {}", record.thread));
    add(record.host, thread, record.function, is_copy(record) ? "copy" : "call", arguments_of(record));
    if (record.load) {
      add(*record.load, thread, record.origin == KernelOrigin::compiled ? "compile" : "load", "kernel",
          fmt::format(R"({{"kernel":{},"origin":"{}"{}}})", quoted(record.kernel), name(record.origin), stages_of(record)));
    }
    if (!record.run) return;
    const Track track = record.device.is_cpu() && record.stream == 0 ? thread : track_of(record);
    add(*record.run, track, record.function, is_copy(record) ? "copy" : "run", arguments_of(record));
  }

  void add(const TimeSpan& span, Track track, const std::string& name, const char* category, std::string arguments) {
    const auto ns = [](double ms) { return std::llround(ms * 1e6); };
    events_.push_back({.begin = ns(span.start),
                       .end = ns(span.start + span.duration),
                       .process = track.first,
                       .thread = track.second,
                       .name = name,
                       .category = category,
                       .arguments = std::move(arguments)});
  }

  Track track_of(const CallRecord& record) {
    // Numbers that are no process's.
    constexpr std::int64_t kProcesses = std::int64_t{1} << 22;
    const std::string device = to_string(record.device);
    const auto next = host_ + kProcesses * static_cast<std::int64_t>(devices_.size() + 1);
    const Track track{devices_.try_emplace(device, next).first->second, static_cast<std::int64_t>(record.stream)};
    tracks_.try_emplace(track, record.stream == 0 ? "default stream" : fmt::format("stream {}", record.stream));
    return track;
  }

  /// A stream does one thing at a time: a call whose launch waited for that of another thread began behind it.
  void separate() {
    std::map<Track, std::vector<Event*>> streams;
    for (Event& event : events_) {
      if (event.process != host_) streams[{event.process, event.thread}].push_back(&event);
    }
    for (auto& [track, events] : streams) {
      std::stable_sort(events.begin(), events.end(), [](const Event* a, const Event* b) { return a->end < b->end; });
      for (std::size_t i = 1; i < events.size(); ++i) events[i]->begin = std::max(events[i]->begin, events[i - 1]->end);
    }
  }

  const std::int64_t host_ = getpid();
  std::vector<Event> events_;
  std::map<std::string, std::int64_t> devices_;
  std::map<Track, std::string> tracks_;
};

}  // namespace

std::string trace_json(std::span<const CallRecord> records, std::size_t dropped) {
  return Trace(records).json(dropped);
}

void write_trace(const std::string& path, std::span<const CallRecord> records, std::size_t dropped) {
  const base::OutputTarget target = base::output_target(path);
  if (!target.refusal.empty()) throw IoError("cannot write " + path + ": " + target.refusal);
  const std::string text = trace_json(records, dropped);
  // A trace is a by-product: nobody waits for the disk.
  if (const auto failed = base::publish_file(target.path, text, {.sync = false, .permissions = target.permissions})) {
    throw IoError(failed->text);
  }
}

}  // namespace kiln::profiling
