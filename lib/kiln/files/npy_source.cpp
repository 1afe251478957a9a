// Every claim of a file is checked against its size before memory is taken for it.
#include "files/npy_source.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "array/rep.hpp"
#include "kiln/error.hpp"

namespace kiln::detail {
namespace {

// Elements times itemsize; NpyError where that does not fit.
std::size_t claimed_bytes(const NpyHeader& header, std::size_t offset) {
  try {
    const auto item = static_cast<std::int64_t>(itemsize(header.dtype));
    return static_cast<std::size_t>(checked_size(header.shape, item)) * itemsize(header.dtype);
  } catch (const ShapeError& error) {
    throw NpyError{error.what(), offset};
  }
}

void swap_bytes(char* data, std::size_t bytes, DType dtype) {
  const std::size_t unit = kind(dtype) == Kind::complex ? itemsize(dtype) / 2 : itemsize(dtype);
  for (std::size_t i = 0; i < bytes; i += unit) std::reverse(data + i, data + i + unit);
}

}  // namespace

NpyContents read_npy_header(NpySource& source) {
  std::string begin(std::min(source.size(), kNpyPreludeMax), '\0');
  source.read(begin.data(), begin.size());
  const NpyPrelude prelude = parse_npy_prelude(begin);
  const std::size_t data_offset = prelude.header_offset + prelude.header_length;
  if (data_offset > source.size()) {
    throw NpyError{"the header claims " + std::to_string(prelude.header_length) + " bytes, the file has " +
                       std::to_string(source.size() - prelude.header_offset) + " left",
                   8};
  }
  // A header of version 1 begins within what has been read; one that ends there is none.
  const std::size_t known = begin.size();
  if (data_offset > known) {
    begin.resize(data_offset);
    source.read(begin.data() + known, data_offset - known);
  }
  NpyHeader header = parse_npy_header(begin.substr(prelude.header_offset, prelude.header_length), prelude.header_offset);
  const std::size_t bytes = claimed_bytes(header, prelude.header_offset);
  const std::size_t present = source.size() - data_offset;
  if (present != bytes) {
    throw NpyError{"shape " + to_string(header.shape) + " of " + std::string(name(header.dtype)) + " takes " +
                       std::to_string(bytes) + " bytes of data, the file has " + std::to_string(present) +
                       (present < bytes ? ": it is truncated" : ": it holds something else behind them"),
                   present < bytes ? source.size() : data_offset + bytes};
  }
  return {std::move(header), data_offset, bytes};
}

Array read_npy(NpySource& source) {
  const auto [header, offset, bytes] = read_npy_header(source);
  Array array;
  try {
    array = Array::empty(header.shape, header.dtype, header.fortran ? Order::fortran : Order::c);
  } catch (const DeviceError& error) {
    throw NpyError{std::string(error.what()) + "; open_npy() uses a .npy file of any size in its place", offset};
  }
  char* const data = array.rep()->data;
  source.read(data, bytes);
  if (header.swapped) swap_bytes(data, bytes, header.dtype);
  // C++ knows no bool but 0 and 1.
  if (header.dtype == DType::bool_) std::transform(data, data + bytes, data, [](char c) { return static_cast<char>(c != 0); });
  return array;
}

}  // namespace kiln::detail
