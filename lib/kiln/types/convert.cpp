// One conversion template, and the table of its instances over all pairs of dtypes.
#include "types/convert.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "shared/float_environment.hpp"
#include "shared/half_bits.hpp"
#include "types/each_dtype.hpp"

namespace kiln {
namespace {

template <DType>
struct Storage;
#define KILN_STORAGE(name, type, ...) \
  template <>                         \
  struct Storage<DType::name> {       \
    using Type = type;                \
  };
KILN_EACH_DTYPE(KILN_STORAGE)
#undef KILN_STORAGE

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool kIsHalf = is_half(dtype_of<T>);

// What a stored value is computed with: halves as float.
template <class T>
inline auto widen(T v) {
  if constexpr (std::is_same_v<T, float16>) {
    return detail::float_from_half_bits(v.bits);
  } else if constexpr (kIsHalf<T>) {
    return detail::float_from_bfloat_bits(v.bits);
  } else {
    return v;
  }
}

// Float to integer with the ends of the range instead of undefined behaviour. 2^digits is exact in every float type here.
template <class To, class From>
inline To saturate(From v) {
  constexpr From kAbove = static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * From{2};
  constexpr From kBelow = std::is_signed_v<To> ? -kAbove : From{0};
  if (v >= kAbove) return std::numeric_limits<To>::max();
  if (v <= kBelow) return std::numeric_limits<To>::min();
  return v == v ? static_cast<To>(v) : To{0};
}

template <class To, class From>
inline To convert_value(From stored) {
  if constexpr (std::is_same_v<To, From>) {
    return stored;
  } else if constexpr (kIsHalf<From>) {
    return convert_value<To>(widen(stored));
  } else if constexpr (std::is_same_v<To, bool>) {
    return stored != From{};
  } else if constexpr (kIsComplex<To> && kIsComplex<From>) {
    using Part = typename To::value_type;
    return To(static_cast<Part>(stored.real()), static_cast<Part>(stored.imag()));
  } else if constexpr (kIsComplex<From>) {
    return convert_value<To>(stored.real());
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(stored));
  } else if constexpr (kIsHalf<To>) {
    constexpr bool kHalf = std::is_same_v<To, float16>;
    // Integers of up to 24 bits are exact in float; wider ones go through double, rounded to odd where 53 bits do not do.
    if constexpr (std::is_same_v<From, float> || (std::is_integral_v<From> && sizeof(From) <= 2)) {
      const auto v = static_cast<float>(stored);
      return To::from_bits(kHalf ? detail::half_bits_from_float(v) : detail::bfloat_bits_from_float(v));
    } else {
      double v = 0;
      if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
        // The low 10 bits only decide ties here: fold them into one sticky bit, so that the double is exact.
        const bool negative = stored < From{0};
        const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(stored) : static_cast<std::uint64_t>(stored);
        const std::uint64_t sticky =
            magnitude >> 53 != 0 ? (magnitude & ~std::uint64_t{0xfff}) | ((magnitude & 0xfff) != 0 ? 0x1000U : 0U) : magnitude;
        v = static_cast<double>(sticky);
        if (negative) v = -v;
      } else {
        v = static_cast<double>(stored);
      }
      return To::from_bits(kHalf ? detail::half_bits_from_double(v) : detail::bfloat_bits_from_double(v));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturate<To>(stored);
  } else {
    return static_cast<To>(stored);
  }
}

// A bool is read as a byte: one that is neither 0 nor 1 must not reach a C++ bool.
template <class T>
inline T load(const char* address) {
  if constexpr (std::is_same_v<T, bool>) {
    return *address != 0;
  } else {
    T value;
    std::memcpy(&value, address, sizeof value);
    return value;
  }
}

template <class T>
inline void store(char* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

template <class From, class To>
void convert_elements(const char* from, std::ptrdiff_t from_stride, char* to, std::ptrdiff_t to_stride, std::ptrdiff_t count) {
  constexpr auto kFrom = static_cast<std::ptrdiff_t>(sizeof(From));
  constexpr auto kTo = static_cast<std::ptrdiff_t>(sizeof(To));
  if (from_stride == kFrom && to_stride == kTo) {
    for (std::ptrdiff_t i = 0; i < count; ++i) store(to + i * kTo, convert_value<To>(load<From>(from + i * kFrom)));
    return;
  }
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    store(to, convert_value<To>(load<From>(from)));
    from += from_stride;
    to += to_stride;
  }
}

template <std::size_t Size>
void copy_elements(const char* from, std::ptrdiff_t from_stride, char* to, std::ptrdiff_t to_stride, std::ptrdiff_t count) {
  constexpr auto kSize = static_cast<std::ptrdiff_t>(Size);
  if (from_stride == kSize && to_stride == kSize) {
    std::memmove(to, from, static_cast<std::size_t>(count) * Size);
    return;
  }
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    char value[Size];
    std::memcpy(value, from, Size);
    std::memcpy(to, value, Size);
    from += from_stride;
    to += to_stride;
  }
}

constexpr auto kDTypes = static_cast<std::size_t>(kDTypeCount);

template <std::size_t Pair>
constexpr ConvertLoop instance() {
  constexpr auto kFrom = static_cast<DType>(Pair / kDTypes);
  constexpr auto kTo = static_cast<DType>(Pair % kDTypes);
  using From = typename Storage<kFrom>::Type;
  using To = typename Storage<kTo>::Type;
  if constexpr (kFrom == kTo) {
    return &copy_elements<sizeof(To)>;
  } else {
    return &convert_elements<From, To>;
  }
}

template <std::size_t... Pairs>
constexpr std::array<ConvertLoop, sizeof...(Pairs)> instances(std::index_sequence<Pairs...>) {
  return {instance<Pairs>()...};
}

constexpr auto kLoops = instances(std::make_index_sequence<kDTypes * kDTypes>());

template <class T>
bool in_range(bool negative, std::uint64_t magnitude) {
  const auto max = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (!negative) return magnitude <= max;
  return std::is_signed_v<T> && magnitude <= max + 1;
}

}  // namespace

void convert_scalar(DType from, const void* src, DType to, void* dst) noexcept {
  const base::DefaultFloatEnvironment floats;
  convert_loop(from, to)(static_cast<const char*>(src), 0, static_cast<char*>(dst), 0, 1);
}

ConvertLoop convert_loop(DType from, DType to) noexcept {
  return kLoops[static_cast<std::size_t>(from) * kDTypes + static_cast<std::size_t>(to)];
}

std::string integer_text(DType from, const void* value) {
  if (!is_signed(from)) {
    std::uint64_t number = 0;
    convert_scalar(from, value, DType::uint64, &number);
    return std::to_string(number);
  }
  std::int64_t number = 0;
  convert_scalar(from, value, DType::int64, &number);
  return std::to_string(number);
}

bool float_fits(DType from, const void* value, DType to) noexcept {
  double number = 0;
  convert_scalar(from, value, DType::float64, &number);
  const int bits = 8 * static_cast<int>(itemsize(to)) - (is_signed(to) ? 1 : 0);
  const double end = std::ldexp(1.0, bits);  // the first number beyond, which a double holds, as it does not the last within
  const double whole = std::trunc(number);
  return whole < end && whole >= (is_signed(to) ? -end : 0.0);
}

bool integer_fits(DType from, const void* value, DType to) noexcept {
  std::uint64_t bits = 0;
  convert_scalar(from, value, is_signed(from) ? DType::int64 : DType::uint64, &bits);
  const bool negative = is_signed(from) && static_cast<std::int64_t>(bits) < 0;
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  return with_type(to, [&]<class To>(To*) {
    if constexpr (std::is_same_v<To, bool>) {
      return !negative && magnitude <= 1;
    } else if constexpr (std::is_integral_v<To>) {
      return in_range<To>(negative, magnitude);
    } else {
      return true;
    }
  });
}

}  // namespace kiln
