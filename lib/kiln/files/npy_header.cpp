// A reader for the one Python literal that stands in a .npy file, {'descr': '<f4', 'fortran_order': False, 'shape': (3,)}:
// any order of keys, any blanks, nothing else.
#include "files/npy_header.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "types/each_dtype.hpp"

namespace kiln::detail {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Descr {
  std::string_view code;
  DType dtype;
};
#define KILN_DESCR(dtype, type, name, npy, ...) {npy, DType::dtype},
constexpr std::array<Descr, kDTypeCount> kDescrs{{KILN_EACH_DTYPE(KILN_DESCR)}};
#undef KILN_DESCR

// What NumPy has no code for, as bfloat16: numpy.save writes ml_dtypes' arrays as '<V2' (plain void of two bytes is '|V2').
constexpr char kNoCode = 'V';

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > kShown ? "…'" : "'");
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {}

  NpyHeader parse() {
    NpyHeader header;
    bool have_descr = false;
    bool have_order = false;
    bool have_shape = false;
    const auto once = [&](bool& have, std::string_view key, std::size_t at) {
      if (have) fail_at("the key " + quoted(key) + " stands twice", at);
      have = true;
    };
    expect('{', "the header is not a dictionary");
    while (!take('}')) {
      const std::size_t at = here();
      const std::string_view key = string("a key");
      expect(':', "':' is missing after the key " + quoted(key));
      if (key == "descr") {
        once(have_descr, key, at);
        descr(header);
      } else if (key == "fortran_order") {
        once(have_order, key, at);
        header.fortran = boolean();
      } else if (key == "shape") {
        once(have_shape, key, at);
        header.shape = tuple();
      } else {
        fail_at("unknown key " + quoted(key), at);
      }
      if (take(',')) continue;
      expect('}', "',' or '}' is missing after the value of " + quoted(key));
      break;
    }
    blanks();
    if (position_ != text_.size()) fail("text after the dictionary");
    if (!have_descr) fail("the key 'descr' is missing");
    if (!have_order) fail("the key 'fortran_order' is missing");
    if (!have_shape) fail("the key 'shape' is missing");
    return header;
  }

 private:
  [[noreturn]] void fail_at(std::string what, std::size_t at) const { throw NpyError{std::move(what), offset_ + at}; }
  [[noreturn]] void fail(std::string what) const { fail_at(std::move(what), position_); }

  void blanks() {
    while (position_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }
  std::size_t here() {
    blanks();
    return position_;
  }
  char peek() {
    blanks();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }
  void expect(char c, const std::string& otherwise) {
    if (!take(c)) fail(otherwise);
  }

  std::string_view string(const std::string& what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(what + " in quotes is missing");
    const std::size_t start = position_ + 1;
    const std::size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) fail("a string is not closed");
    const std::string_view content = text_.substr(start, end - start);
    if (content.find_first_of("\\\n") != std::string_view::npos) fail("a string holds an escape or a line break");
    position_ = end + 1;
    return content;
  }

  bool boolean() {
    blanks();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return word == "True";
      }
    }
    fail("fortran_order is neither True nor False");
  }

  std::int64_t extent() {
    const char sign = peek();
    if (sign == '-') fail("a negative extent in the shape");
    if (sign < '0' || sign > '9') fail("the shape is not a tuple of integers");
    const std::size_t start = position_;
    std::int64_t value = 0;
    for (; position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9'; ++position_) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[position_] - '0'}, &value)) {
        fail_at("an extent in the shape does not fit in 63 bits", start);
      }
    }
    if (text_[start] == '0' && position_ - start > 1) fail_at("a number in the shape starts with 0", start);
    // Python 2 wrote long integers as 3L.
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;
    return value;
  }

  Shape tuple() {
    Shape shape;
    const std::size_t start = here();
    expect('(', "the shape is not a tuple");
    bool comma = true;
    while (!take(')')) {
      if (!comma) fail("',' or ')' is missing in the shape");
      if (shape.size() == kNpyMostAxes) {
        fail("the shape has more than " + std::to_string(kNpyMostAxes) + " axes, the most that NumPy has");
      }
      shape.push_back(extent());
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) fail_at("the shape is a number in parentheses, not a tuple: (n,) has a comma", start);
    return shape;
  }

  void descr(NpyHeader& header) {
    const std::size_t at = here();
    if (peek() == '[') fail("structured dtypes are not supported: save each field as an array of its own");
    const std::string_view text = string("the dtype");
    if (const auto* named = std::ranges::find(kDescrs, text, [](const Descr& each) { return name(each.dtype); });
        named != kDescrs.end() && named->code.starts_with(kNoCode)) {
      header.dtype = named->dtype;
      return;
    }
    const bool has_order = !text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos;
    const char order = has_order ? text[0] : '=';
    const std::string_view code = text.substr(has_order ? 1 : 0);
    const auto* found = std::ranges::find(kDescrs, code, &Descr::code);
    if (found == kDescrs.end() || (code.starts_with(kNoCode) && order != '<')) {
      fail_at(refusal(text, code), at);
    }
    header.dtype = found->dtype;
    header.swapped = order == '>' && itemsize(found->dtype) > 1;
  }

  static std::string refusal(std::string_view text, std::string_view code) {
    const std::string start = "dtype " + quoted(text) + " is not supported: ";
    switch (code.empty() ? '\0' : code[0]) {
      case 'O':
        return start + "Python objects cannot be read";
      case 'S':
      case 'U':
      case 'a':
        return start + "strings are not numbers";
      case 'M':
      case 'm':
        return start + "convert dates and time spans to int64 first";
      case 'V':
        return start + "raw bytes have no type; view them as another dtype before saving";
      default:
        return start +
               "kiln reads bool, integers of 8 to 64 bits, float16 to float64, bfloat16, complex64 and complex128, written as "
               "'<f8' or '|b1' are";
    }
  }

  std::string_view text_;
  std::size_t offset_;
  std::size_t position_ = 0;
};

}  // namespace

NpyPrelude parse_npy_prelude(std::string_view bytes) {
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (i >= bytes.size()) {
      throw NpyError{"the file ends after " + std::to_string(bytes.size()) + " bytes, within the magic string", i};
    }
    if (bytes[i] != kMagic[i]) throw NpyError{"not a .npy file: the magic string \\x93NUMPY is missing", i};
  }
  if (bytes.size() < 8) throw NpyError{"the file ends before its version number", bytes.size()};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned major = byte(6);
  const unsigned minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    throw NpyError{"unknown version " + std::to_string(major) + "." + std::to_string(minor) + ": known are 1.0, 2.0 and 3.0",
                   6};
  }
  const std::size_t field = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + field) throw NpyError{"the file ends within the length of its header", bytes.size()};
  NpyPrelude prelude{8 + field, 0};
  for (std::size_t i = 0; i < field; ++i) prelude.header_length |= static_cast<std::size_t>(byte(8 + i)) << (8 * i);
  if (prelude.header_length > kNpyHeaderMax) {
    throw NpyError{"the header claims " + std::to_string(prelude.header_length) + " bytes, more than the limit of " +
                       std::to_string(kNpyHeaderMax),
                   8};
  }
  return prelude;
}

NpyHeader parse_npy_header(std::string_view text, std::size_t offset) {
  return Parser(text, offset).parse();
}

std::string format_npy_header(DType dtype, bool fortran, const Shape& shape) {
  const std::string_view code = std::ranges::find(kDescrs, dtype, &Descr::dtype)->code;
  std::string header = "{'descr': '";
  header += itemsize(dtype) == 1 ? '|' : '<';
  header += code;
  header += fortran ? "', 'fortran_order': True, 'shape': " : "', 'fortran_order': False, 'shape': ";
  header += to_string(shape) + ", }";
  // NumPy leaves room for the axis along which a file may grow to take up to 21 digits.
  constexpr std::size_t kGrowth = 21;
  if (!shape.empty()) header.append(kGrowth - std::to_string(fortran ? shape.back() : shape[0]).size(), ' ');
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kField = 2;  // enough: 64 extents take less than 2 KiB
  header.append(kAlignment - (8 + kField + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\1';
  bytes += '\0';
  for (std::size_t i = 0; i < kField; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xffU);
  return bytes + header;
}

}  // namespace kiln::detail
