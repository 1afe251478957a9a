// The structures of DLPack 1.3, of which kiln needs no header.
#pragma once
#include "python.hpp"

namespace kiln::python::dlpack {

struct Tensor {
  void* data;
  kiln_device device;
  std::int32_t ndim;
  kiln_dtype dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct ManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};
inline constexpr std::uint64_t kReadOnly = 1;

struct ExchangeHeader {
  std::uint32_t major, minor;
  ExchangeHeader* previous;
};

struct Exchange {
  ExchangeHeader header;
  int (*allocate)(Tensor*, ManagedVersioned**, void*, void (*)(void*, const char*, const char*));
  int (*from_object)(void*, ManagedVersioned**);
  int (*to_object)(ManagedVersioned*, void**);
  int (*borrow)(void*, Tensor*);
  int (*current_stream)(std::int32_t, std::int32_t, void**);
};

}  // namespace kiln::python::dlpack
