// The operands of a C call as those of a C++ call, on the stack: nothing is allocated for a few operands of few axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array_ref.hpp"
#include "kiln/c/kiln.h"
#include "kiln/event.hpp"
#include "kiln/stream.hpp"

namespace kiln::c {

/// A list of a size that is known at its beginning: the first N stand in place.
template <class T, std::size_t N>
class FixedList {
 public:
  explicit FixedList(std::size_t capacity) {
    if (capacity > N) more_.reset(static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t(alignof(T)))));
  }
  FixedList(const FixedList&) = delete;
  FixedList& operator=(const FixedList&) = delete;
  ~FixedList() { std::destroy_n(data(), size_); }

  template <class... Args>
  T& add(Args&&... args) {
    T* const made = std::construct_at(data() + size_, std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  [[nodiscard]] T* data() noexcept { return more_ != nullptr ? more_.get() : reinterpret_cast<T*>(room_); }
  [[nodiscard]] std::span<T> all() noexcept { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { ::operator delete(memory, std::align_val_t(alignof(T))); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T, Free> more_;
  alignas(T) unsigned char room_[N * sizeof(T)];  // stays uninitialized
};

class Operands {
 public:
  /// Reads the operands of a call on `stream`. Throws ArgumentError, ShapeError, TypeError or DeviceError with the operand's
  /// name.
  Operands(const kiln_arg* outputs, std::size_t nout, const kiln_arg* inputs, std::size_t nin, const kiln_arg* where,
           const kiln_stream* stream);

  [[nodiscard]] std::span<const Arg> inputs() noexcept { return inputs_.all(); }
  [[nodiscard]] std::span<const ArrayArg> outputs() noexcept { return outputs_.all(); }
  [[nodiscard]] ArrayArg where() noexcept { return where_.all().empty() ? ArrayArg() : where_.all()[0]; }
  /// Returns true if an output is to be made.
  [[nodiscard]] bool fresh() const noexcept { return fresh_; }
  /// Returns the outputs as an option of a call: none if all are to be made.
  [[nodiscard]] Outputs out() noexcept { return given_ ? Outputs::refer_to(outputs()) : Outputs(); }

 private:
  static constexpr std::size_t kInline = 8;
  static constexpr std::size_t kInlineStrides = 40;

  void add_input(const kiln_arg& arg, std::size_t number);
  void add_output(const kiln_arg& arg, std::size_t number);
  template <class List>
  void add_array(List& list, const kiln_arg& arg, const char* what);
  const ArrayRef& tensor_ref(const void* tensor, const kiln_arg& arg, const char* what);
  const ArrayRef& memory_ref(const kiln_array_info* info, const kiln_arg& arg, const char* what);
  [[nodiscard]] std::int64_t* strides(std::size_t count);
  [[nodiscard]] const Event* event_of(const kiln_arg& arg);
  void wait_for(const kiln_arg& arg, const Array& array);

  const kiln_stream* stream_;
  FixedList<ArrayRef, kInline> refs_;
  FixedList<Arg, kInline> inputs_;
  FixedList<ArrayArg, kInline> outputs_;
  FixedList<ArrayArg, 1> where_{1};
  bool fresh_ = false;
  bool given_ = false;
  std::size_t strides_used_ = 0;
  /// What few calls need.
  struct More {
    std::vector<std::unique_ptr<std::int64_t[]>> strides;
    std::vector<std::pair<const kiln_stream*, std::unique_ptr<Event>>> events;
  };
  [[nodiscard]] More& more();
  std::unique_ptr<More> more_;
  std::int64_t strides_[kInlineStrides];  // stays uninitialized
};

/// Returns a scalar. Throws ArgumentError for anything else.
[[nodiscard]] Arg scalar_of(const kiln_arg& arg, const char* what);

/// Returns an operand as an array, once its elements are ready. Throws ArgumentError for a scalar or nothing.
[[nodiscard]] Array array_of(const kiln_arg& arg, const char* what);

/// Fills a fresh `ref` with the memory that a caller describes.
void describe(const kiln_array_info& info, ArrayRef& ref, const char* what);

/// The bytes that kiln_array_info has had since it exists.
inline constexpr std::size_t kArrayInfoBytes = sizeof(kiln_array_info);

}  // namespace kiln::c
