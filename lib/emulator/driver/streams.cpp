// The driver's calls of memory, streams and events.
#include "emulator/driver/state.hpp"

namespace kiln::emulator {
namespace {

/// A call of an event.
template <class Body>
int call_of(const void* event, const Body& body) {
  return call([&]() -> int { return machine().has_event(address(event)) ? body(number(event)) : invalid_handle; });
}

}  // namespace
}  // namespace kiln::emulator

using namespace kiln::emulator;

extern "C" {

int cuMemAlloc_v2(void** at, std::size_t bytes) {
  return call([&]() -> int {
    if (bytes == 0) return invalid_value;
    if (state().refuses()) return out_of_memory;
    *at = pointer(machine().allocate(bytes, std::nullopt));
    return *at == nullptr ? out_of_memory : success;
  });
}
int cuMemFree_v2(void* at) {
  return call([&] { return machine().free(address(at), std::nullopt); });
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return call([&] {
    *total = kDeviceBytes;
    *free = kDeviceBytes - machine().memory().used();
    return success;
  });
}
int cuMemPoolCreate(void** pool, const void*) {
  *pool = &state().pool;
  return success;
}
int cuMemPoolSetAttribute(void* pool, int, void*) {
  return pool == &state().pool ? success : invalid_value;
}
/// Of a pool that keeps nothing.
int cuMemPoolGetAttribute(void* pool, int, void* value) {
  return call([&]() -> int {
    if (pool != &state().pool) return invalid_value;
    *static_cast<std::uint64_t*>(value) = machine().memory().used();
    return success;
  });
}
int cuMemPoolTrimTo(void*, std::size_t) {
  return success;
}
int cuMemAllocFromPoolAsync(void** at, std::size_t bytes, void* pool, void* stream) {
  return call_on(stream, [&](std::uint32_t number) -> int {
    if (bytes == 0 || pool != &state().pool) return invalid_value;
    if (state().refuses()) return out_of_memory;
    *at = pointer(machine().allocate(bytes, number));
    return *at == nullptr ? out_of_memory : success;
  });
}
int cuMemFreeAsync(void* at, void* stream) {
  return call_on(stream, [&](std::uint32_t number) { return machine().free(address(at), number); });
}
int cuMemcpyHtoDAsync_v2(void* to, const void* from, std::size_t bytes, void* stream) {
  return call_on(stream, [&](std::uint32_t number) { return machine().copy_to_device(address(to), from, bytes, number); });
}
int cuMemcpyDtoHAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  return call_on(stream, [&](std::uint32_t number) { return machine().copy_to_host(to, address(from), bytes, number); });
}
int cuMemcpyDtoDAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  return call_on(stream,
                 [&](std::uint32_t number) { return machine().copy_on_device(address(to), address(from), bytes, number); });
}

int cuStreamCreate(void** stream, unsigned flags) {
  return call([&] {
    *stream = pointer(machine().make_stream((flags & 1U) == 0));
    return success;
  });
}
int cuStreamDestroy_v2(void* stream) {
  return call_on(stream, [&](std::uint32_t number) {
    if (number == 0) return invalid_handle;
    machine().destroy_stream(number);
    return success;
  });
}
int cuStreamSynchronize(void* stream) {
  return call_on(stream, [&](std::uint32_t number) {
    machine().synchronize(number);
    return success;
  });
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  return call_on(stream, [&](std::uint32_t waiting) {
    if (!machine().has_event(address(event))) return invalid_handle;
    machine().wait(waiting, number(event));
    return success;
  });
}
int cuStreamGetCtx(void* stream, void** context) {
  return call_on(stream, [&](std::uint32_t) {
    *context = contexts().current();
    return success;
  });
}

int cuEventCreate(void** event, unsigned) {
  return call([&] {
    *event = pointer(machine().make_event());
    return success;
  });
}
int cuEventDestroy_v2(void* event) {
  return call_of(event, [&](std::uint32_t number) {
    machine().destroy_event(number);
    return success;
  });
}
int cuEventRecord(void* event, void* stream) {
  return call_on(stream, [&](std::uint32_t recording) {
    if (!machine().has_event(address(event))) return invalid_handle;
    machine().record(number(event), recording);
    return success;
  });
}
int cuEventQuery(void* event) {
  return call_of(event, [&](std::uint32_t number) { return machine().is_done(number) ? success : not_ready; });
}
int cuEventSynchronize(void* event) {
  return call_of(event, [&](std::uint32_t number) {
    machine().synchronize_event(number);
    return success;
  });
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return call_of(start, [&](std::uint32_t number_of_start) {
    if (!machine().has_event(address(end))) return invalid_handle;
    if (!machine().is_done(number_of_start) || !machine().is_done(number(end))) return not_ready;
    *milliseconds = machine().elapsed(number_of_start, number(end));
    return success;
  });
}

}  // extern "C"
