// cuFFT and hipFFT for tests, as far as kiln calls them: over memory of the host, which is what libkiln-emulator.so hands out,
// by the definition of the transform in long double. It waits for the stream, computes, and does to its caller what the real
// ones may: it overwrites the work area, and the input of a complex-to-real transform.
//
// KILN_CUFFT and KILN_HIPFFT name this library. The driver whose streams it waits for is that of KILN_CUDA,
// KILN_HIP_OVER_CUDA_DRIVER or KILN_EMULATOR.
#include <dlfcn.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

namespace {

using Status = int;
constexpr Status kSuccess = 0, kInvalidPlan = 1, kInvalidValue = 4, kInvalidSize = 8, kNoWorkspace = 13, kNotImplemented = 14;
constexpr int kComplex = 0x29, kToComplex = 0x2a, kToReal = 0x2c, kDouble = 0x40;
constexpr std::size_t kWorkBytes = 512;

using Integer = long long;
using Value = std::complex<long double>;

struct Side {
  std::array<Integer, 3> embed{1, 1, 1};
  Integer stride = 1;
  Integer distance = 1;
};
struct Plan {
  int rank = 0;
  std::array<Integer, 3> n{1, 1, 1};
  Side in, out;
  int type = 0;
  Integer batch = 0;
  bool allocates = true;
  void* stream = nullptr;
  char* work = nullptr;
};

std::mutex mutex;
std::map<std::uintptr_t, Plan> plans;
std::uintptr_t next_plan = 1;

Status wait_for(void* stream) {
  using Synchronize = int (*)(void*);
  static const Synchronize synchronize = [] {
    for (const char* variable : {"KILN_CUDA", "KILN_HIP_OVER_CUDA_DRIVER", "KILN_EMULATOR"}) {
      const char* const file = std::getenv(variable);
      if (file == nullptr) continue;
      if (void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
        return reinterpret_cast<Synchronize>(dlsym(library, "cuStreamSynchronize"));
      }
    }
    return static_cast<Synchronize>(nullptr);
  }();
  return synchronize == nullptr ? 7 : synchronize(stream);
}

/// Where element `index` of one transform is, in elements.
Integer offset(const Side& side, int rank, const std::array<Integer, 3>& index) {
  Integer at = 0;
  for (int axis = 0; axis < rank; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    at = (axis == 0 ? 0 : at * side.embed[a]) + index[a];
  }
  return at * side.stride;
}

template <class Body>
void for_each_index(int rank, const std::array<Integer, 3>& extents, Body body) {
  std::array<Integer, 3> index{};
  while (true) {
    body(index);
    int axis = rank;
    while (axis > 0) {
      const auto a = static_cast<std::size_t>(axis - 1);
      if (++index[a] < extents[a]) break;
      index[a] = 0;
      --axis;
    }
    if (axis == 0) return;
  }
}

/// Along one axis of `data`, in C order.
void transform_axis(std::vector<Value>& data, const std::array<Integer, 3>& extents, int rank, int axis, int sign) {
  const auto n = static_cast<std::size_t>(extents[static_cast<std::size_t>(axis)]);
  std::size_t step = 1;
  for (int a = axis + 1; a < rank; ++a) step *= static_cast<std::size_t>(extents[static_cast<std::size_t>(a)]);
  std::vector<Value> roots(n), line(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  for (std::size_t begin = 0; begin < data.size(); ++begin) {
    if (begin / step % n != 0) continue;
    for (std::size_t k = 0; k < n; ++k) {
      line[k] = 0;
      for (std::size_t j = 0; j < n; ++j) line[k] += data[begin + j * step] * roots[j * k % n];
    }
    for (std::size_t k = 0; k < n; ++k) data[begin + k * step] = line[k];
  }
}

template <class Real>
void transform(const Plan& plan, void* in, void* out, int sign) {
  const int kind = plan.type & ~kDouble;
  const auto last = static_cast<std::size_t>(plan.rank - 1);
  std::array<Integer, 3> half = plan.n;
  half[last] = plan.n[last] / 2 + 1;
  std::vector<Value> data;
  for (Integer b = 0; b < plan.batch; ++b) {
    data.clear();
    for_each_index(plan.rank, plan.n, [&](std::array<Integer, 3> index) {
      if (kind == kToComplex) {
        data.emplace_back(static_cast<Real*>(in)[b * plan.in.distance + offset(plan.in, plan.rank, index)]);
        return;
      }
      const bool mirrored = kind == kToReal && index[last] >= half[last];
      if (mirrored) index[last] = plan.n[last] - index[last];
      const auto z = static_cast<std::complex<Real>*>(in)[b * plan.in.distance + offset(plan.in, plan.rank, index)];
      data.emplace_back(z.real(), mirrored ? -z.imag() : z.imag());
    });
    for (int axis = 0; axis < plan.rank; ++axis) transform_axis(data, plan.n, plan.rank, axis, kind == kToReal ? 1 : sign);
    std::size_t at = 0;
    for_each_index(plan.rank, plan.n, [&](const std::array<Integer, 3>& index) {
      const Value value = data[at++];
      if (kind == kToComplex && index[last] >= half[last]) return;
      const Integer to = b * plan.out.distance + offset(plan.out, plan.rank, index);
      if (kind == kToReal) {
        static_cast<Real*>(out)[to] = static_cast<Real>(value.real());
      } else {
        static_cast<std::complex<Real>*>(out)[to] = {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
      }
    });
    if (kind != kToReal || in == out) continue;
    for_each_index(plan.rank, half, [&](const std::array<Integer, 3>& index) {
      static_cast<std::complex<Real>*>(in)[b * plan.in.distance + offset(plan.in, plan.rank, index)] = {Real(-7), Real(-7)};
    });
  }
}

Status execute(std::uintptr_t number, int type, void* in, void* out, int sign) {
  const std::lock_guard guard(mutex);
  const auto at = plans.find(number);
  if (at == plans.end() || at->second.type != type) return kInvalidPlan;
  const Plan& plan = at->second;
  if (in == nullptr || out == nullptr) return kInvalidValue;
  // Real numbers begin where a complex number could, as cuFFT wants it.
  const std::uintptr_t complex_bytes = (type & kDouble) != 0 ? 16 : 8;
  const int form = type & ~kDouble;
  const void* const reals = form == kToComplex ? in : form == kToReal ? out : nullptr;
  if (reinterpret_cast<std::uintptr_t>(reals) % complex_bytes != 0) return kInvalidValue;
  if (plan.work == nullptr) return kNoWorkspace;
  if (const Status status = wait_for(plan.stream); status != 0) return status;
  std::memset(plan.work, 0xA5, kWorkBytes);
  if ((type & kDouble) != 0) {
    transform<double>(plan, in, out, sign);
  } else {
    transform<float>(plan, in, out, sign);
  }
  return kSuccess;
}

Status make(std::uintptr_t number, int rank, const Integer* n, const Integer* in_embed, Integer in_stride, Integer in_distance,
            const Integer* out_embed, Integer out_stride, Integer out_distance, int type, Integer batch, std::size_t* bytes) {
  const std::lock_guard guard(mutex);
  const auto at = plans.find(number);
  if (at == plans.end()) return kInvalidPlan;
  if (rank < 1 || rank > 3 || batch < 1) return kInvalidSize;
  if (in_stride < 1 || out_stride < 1 || in_distance < 1 || out_distance < 1) return kInvalidValue;
  if (rank > 1 && (type & ~kDouble) == kToReal) return kNotImplemented;  // kiln wants none
  Plan& plan = at->second;
  if (plan.allocates) return kNotImplemented;  // nor memory that it does not know of
  plan.rank = rank;
  for (int axis = 0; axis < rank; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (n[a] < 1) return kInvalidSize;
    plan.n[a] = n[a];
    plan.in.embed[a] = in_embed[a];
    plan.out.embed[a] = out_embed[a];
  }
  plan.in.stride = in_stride;
  plan.in.distance = in_distance;
  plan.out.stride = out_stride;
  plan.out.distance = out_distance;
  plan.type = type;
  plan.batch = batch;
  *bytes = kWorkBytes;
  return kSuccess;
}

template <class Change>
Status change(std::uintptr_t number, Change change) {
  const std::lock_guard guard(mutex);
  const auto at = plans.find(number);
  if (at == plans.end()) return kInvalidPlan;
  change(at->second);
  return kSuccess;
}

std::uintptr_t create() {
  const std::lock_guard guard(mutex);
  plans.emplace(next_plan, Plan{});
  return next_plan++;
}

Status destroy(std::uintptr_t number) {
  const std::lock_guard guard(mutex);
  return plans.erase(number) == 1 ? kSuccess : kInvalidPlan;
}

}  // namespace

// The same calls under both names: Handle is what the vendor's plans are, a type.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FFT_CALLS(prefix, Handle)                                                                                             \
  extern "C" Status prefix##Create(Handle* plan) {                                                                            \
    *plan = static_cast<Handle>(create());                                                                                    \
    return kSuccess;                                                                                                          \
  }                                                                                                                           \
  extern "C" Status prefix##Destroy(Handle plan) {                                                                            \
    return destroy(static_cast<std::uintptr_t>(plan));                                                                        \
  }                                                                                                                           \
  extern "C" Status prefix##SetAutoAllocation(Handle plan, int allocate) {                                                    \
    return change(static_cast<std::uintptr_t>(plan), [&](Plan& changed) { changed.allocates = allocate != 0; });              \
  }                                                                                                                           \
  extern "C" Status prefix##SetWorkArea(Handle plan, void* memory) {                                                          \
    return change(static_cast<std::uintptr_t>(plan), [&](Plan& changed) { changed.work = static_cast<char*>(memory); });      \
  }                                                                                                                           \
  extern "C" Status prefix##SetStream(Handle plan, void* stream) {                                                            \
    return change(static_cast<std::uintptr_t>(plan), [&](Plan& changed) { changed.stream = stream; });                        \
  }                                                                                                                           \
  extern "C" Status prefix##MakePlanMany64(Handle plan, int rank, Integer* n, Integer* in_embed, Integer in_stride,           \
                                           Integer in_distance, Integer* out_embed, Integer out_stride, Integer out_distance, \
                                           int type, Integer batch, std::size_t* bytes) {                                     \
    return make(static_cast<std::uintptr_t>(plan), rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,          \
                out_distance, type, batch, bytes);                                                                            \
  }                                                                                                                           \
  extern "C" Status prefix##ExecC2C(Handle plan, void* in, void* out, int sign) {                                             \
    return execute(static_cast<std::uintptr_t>(plan), kComplex, in, out, sign);                                               \
  }                                                                                                                           \
  extern "C" Status prefix##ExecZ2Z(Handle plan, void* in, void* out, int sign) {                                             \
    return execute(static_cast<std::uintptr_t>(plan), kComplex | kDouble, in, out, sign);                                     \
  }                                                                                                                           \
  extern "C" Status prefix##ExecR2C(Handle plan, void* in, void* out) {                                                       \
    return execute(static_cast<std::uintptr_t>(plan), kToComplex, in, out, -1);                                               \
  }                                                                                                                           \
  extern "C" Status prefix##ExecD2Z(Handle plan, void* in, void* out) {                                                       \
    return execute(static_cast<std::uintptr_t>(plan), kToComplex | kDouble, in, out, -1);                                     \
  }                                                                                                                           \
  extern "C" Status prefix##ExecC2R(Handle plan, void* in, void* out) {                                                       \
    return execute(static_cast<std::uintptr_t>(plan), kToReal, in, out, 1);                                                   \
  }                                                                                                                           \
  extern "C" Status prefix##ExecZ2D(Handle plan, void* in, void* out) {                                                       \
    return execute(static_cast<std::uintptr_t>(plan), kToReal | kDouble, in, out, 1);                                         \
  }

// NOLINTEND(bugprone-macro-parentheses)

FFT_CALLS(cufft, int)
FFT_CALLS(hipfft, std::uintptr_t)
