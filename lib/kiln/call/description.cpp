#include "call/description.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "array/access.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "types/value_text.hpp"

namespace kiln::call {
namespace {

/// What arrays are aligned to, as far as kernels ask.
constexpr std::int64_t kBoundary = 64;
/// As many as NumPy's arrays have.
constexpr std::size_t kMaxRank = 64;
/// Room of an operand, so that windows are apart.
constexpr std::uintptr_t kRoom = std::uintptr_t{1} << 45U;
/// A program that makes calls without end must not fill its memory with what it once did.
constexpr std::size_t kMaxReported = 100'000;
/// In front of the value of a constant.
constexpr std::string_view kValue = " = ";

std::string list_text(std::span<const std::int64_t> numbers) {
  std::string text = "[";
  for (const std::int64_t number : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

/// The text of an operand from left to right.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text), rest_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!skip(word)) fail();
  }
  std::int64_t integer() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  Dims list() {
    Dims numbers;
    expect("[");
    while (!skip("]")) {
      if (numbers.size() == kMaxRank)
        throw ShapeError("an array of a manifest has up to " + std::to_string(kMaxRank) + " axes");
      if (!numbers.empty()) {
        expect(",");
        skip(" ");
      }
      numbers.push_back(integer());
    }
    return numbers;
  }
  DType dtype() {
    const std::string_view name = rest_.substr(0, rest_.find_first_of(" ["));
    rest_.remove_prefix(name.size());
    return dtype_from_name(name);
  }
  [[noreturn]] void fail() const {
    throw TypeError("\"" + text_.substr(0, 80) +
                    "\" is no operand: write \"float32\" for a scalar, \"float32 = 0.5\" for a constant, \"float32[3, 4]\" for "
                    "an array, with \"strides [4, 12]\" and "
                    "\"offset 4\" in bytes where it lies in another way");
  }

 private:
  const std::string& text_;
  std::string_view rest_;
};

/// Half of the room of an operand holds the array, whichever way its axes go.
void check_window(const Shape& shape, const Strides& strides, std::int64_t itemsize) {
  auto bytes = static_cast<double>(itemsize);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    bytes += static_cast<double>(std::max<std::int64_t>(shape[d] - 1, 0)) * std::abs(static_cast<double>(strides[d]));
  }
  if (bytes < static_cast<double>(kRoom) / 2) return;
  throw ShapeError("an array of shape " + to_string(shape) + " with strides " + list_text({strides.data(), strides.size()}) +
                   " is too large: up to 16 TiB can be planned");
}

Array read_array(Reader& reader, DType dtype, std::size_t operand, std::span<const Arg> inputs, DeviceKind kind) {
  const Shape shape(reader.list());
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  detail::checked_size(shape, size);
  Strides strides = detail::packed_strides(shape, size, Order::c);
  if (reader.skip(" strides ")) {
    strides = Strides(reader.list());
    if (strides.size() != shape.size()) reader.fail();
  }
  const std::int64_t offset = reader.skip(" offset ") ? reader.integer() : 0;
  if (offset < 0 || offset >= kBoundary) throw ShapeError("an offset is from 0 to " + std::to_string(kBoundary - 1) + " bytes");
  const detail::ArrayRep* same = nullptr;
  if (reader.skip(" of input ")) {
    const std::int64_t input = reader.integer();
    const bool known = input >= 0 && input < static_cast<std::int64_t>(inputs.size());
    const Arg* const arg = known ? &inputs[static_cast<std::size_t>(input)] : nullptr;
    if (arg == nullptr || !arg->is_array()) throw TypeError("there is no array \"input " + std::to_string(input) + "\"");
    same = arg->array().rep().get();
    if (same->shape != shape || itemsize(same->dtype) != itemsize(dtype))
      throw ShapeError("what is in the window of an input has its shape and an element of the same size");
  }
  const bool on_host = reader.skip(" host");
  if (!reader.at_end()) reader.fail();
  check_window(shape, strides, size);
  const Array made =
      in_no_memory(shape, same != nullptr ? same->strides : strides, dtype, operand, Device::of_kind(kind), on_host);
  detail::ArrayRep rep = detail::view_rep(made);
  rep.data = same != nullptr ? same->data : rep.data + offset;
  return detail::make_array(std::move(rep));
}

Arg read_constant(const Reader& reader, DType dtype) {
  alignas(16) std::array<unsigned char, 16> value{};
  if (!read_value(reader.rest(), dtype, value.data())) reader.fail();
  return Arg::of_bytes(dtype, value.data());
}

Arg read_operand(const std::string& text, std::size_t operand, std::span<const Arg> inputs, DeviceKind kind) {
  Reader reader(text);
  const DType dtype = reader.dtype();
  if (reader.at_end()) return Arg::zero(dtype);
  if (reader.skip(kValue)) return read_constant(reader, dtype);
  return read_array(reader, dtype, operand, inputs, kind);
}

Array array_of(const Arg& arg, const char* what) {
  if (!arg.is_array()) throw TypeError(std::string(what) + " is an array: write its shape, as in \"float32[3, 4]\"");
  return arg.array();
}

}  // namespace

std::string text_of(const detail::ArrayRep& rep, const std::string& extra) {
  std::string text = std::string(name(rep.dtype)) + list_text({rep.shape.data(), rep.shape.size()});
  const std::size_t plain = text.size();
  if (!rep.c_contiguous) text += " strides " + list_text({rep.strides.data(), rep.strides.size()});
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(rep.data) % detail::boundary_of(rep));
  if (offset != 0) text += " offset " + std::to_string(offset);
  text += extra;
  // A GPU gets what is packed as it is.
  return rep.on_host && text.size() > plain ? text + " host" : text;
}

std::string scalar_value_text(const Arg& scalar) {
  return std::string(kValue) + value_text(scalar.dtype(), scalar.value());
}

Array in_no_memory(const Shape& shape, const Strides& strides, DType dtype, std::size_t operand, const Device& device,
                   bool on_host) {
  detail::ArrayRep rep;
  rep.data = reinterpret_cast<char*>((operand + 1) * kRoom + kRoom / 2);  // NOLINT(performance-no-int-to-ptr)
  rep.shape = shape;
  rep.strides = strides;
  rep.dtype = dtype;
  rep.on_host = on_host;
  if (!on_host) rep.device = device;
  return detail::make_array(std::move(rep));
}

StandIns::StandIns(const Description& call, DeviceKind kind) {
  for (const std::string& each : call.inputs) args.push_back(read_operand(each, args.size(), {}, kind));
  const std::size_t inputs = args.size() + 1;
  if (!call.where.empty()) where = array_of(read_operand(call.where, args.size(), {}, kind), "the mask");
  for (const std::string& each : call.out) {
    out.push_back(each.empty() ? Array() : array_of(read_operand(each, inputs + out.size(), args, kind), "an output"));
  }
}

void Description::set_axes(const Axes& given) {
  all_axes = given.is_all();
  if (!all_axes) axis.emplace(given.list().begin(), given.list().end());
}

Axes Description::axes_or(const Axes& left_out) const {
  return all_axes ? Axes::all() : axis ? Axes(*axis) : left_out;
}

bool Reported::add(const Description& call) {
  const std::lock_guard lock(mutex_);
  return known_.size() < kMaxReported && known_.insert(call).second;
}

}  // namespace kiln::call
