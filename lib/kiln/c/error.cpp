#include "c/error.hpp"

#include <nlohmann/json.hpp>

#include "c/argument_error.hpp"
#include "c/guard.hpp"
#include "command/json.hpp"
#include "kiln/error.hpp"
#include "kiln/explain.hpp"
#include "kiln/warm.hpp"
#include "types/reason.hpp"

namespace kiln::c {

using command::Json;
using command::option_places;
using command::text_of;
using command::to_json;

namespace {

void add(kiln_error& error, const char* key, const std::string& value) {
  if (!value.empty()) error.values.emplace(key, value);
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) list.push_back(to_json(diagnostic));
  return list;
}

constexpr const char* kNoMemory = "the host has no memory";
constexpr const char* kMemoryCode = "memory";

kiln_error* with_code(kiln_error* error, std::string_view code) {
  add(*error, "code", std::string(code));
  return error;
}

/// Returns the error for the exception that is being handled.
kiln_error* error_of_current() {
  const auto make_error = [](kiln_status status, const std::exception& e) {
    auto* const error = make<kiln_error>(status, e.what());
    if (const auto reason = reason_of(e)) add(*error, "reason", name(*reason));
    if (const Json places = option_places(e.what()); !places.empty()) {
      add(*error, "option", places.front().at("name"));
      add(*error, "options", text_of(places));
    }
    return with_code(error, explain(e).code);
  };
  try {
    throw;
  } catch (const SignatureError& e) {
    kiln_error* const error = make_error(KILN_E_SIGNATURE, e);
    add(*error, "position", std::to_string(e.position()));
    return error;
  } catch (const ShapeError& e) {
    return make_error(KILN_E_SHAPE, e);
  } catch (const TypeError& e) {
    return make_error(KILN_E_TYPE, e);
  } catch (const Stopped& e) {
    return make_error(KILN_E_STOPPED, e);
  } catch (const DeviceError& e) {
    kiln_error* const error = make_error(KILN_E_DEVICE, e);
    if (e.code() != 0) add(*error, "vendor_code", std::to_string(e.code()));
    add(*error, "vendor_name", e.code_name());
    return error;
  } catch (const RankError& e) {
    kiln_error* const error = make_error(KILN_E_RANK, e);
    if (e.rank() >= 0) add(*error, "rank", std::to_string(e.rank()));
    return error;
  } catch (const CacheError& e) {
    return make_error(KILN_E_CACHE, e);
  } catch (const IoError& e) {
    return make_error(KILN_E_IO, e);
  } catch (const CompileError& e) {
    kiln_error* const error = make_error(KILN_E_COMPILE, e);
    add(*error, "diagnostics", text_of(diagnostics_json(e.diagnostics())));
    add(*error, "log", e.log());
    add(*error, "source", e.source());
    add(*error, "target", e.target());
    add(*error, "compiler", e.compiler());
    add(*error, "context", e.context());
    return error;
  } catch (const ArgumentError& e) {
    kiln_error* const error = make_error(KILN_E_ARGUMENT, e);
    if (!e.option().empty()) error->values["option"] = e.option();
    error->values["code"] = "argument";
    return error;
  } catch (const std::bad_alloc&) {
    return with_code(make<kiln_error>(KILN_E_MEMORY, kNoMemory), kMemoryCode);
  } catch (const std::exception& e) {
    return with_code(make<kiln_error>(KILN_E_INTERNAL, std::string("kiln failed: ") + e.what()), explain(e).code);
  } catch (...) {
    return with_code(make<kiln_error>(KILN_E_INTERNAL, "kiln failed: an exception of an unknown type"), "internal");
  }
}

/// The error that stands for those which there is no memory for. It is never released.
kiln_error& no_memory() noexcept {
  // An empty message: a string that is made may need memory.
  alignas(kiln_error) static unsigned char room[sizeof(kiln_error)];
  static kiln_error* const error = [] {
    auto* const made = new (room) kiln_error(KILN_E_MEMORY, std::string());
    made->count.store(1U << 30);
    return made;
  }();
  return *error;
}

}  // namespace

void fail_type(const std::string& message) {
  throw TypeError(message);
}
void fail_shape(const std::string& message) {
  throw ShapeError(message);
}
void fail_device(const std::string& message) {
  throw DeviceError(message);
}
void fail_stopped(const std::string& message) {
  throw Stopped(message);
}
void fail_signature(const std::string& message, const std::string& text, std::size_t position) {
  throw SignatureError(message, text, position);
}

thread_local int CallbackScope::depth = 0;

void CallbackScope::fail() {
  throw ArgumentError("a callback of kiln's called kiln: do it after the call that the callback belongs to", "");
}

kiln_status report(kiln_error** error) noexcept {
  try {
    kiln_error* const made = error_of_current();
    const kiln_status status = made->status;
    error != nullptr ? static_cast<void>(*error = made) : release(made);
    return status;
  } catch (...) {
    if (error != nullptr) *error = &no_memory();
    return KILN_E_MEMORY;
  }
}

}  // namespace kiln::c

using kiln::c::Tag;

namespace {

const kiln_error* valid(const kiln_error* error) noexcept {
  return error != nullptr && error->tag.load(std::memory_order_relaxed) == Tag::error ? error : nullptr;
}

}  // namespace

kiln_status kiln_error_status(const kiln_error* error) noexcept {
  return valid(error) != nullptr ? error->status : KILN_OK;
}

const char* kiln_error_message(const kiln_error* error) noexcept {
  if (valid(error) == nullptr) return "";
  return error->message.empty() && error->status == KILN_E_MEMORY ? kiln::c::kNoMemory : error->message.c_str();
}

const char* kiln_error_get(const kiln_error* error, const char* key) noexcept {
  if (valid(error) == nullptr || key == nullptr) return nullptr;
  if (error == &kiln::c::no_memory()) return std::string_view(key) == "code" ? kiln::c::kMemoryCode : nullptr;
  const auto found = error->values.find(std::string_view(key));
  return found != error->values.end() ? found->second.c_str() : nullptr;
}

void kiln_error_release(kiln_error* error) noexcept {
  kiln::c::release(error);
}

const char* kiln_status_name(kiln_status status) noexcept {
  switch (status) {
    case KILN_OK:
      return "KILN_OK";
    case KILN_E_SIGNATURE:
      return "KILN_E_SIGNATURE";
    case KILN_E_SHAPE:
      return "KILN_E_SHAPE";
    case KILN_E_TYPE:
      return "KILN_E_TYPE";
    case KILN_E_STOPPED:
      return "KILN_E_STOPPED";
    case KILN_E_DEVICE:
      return "KILN_E_DEVICE";
    case KILN_E_CACHE:
      return "KILN_E_CACHE";
    case KILN_E_IO:
      return "KILN_E_IO";
    case KILN_E_COMPILE:
      return "KILN_E_COMPILE";
    case KILN_E_ARGUMENT:
      return "KILN_E_ARGUMENT";
    case KILN_E_MEMORY:
      return "KILN_E_MEMORY";
    case KILN_E_INTERNAL:
      return "KILN_E_INTERNAL";
    case KILN_E_RANK:
      return "KILN_E_RANK";
    default:
      return "unknown";
  }
}
