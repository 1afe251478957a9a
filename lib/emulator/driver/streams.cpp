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
  return call_on(stream, [&](std::uint32_t number) {
    return machine().copy_to_device(address(to), from, bytes, number, state().is_page_locked(from, bytes));
  });
}
int cuMemcpyDtoHAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  return call_on(stream, [&](std::uint32_t number) {
    return machine().copy_to_host(to, address(from), bytes, number, state().is_page_locked(to, bytes));
  });
}
// Devices have clocks of their own: the work of the source is done first.
int cuMemcpyPeerAsync(void* to, void* to_context, void* from, void* from_context, std::size_t bytes, void* stream) {
  return call_on(stream, [&](std::uint32_t number) -> int {
    Emulated* const source = state().device_of(from_context);
    if (source == nullptr || state().device_of(to_context) != device()) return invalid_context;
    source->machine.synchronize();
    std::vector<char> moved(bytes);
    const int status = source->machine.copy_to_host(moved.data(), address(from), bytes, 0, false);
    return status != success ? status : machine().copy_to_device(address(to), moved.data(), bytes, number, false);
  });
}
int cuMemcpyDtoDAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  return call_on(stream,
                 [&](std::uint32_t number) { return machine().copy_on_device(address(to), address(from), bytes, number); });
}

int cuMemHostAlloc(void** at, std::size_t bytes, unsigned) {
  return call([&]() -> int {
    if (bytes == 0) return invalid_value;
    constexpr std::size_t kPage = 4096;
    HostMemory made{bytes};
    made.room.reset(static_cast<char*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage)));
    *at = made.room.get();
    if (*at == nullptr) return out_of_memory;
    state().host_memory[address(*at)] = std::move(made);
    return success;
  });
}
int cuMemFreeHost(void* at) {
  return call([&]() -> int {
    const auto found = state().host_memory.find(address(at));
    if (found == state().host_memory.end() || found->second.room == nullptr) return invalid_value;
    state().host_memory.erase(found);
    return success;
  });
}
int cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned) {
  return call([&]() -> int {
    if (bytes == 0) return invalid_value;
    if (state().host_memory_of(address(at), bytes) != state().host_memory.end()) return already_page_locked;
    state().host_memory[address(at)].bytes = bytes;
    return success;
  });
}
int cuMemHostUnregister(void* at) {
  return call([&]() -> int {
    const auto found = state().host_memory.find(address(at));
    if (found == state().host_memory.end() || found->second.room != nullptr) return invalid_value;
    state().host_memory.erase(found);
    return success;
  });
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return success;
}
int cuStreamCreateWithPriority(void** stream, unsigned flags, int) {  // which is a hint: no order is promised
  return call([&] {
    *stream = pointer(machine().make_stream((flags & 1U) == 0));
    return success;
  });
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
