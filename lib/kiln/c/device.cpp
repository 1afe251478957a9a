#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "c/argument_error.hpp"
#include "c/guard.hpp"
#include "c/text.hpp"
#include "c/values.hpp"
#include "command/json.hpp"
#include "kiln/cache.hpp"
#include "kiln/debug.hpp"
#include "kiln/device.hpp"
#include "kiln/memory.hpp"

using namespace kiln::c;
using kiln::Device;
using kiln::command::Json;
using kiln::command::text_of;
using kiln::command::to_json;

kiln_status kiln_device_parse(kiln_device* device, const char* text, size_t length, kiln_error** error) noexcept {
  return guarded(error, device, [&] {
    kiln_device& result = output(device, "device");
    result = to_c(Device::from_string(string_of(text, length, "text")));
  });
}

kiln_status kiln_device_list(kiln_device* devices, size_t capacity, size_t* count, kiln_error** error) noexcept {
  return guarded(error, count, [&] {
    size_t& found = output(count, "count");
    if (devices == nullptr && capacity != 0) fail_null("devices");
    const std::vector<Device> all = Device::all();
    for (std::size_t i = 0; i < std::min(capacity, all.size()); ++i) devices[i] = to_c(all[i]);
    found = all.size();
  });
}

kiln_status kiln_device_info(kiln_text** json, kiln_device device, kiln_error** error) noexcept {
  return guarded(error, json, [&] {
    kiln_text*& result = output(json, "json");
    result = make<kiln_text>(text_of(to_json(required_device(device, "device"))));
  });
}

kiln_status kiln_device_default(kiln_device device, kiln_error** error) noexcept {
  return guarded(error, [&] {
    const std::optional<Device> wanted = device_of(device, "device");
    wanted ? Device::set_default(*wanted) : Device::reset_default();
  });
}

kiln_status kiln_device_synchronize(kiln_device device, kiln_error** error) noexcept {
  return guarded(error, [&] { required_device(device, "device").synchronize(); });
}

void kiln_set_log(kiln_text_callback log, void* user) noexcept {
  try {
    if (log == nullptr) return kiln::cache::set_log(nullptr);
    kiln::cache::set_log([=](std::string_view line) {
      const CallbackScope scope;
      log(line.data(), line.size(), user);
    });
  } catch (...) {  // NOLINT(bugprone-empty-catch): without memory the log stays as it was
  }
}

void kiln_set_print(kiln_text_callback print, void* user) noexcept {
  try {
    if (print == nullptr) return kiln::set_print(nullptr);
    kiln::set_print([=](std::string_view text) {
      const CallbackScope scope;
      print(text.data(), text.size(), user);
    });
  } catch (...) {  // NOLINT(bugprone-empty-catch): as above
  }
}

kiln_status kiln_set_allocator(kiln_device device, const kiln_allocator* allocator, kiln_error** error) noexcept {
  return guarded(error, [&] {
    const Device on = required_device(device, "device");
    if (allocator == nullptr) return kiln::set_allocator(on, {});
    kiln_allocator storage;
    const kiln_allocator given = struct_of(*allocator, sizeof(kiln_allocator), storage, "kiln_allocator");
    if (given.allocate == nullptr) fail_null("allocate");
    if (given.deallocate == nullptr) fail_null("deallocate");
    kiln::set_allocator(on, {.allocate =
                                 [given](std::size_t bytes, const Device& of, void* stream) {
                                   const CallbackScope scope;
                                   return given.allocate(to_c(of), bytes, stream, given.user);
                                 },
                             .deallocate =
                                 [given](void* address, std::size_t bytes, const Device& of, void* stream) {
                                   const CallbackScope scope;
                                   given.deallocate(to_c(of), address, bytes, stream, given.user);
                                 }});
  });
}
