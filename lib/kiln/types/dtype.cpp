// Tables of the element types: names, sizes, casting and promotion. NumPy's rules; bfloat16 is a floating type like
// float16, with ml_dtypes' safe casts. Where ml_dtypes has no answer, promotion takes the smallest type that holds both.
#include "kiln/dtype.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "base/nearest.hpp"
#include "kiln/error.hpp"
#include "types/each_dtype.hpp"

namespace kiln {
namespace {

constexpr auto kCount = static_cast<std::size_t>(kDTypeCount);

struct Entry {
  DType dtype;
  std::string_view name;
  std::uint8_t size;
  Kind kind;
  bool is_signed;
  std::int16_t digits;
  std::int16_t range;
};

#define KILN_ENTRY(dtype, type, name, npy, kind, is_signed, digits, range) \
  {DType::dtype, name, sizeof(type), Kind::kind, is_signed, digits, range},
constexpr std::array<Entry, kCount> kTable{{KILN_EACH_DTYPE(KILN_ENTRY)}};
#undef KILN_ENTRY

constexpr std::size_t index(DType dtype) {
  return static_cast<std::size_t>(dtype);
}
constexpr const Entry& entry(DType dtype) {
  return kTable[index(dtype)];
}

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (index(kTable[i].dtype) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order());

constexpr bool compute_safe(const Entry& from, const Entry& to) {
  if (from.dtype == to.dtype || from.kind == Kind::boolean) return true;
  if (from.kind > to.kind) return false;
  if (from.kind == Kind::integer && to.kind == Kind::integer) {
    return (to.is_signed || !from.is_signed) && to.digits >= from.digits;
  }
  // NumPy calls 64-bit integers safe in float64 (and complex128) although they are rounded there.
  if (from.kind == Kind::integer && to.digits == 53) return true;
  return to.digits >= from.digits && to.range >= from.range;
}

using BoolTable = std::array<std::array<bool, kCount>, kCount>;
using DTypeTable = std::array<std::array<DType, kCount>, kCount>;

constexpr BoolTable kSafe = [] {
  BoolTable table{};
  for (const Entry& from : kTable) {
    for (const Entry& to : kTable) table[index(from.dtype)][index(to.dtype)] = compute_safe(from, to);
  }
  return table;
}();

// The promoted type is the first of these that both cast to safely.
constexpr std::array<Entry, kCount> kRising = [] {
  std::array<Entry, kCount> entries = kTable;
  std::ranges::sort(entries, {}, [](const Entry& each) { return std::tuple(each.kind, each.size, each.dtype); });
  return entries;
}();

constexpr DTypeTable kPromoted = [] {
  DTypeTable table{};
  for (std::size_t a = 0; a < kCount; ++a) {
    for (std::size_t b = 0; b < kCount; ++b) {
      for (const Entry& candidate : kRising) {
        if (kSafe[a][index(candidate.dtype)] && kSafe[b][index(candidate.dtype)]) {
          table[a][b] = candidate.dtype;
          break;
        }
      }
    }
  }
  return table;
}();

// What people write who come from C++, NumPy or Numba.
constexpr std::array<std::pair<std::string_view, DType>, 30> kForeignNames{
    {{"float", DType::float32},   {"double", DType::float64}, {"half", DType::float16},       {"single", DType::float32},
     {"int", DType::int32},       {"long", DType::int64},     {"short", DType::int16},        {"char", DType::int8},
     {"unsigned", DType::uint32}, {"uint", DType::uint32},    {"complex", DType::complex128}, {"bool_", DType::bool_},
     {"boolean", DType::bool_},   {"byte", DType::uint8},     {"b1", DType::bool_},           {"i1", DType::int8},
     {"i2", DType::int16},        {"i4", DType::int32},       {"i8", DType::int64},           {"u1", DType::uint8},
     {"u2", DType::uint16},       {"u4", DType::uint32},      {"u8", DType::uint64},          {"f2", DType::float16},
     {"f4", DType::float32},      {"f8", DType::float64},     {"c8", DType::complex64},       {"c16", DType::complex128},
     {"intp", DType::int64},      {"uintp", DType::uint64}}};

// Empty where nothing is near.
std::string_view nearest_name(std::string_view unknown) {
  for (const auto& [foreign, dtype] : kForeignNames) {
    if (unknown == foreign) return name(dtype);
  }
  std::array<std::string_view, kCount> names;
  std::ranges::transform(kTable, names.begin(), &Entry::name);
  return base::nearest(unknown, names);
}

}  // namespace

std::size_t itemsize(DType dtype) noexcept {
  return entry(dtype).size;
}
std::string_view name(DType dtype) noexcept {
  return entry(dtype).name;
}
Kind kind(DType dtype) noexcept {
  return entry(dtype).kind;
}
bool is_signed(DType dtype) noexcept {
  return entry(dtype).is_signed;
}

DType dtype_from_name(std::string_view name) {
  for (const Entry& e : kTable) {
    if (e.name == name) return e.dtype;
  }
  constexpr std::size_t kShown = 40;
  std::string message = "unknown dtype \"" + std::string(name.substr(0, kShown)) + (name.size() > kShown ? "…" : "") + "\": ";
  if (const std::string_view nearest = nearest_name(name); !nearest.empty()) {
    message += "did you mean \"" + std::string(nearest) + "\"?";
  } else {
    message += "the dtypes are ";
    for (const Entry& e : kTable) message += (e.dtype == DType::bool_ ? "" : ", ") + std::string(e.name);
  }
  throw TypeError(message);
}

bool can_cast(DType from, DType to, Casting casting) noexcept {
  switch (casting) {
    case Casting::no:
    case Casting::equiv:
      return from == to;
    case Casting::safe:
      return kSafe[index(from)][index(to)];
    case Casting::same_kind: {
      if (kSafe[index(from)][index(to)]) return true;
      const Entry& a = entry(from);
      const Entry& b = entry(to);
      // A signed integer never casts to an unsigned one: NumPy counts them as kinds of their own.
      if (a.kind == Kind::integer && b.kind == Kind::integer) return b.is_signed || !a.is_signed;
      return a.kind <= b.kind;
    }
    case Casting::unsafe:
      return true;
  }
  return false;
}

DType promote(DType a, DType b) noexcept {
  return kPromoted[index(a)][index(b)];
}

std::string_view name(Casting casting) noexcept {
  switch (casting) {
    case Casting::no:
      return "no";
    case Casting::equiv:
      return "equiv";
    case Casting::safe:
      return "safe";
    case Casting::same_kind:
      return "same_kind";
    case Casting::unsafe:
      break;
  }
  return "unsafe";
}

}  // namespace kiln
