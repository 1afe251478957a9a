// Arrays as text, after numpy's array2string: rows of aligned words within 75 columns, summarized beyond 1000 elements.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "kiln/array.hpp"
#include "print/number_format.hpp"
#include "shared/float_environment.hpp"

namespace kiln {
namespace {

constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdge = 3;
constexpr std::size_t kLineWidth = 75;
// Brackets are set by recursion, and each axis takes a column of the line.
constexpr std::size_t kMostAxes = 64;

bool shortened(std::int64_t extent, bool summarized) {
  return summarized && extent > 2 * kEdge;
}

// The elements that will be printed, in that order. Of a summarized array only its corners are fetched.
template <class T>
void collect(const Array& array, bool summarized, std::vector<T>& values) {
  const bool cut = !array.shape().empty() && shortened(array.shape()[0], summarized);
  if (!summarized || array.ndim() == 0 || (array.ndim() == 1 && !cut)) {
    const std::vector<T> part = array.to_vector<T>();
    values.insert(values.end(), part.begin(), part.end());
    return;
  }
  if (array.ndim() == 1) {
    collect(array[{Slice{.stop = kEdge}}], summarized, values);
    collect(array[{Slice{.start = -kEdge}}], summarized, values);
    return;
  }
  for (std::int64_t i = 0; i < array.shape()[0]; ++i) {
    if (cut && i == kEdge) i = array.shape()[0] - kEdge;
    collect(array[{i}], summarized, values);
  }
}

template <class T>
std::vector<T> collect(const Array& array, bool summarized) {
  std::vector<T> values;
  collect(array, summarized, values);
  return values;
}

template <class T>
std::vector<std::string> integer_words(const std::vector<T>& values) {
  std::vector<std::string> words;
  std::size_t width = 0;
  for (const T value : values) {
    words.push_back(std::to_string(value));
    width = std::max(width, words.back().size());
  }
  for (std::string& word : words) word.insert(0, width - word.size(), ' ');
  return words;
}

std::vector<std::string> complex_words(const std::vector<std::complex<double>>& values, DType dtype) {
  std::vector<double> real;
  std::vector<double> imaginary;
  for (const auto& value : values) {
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  }
  const detail::FloatFormat real_format(real, dtype, false);
  const detail::FloatFormat imaginary_format(imaginary, dtype, true);
  std::vector<std::string> words;
  for (const auto& value : values) {
    std::string text = imaginary_format(value.imag());
    text.insert(text.find_last_not_of(' ') + 1, 1, 'j');
    words.push_back(real_format(value.real()) + text);
  }
  return words;
}

std::vector<std::string> words_of(const Array& array, bool summarized) {
  switch (kind(array.dtype())) {
    case Kind::boolean: {
      std::vector<std::string> words;
      for (const std::uint8_t value : collect<std::uint8_t>(array, summarized)) words.emplace_back(value ? " True" : "False");
      return words;
    }
    case Kind::integer:
      return is_signed(array.dtype()) ? integer_words(collect<std::int64_t>(array, summarized))
                                      : integer_words(collect<std::uint64_t>(array, summarized));
    case Kind::floating: {
      const std::vector<double> values = collect<double>(array, summarized);
      const detail::FloatFormat format(values, array.dtype(), false);
      std::vector<std::string> words;
      for (const double value : values) words.push_back(format(value));
      return words;
    }
    case Kind::complex:
      break;
  }
  return complex_words(collect<std::complex<double>>(array, summarized), array.dtype());
}

std::string scalar_word(const Array& array) {
  switch (kind(array.dtype())) {
    case Kind::boolean:
      return array.item<bool>() ? "True" : "False";
    case Kind::integer:
      return is_signed(array.dtype()) ? std::to_string(array.item<std::int64_t>())
                                      : std::to_string(array.item<std::uint64_t>());
    case Kind::floating:
      return detail::scalar_text(array.item<double>(), array.dtype());
    case Kind::complex:
      break;
  }
  return detail::scalar_text(array.item<std::complex<double>>(), array.dtype());
}

// Sets the words of one array into brackets and lines. The words come in the order in which they are printed.
class Typesetter {
 public:
  Typesetter(const Shape& shape, bool summarized, const std::vector<std::string>& words)
      : shape_(shape), summarized_(summarized), next_(words.begin()) {}

  // `indent` is what stands before a continued line, `width` what a line may take.
  std::string block(std::size_t axis, const std::string& indent, std::size_t width) {
    const bool last = axis + 1 == shape_.size();
    std::string text = last ? row(axis, indent, width) : rows(axis, indent, width);
    return '[' + text.substr(indent.size()) + ']';
  }

 private:
  std::string row(std::size_t axis, const std::string& indent, std::size_t width) {
    const std::int64_t extent = shape_[axis];
    std::string done;
    std::string line = indent;
    for (std::int64_t i = 0; i < extent; ++i) {
      if (i > 0) line += ' ';
      if (i == kEdge && shortened(extent, summarized_)) {
        append(done, line, "...", indent, width - 1);
        line += ' ';
        i = extent - kEdge;
      }
      append(done, line, *next_++, indent, width - 1);
    }
    return done + line;
  }

  static void append(std::string& done, std::string& line, const std::string& word, const std::string& indent,
                     std::size_t width) {
    if (line.size() + word.size() > width && line.size() > indent.size()) {
      done += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      line = indent;
    }
    line += word;
  }

  std::string rows(std::size_t axis, const std::string& indent, std::size_t width) {
    const std::int64_t extent = shape_[axis];
    const std::string separator(shape_.size() - axis - 1, '\n');
    std::string text;
    for (std::int64_t i = 0; i < extent; ++i) {
      if (i > 0) text += separator;
      if (i == kEdge && shortened(extent, summarized_)) {
        text += indent + "..." + separator;
        i = extent - kEdge;
      }
      text += indent + block(axis + 1, indent + ' ', width - 1);
    }
    return text;
  }

  const Shape& shape_;
  bool summarized_;
  std::vector<std::string>::const_iterator next_;
};

// An array of many axes has extent 1 along most of them: 2^63 bytes leave room for 62 others.
Array without_single_extents(const Array& array) {
  std::vector<Index> index;
  for (const std::int64_t extent : array.shape()) index.push_back(extent == 1 ? Index(0) : Index(all));
  return array.slice(index);
}

}  // namespace

std::string to_string(const Array& array) {
  const base::DefaultFloatEnvironment floats;
  if (array.shape().size() > kMostAxes) return array.size() == 0 ? "[]" : to_string(without_single_extents(array));
  if (array.ndim() == 0) return scalar_word(array);
  if (array.size() == 0) return "[]";
  const bool summarized = array.size() > kThreshold;
  const std::vector<std::string> words = words_of(array, summarized);
  return Typesetter(array.shape(), summarized, words).block(0, " ", kLineWidth);
}

std::ostream& operator<<(std::ostream& stream, const Array& array) {
  return stream << to_string(array);
}

}  // namespace kiln
