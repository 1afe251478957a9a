// The truth of arrays: of one element, of all and of any.
#include <algorithm>
#include <cstdint>
#include <string>

#include "array/access.hpp"
#include "array/mapped_file.hpp"
#include "array/on_device.hpp"
#include "array/rep.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace detail {
namespace {

/// Up to here a copy from a GPU takes less time than a kernel and its result.
constexpr std::int64_t kFetchedBytes = 65536;

/// Elements in any order, since the question has none.
class Search {
 public:
  Search(const ArrayRep& rep, bool wanted)
      : rep_(rep),
        wanted_(wanted),
        item_(static_cast<std::int64_t>(itemsize(rep.dtype))),
        loop_(convert_loop(rep.dtype, DType::bool_)) {}

  [[nodiscard]] bool found() const {
    if (rep_.size == 0) return false;
    return rep_.c_contiguous || rep_.f_contiguous ? in_row(rep_.data, item_, rep_.size) : along(0, rep_.data);
  }

 private:
  [[nodiscard]] bool along(std::size_t axis, const char* data) const {
    if (axis + 1 == rep_.shape.size()) return in_row(data, rep_.strides[axis], rep_.shape[axis]);
    for (std::int64_t i = 0; i < rep_.shape[axis]; ++i) {
      if (along(axis + 1, data + i * rep_.strides[axis])) return true;
    }
    return false;
  }

  [[nodiscard]] bool in_row(const char* data, std::int64_t stride, std::int64_t count) const {
    constexpr std::int64_t kBlock = 4096;
    char truths[kBlock];
    for (std::int64_t first = 0; first < count; first += kBlock) {
      const std::int64_t block = std::min(kBlock, count - first);
      loop_(data + first * stride, stride, truths, 1, block);
      bool found = false;
      for (std::int64_t i = 0; i < block; ++i) found |= (truths[i] != 0) == wanted_;
      if (found) return true;
    }
    return false;
  }

  const ArrayRep& rep_;
  bool wanted_;
  std::int64_t item_;
  ConvertLoop loop_;
};

bool has_element(const Array& array, bool wanted) {
  const ArrayRep& rep = rep_of(array);
  if (!host_readable(rep) && array.nbytes() > kFetchedBytes && has_kernels(rep.device)) {
    return has_element_on_device(array, wanted);
  }
  const Array readable = fetch(array);
  const bool found = Search(*readable.rep(), wanted).found();
  MappedFile::check(*readable.rep());
  return found;
}

}  // namespace
}  // namespace detail

bool Array::all() const {
  return !detail::has_element(*this, false);
}

bool Array::any() const {
  return detail::has_element(*this, true);
}

bool Array::truth() const {
  if (!valid())
    throw Because<TypeError>(Reason::empty,
                             "the truth of an empty Array handle was asked: valid() says whether there is an array");
  const std::int64_t count = size();
  if (count == 1) return any();
  throw Because<ShapeError>(Reason::truth, "the truth of an array of shape " + to_string(shape()) + ", of " +
                                               (count == 0 ? "no" : "several") + " elements, is ambiguous: ask all() or any()" +
                                               (count == 0 ? ", or size()" : ""));
}

}  // namespace kiln
