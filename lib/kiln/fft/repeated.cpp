#include "fft/repeated.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "base/of_thread.hpp"
#include "device/capture.hpp"
#include "fft/factor.hpp"
#include "profiling/call.hpp"

namespace kiln::fft {
namespace {

constexpr std::uintptr_t kAlignment = 64;

/// Lists of one to three numbers, for which memcmp() is far away.
bool equal_lists(const Dims& a, const Dims& b) noexcept {
  const std::size_t count = a.size();
  if (count != b.size()) return false;
  const std::int64_t* const of_a = a.data();
  const std::int64_t* const of_b = b.data();
  for (std::size_t i = 0; i < count; ++i) {
    if (of_a[i] != of_b[i]) return false;
  }
  return true;
}

/// How an array lies, but for where.
struct Lies {
  Shape shape;
  Strides strides;
  DType dtype{};
  std::uintptr_t misaligned = 0;
  detail::Extent bytes;

  explicit Lies(const detail::ArrayRep& rep)
      : shape(rep.shape),
        strides(rep.strides),
        dtype(rep.dtype),
        misaligned(reinterpret_cast<std::uintptr_t>(rep.data) % kAlignment),
        bytes(detail::covered(rep)) {}
  [[nodiscard]] bool is_of(const detail::ArrayRep& rep) const noexcept {
    return rep.on_host && rep.dtype == dtype && equal_lists(rep.shape, shape) && equal_lists(rep.strides, strides) &&
           reinterpret_cast<std::uintptr_t>(rep.data) % kAlignment == misaligned;
  }
};

struct KnownCall {
  const char* name;
  std::optional<std::vector<int>> axes;
  std::optional<std::vector<std::int64_t>> s;
  Norm norm;
  Planning planning;
  Lies in;
  Lies out;
  bool fresh;  // without .out
  bool in_place;
  OneExecution execution;

  template <class T>
  static bool equal(const std::optional<std::vector<T>>& a, const std::optional<std::span<const T>>& b) {
    return a.has_value() == b.has_value() && (!a || std::equal(a->begin(), a->end(), b->begin(), b->end()));
  }
  [[nodiscard]] bool is(const CallKey& key) const {
    return name == key.name && norm == key.norm && planning == key.planning && equal(axes, key.axes) && equal(s, key.s);
  }
  [[nodiscard]] bool is_on(const detail::ArrayRep& a, const Array& result) const {
    if (!in.is_of(a) || result.valid() == fresh) return false;
    if (fresh) return true;
    const detail::ArrayRep& to = *result.rep();
    if (!out.is_of(to) || to.read_only) return false;
    return in_place ? a.data == to.data
                    : a.data + in.bytes.high <= to.data + out.bytes.low || to.data + out.bytes.high <= a.data + in.bytes.low;
  }
};

/// As many as a loop of a program calls in turn.
constexpr std::size_t kMostKnown = 4;

struct KnownCalls {
  std::vector<KnownCall> calls;
  std::size_t next = 0;  ///< to be replaced
  std::size_t last = 0;  ///< that was made
};
thread_local std::optional<OneExecution>* noted = nullptr;

}  // namespace

Array run_repeated(const CallKey& key, const Array& a, const Array& out) {
  KnownCalls& mine = base::of_thread<KnownCalls>();
  if (mine.calls.empty() || !a.valid() || backend::Capture::current() != nullptr || profiling::active() ||
      detail::MappedFile::any_torn()) {
    return {};
  }
  const std::size_t count = mine.calls.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (mine.last + i) % count;
    const KnownCall& call = mine.calls[at];
    if (!call.is(key) || !call.is_on(*a.rep(), out)) continue;
    mine.last = at;
    Array result = out.valid() ? out : detail::allocate_packed(call.out.shape, call.out.dtype, Order::c, true, Device::cpu());
    const OneExecution& execution = call.execution;
    char* const to = result.rep()->data;
    execution.plan->execute(a.rep()->data, to);
    if (execution.factor != 1) multiply_reals(to, execution.reals, execution.single, execution.factor);
    detail::MappedFile::check(*a.rep());
    detail::MappedFile::check(*result.rep());
    return result;
  }
  return {};
}

Remembered::Remembered() noexcept {
  noted = &noted_;
}

Remembered::~Remembered() {
  noted = nullptr;
}

void Remembered::note(OneExecution execution) {
  if (noted == nullptr) return;
  if (*noted) return forget();  // the second one
  *noted = std::move(execution);
}

void Remembered::forget() noexcept {
  if (noted != nullptr) noted->reset();
  noted = nullptr;
}

void Remembered::end(const CallKey& key, const Array& a, const Array& out, const Array& result) {
  if (!noted_ || !a.is_host() || !result.is_host()) return;
  const auto copy_of = [](const auto& span) {
    using T = std::remove_const_t<typename std::remove_cvref_t<decltype(*span)>::element_type>;
    return span ? std::optional(std::vector<T>(span->begin(), span->end())) : std::nullopt;
  };
  KnownCall call{
      key.name,     copy_of(key.axes),         copy_of(key.s),    key.norm, key.planning, Lies(*a.rep()), Lies(*result.rep()),
      !out.valid(), a.data() == result.data(), std::move(*noted_)};
  KnownCalls& known = base::of_thread<KnownCalls>();
  if (known.calls.size() < kMostKnown) {
    known.calls.push_back(std::move(call));
  } else {
    known.calls[known.next++ % kMostKnown] = std::move(call);
  }
}

}  // namespace kiln::fft
