// The C interface for tests in C++: handles that release themselves, and errors as exceptions.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "kiln/array.hpp"
#include "kiln/c/kiln.h"

namespace conformance {

/// DLPack's structs, by their published layout.
struct DlTensor {
  void* data = nullptr;
  kiln_device device{KILN_CPU, 0};
  std::int32_t ndim = 0;
  kiln_dtype dtype{KILN_FLOAT, 64, 1};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};
struct DlManaged {
  std::uint32_t major = 1;
  std::uint32_t minor = 3;
  void* context = nullptr;
  void (*deleter)(DLManagedTensorVersioned*) = nullptr;
  std::uint64_t flags = 0;
  DlTensor tensor;
};

template <auto release>
struct Releases {
  template <class T>
  void operator()(T* handle) const {
    release(handle);
  }
};
using CArray = std::unique_ptr<kiln_array, Releases<kiln_array_release>>;
using CFunction = std::unique_ptr<kiln_function, Releases<kiln_function_release>>;
using CStream = std::unique_ptr<kiln_stream, Releases<kiln_stream_release>>;
using CEvent = std::unique_ptr<kiln_event, Releases<kiln_event_release>>;
using CStop = std::unique_ptr<kiln_stop, Releases<kiln_stop_release>>;
using CGraph = std::unique_ptr<kiln_graph, Releases<kiln_graph_release>>;
using CCache = std::unique_ptr<kiln_cache, Releases<kiln_cache_release>>;
using CText = std::unique_ptr<kiln_text, Releases<kiln_text_release>>;
using CError = std::unique_ptr<kiln_error, Releases<kiln_error_release>>;

inline void check(kiln_status status) {
  if (status != KILN_OK) throw std::runtime_error(std::string("a function of C failed: ") + kiln_status_name(status));
}

/// Throws the exception that C++ throws for the error, which is released.
[[noreturn]] void rethrow(kiln_error* error);

kiln_dtype c_dtype(kiln::DType dtype);
kiln_device c_device(const kiln::Device& device);
/// The same array as a handle of C, and back: by DLPack, which shares the memory.
CArray c_array(const kiln::Array& array);
kiln::Array cpp_array(const kiln_array* array);

inline std::string string_of(const CText& text) {
  std::size_t length = 0;
  const char* const data = kiln_text_data(text.get(), &length);
  return {data, length};
}

}  // namespace conformance
