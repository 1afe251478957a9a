#include "c/stream.hpp"

#include <cstdint>

#include "c/argument_error.hpp"
#include "c/guard.hpp"
#include "c/text.hpp"
#include "c/values.hpp"

using namespace kiln::c;
using kiln::Device;
using kiln::Stream;

kiln_status kiln_stream_new(kiln_stream** stream, kiln_device device, int32_t priority, kiln_error** error) noexcept {
  return guarded(error, stream, [&] {
    kiln_stream*& made = output(stream, "stream");
    made = make<kiln_stream>(Stream(required_device(device, "device"), {.priority = priority}));
  });
}

kiln_status kiln_stream_wrap(kiln_stream** stream, kiln_device device, void* native, kiln_error** error) noexcept {
  return guarded(error, stream, [&] {
    kiln_stream*& made = output(stream, "stream");
    const Device on = required_device(device, "device");
    // CUDA's names of its default stream per thread.
    const bool per_thread = on.kind() == kiln::DeviceKind::cuda && reinterpret_cast<std::uintptr_t>(native) == 2;
    made = make<kiln_stream>(per_thread ? Stream::per_thread(on) : Stream::wrap(on, native));
  });
}

void* kiln_stream_native(const kiln_stream* stream) noexcept {
  return stream != nullptr && stream->tag.load(std::memory_order_relaxed) == kiln_stream::kTag ? stream->stream.native()
                                                                                               : nullptr;
}

kiln_status kiln_stream_synchronize(const kiln_stream* stream, kiln_error** error) noexcept {
  return guarded(error, [&] { checked(stream, "stream").stream.synchronize(); });
}

kiln_status kiln_stream_wait(const kiln_stream* stream, const kiln_event* event, kiln_error** error) noexcept {
  return guarded(error, [&] { checked(stream, "stream").stream.wait(checked(event, "event").event); });
}

void kiln_stream_release(kiln_stream* stream) noexcept {
  release(stream);
}

kiln_status kiln_event_new(kiln_event** event, kiln_device device, kiln_error** error) noexcept {
  return guarded(error, event, [&] {
    kiln_event*& made = output(event, "event");
    made = make<kiln_event>(required_device(device, "device"));
  });
}

kiln_status kiln_event_record(kiln_event* event, const kiln_stream* stream, kiln_error** error) noexcept {
  return guarded(error, [&] { checked(event, "event").event.record(stream_of(stream)); });
}

kiln_status kiln_event_done(int32_t* done, const kiln_event* event, kiln_error** error) noexcept {
  return guarded(error, done, [&] {
    int32_t& result = output(done, "done");
    result = checked(event, "event").event.done() ? 1 : 0;
  });
}

kiln_status kiln_event_synchronize(const kiln_event* event, kiln_error** error) noexcept {
  return guarded(error, [&] { checked(event, "event").event.synchronize(); });
}

kiln_status kiln_event_wait_for(int32_t* done, const kiln_event* event, int64_t timeout_ns, kiln_error** error) noexcept {
  return guarded(error, done, [&] {
    int32_t& result = output(done, "done");
    result = checked(event, "event").event.wait_for(std::chrono::nanoseconds(timeout_ns)) ? 1 : 0;
  });
}

kiln_status kiln_event_elapsed_ms(double* ms, const kiln_event* start, const kiln_event* end, kiln_error** error) noexcept {
  return guarded(error, ms, [&] {
    double& result = output(ms, "ms");
    result = checked(end, "end").event.elapsed_ms(checked(start, "start").event);
  });
}

void kiln_event_release(kiln_event* event) noexcept {
  release(event);
}

kiln_status kiln_stop_new(kiln_stop** stop, kiln_error** error) noexcept {
  return guarded(error, stop, [&] {
    kiln_stop*& made = output(stop, "stop");
    made = make<kiln_stop>();
  });
}

void kiln_stop_request(kiln_stop* stop) noexcept {
  if (stop != nullptr && stop->tag.load(std::memory_order_relaxed) == kiln_stop::kTag) stop->source.request_stop();
}

void kiln_stop_release(kiln_stop* stop) noexcept {
  release(stop);
}
