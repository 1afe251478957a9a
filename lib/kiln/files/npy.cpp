// Reading and writing .npy files through plain system calls: every claim of a file is checked against its size before
// memory is taken for it.
#include "kiln/npy.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "files/new_file.hpp"
#include "files/npy_header.hpp"
#include "files/npy_source.hpp"
#include "files/zip_archive.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln {

namespace fs = std::filesystem;
using base::FileDescriptor;
using detail::NewFile;
using detail::NpyError;

namespace {

[[noreturn]] void fail_read(const fs::path& path, const std::string& why) {
  throw IoError("failed to read \"" + path.string() + "\": " + why);
}

[[noreturn]] void fail_read(const fs::path& path, const NpyError& error) {
  throw Because<IoError>(Reason::format, "failed to read \"" + path.string() + "\": " + error.what + " (at byte " +
                                             std::to_string(error.offset) + ")");
}

struct OpenFile {
  FileDescriptor file;
  std::size_t bytes;
};
OpenFile open_regular(const fs::path& path, int flags) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  FileDescriptor file = FileDescriptor::open(path.string(), flags | O_NONBLOCK | O_NOCTTY);
  if (!file) fail_read(path, base::errno_text(errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail_read(path, base::errno_text(errno));
  if (!S_ISREG(status.st_mode)) fail_read(path, "it is not a regular file");
  return {std::move(file), static_cast<std::size_t>(status.st_size)};
}

class FileSource final : public detail::NpySource {
 public:
  FileSource(const FileDescriptor& file, std::size_t bytes) noexcept : file_(file), bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const noexcept override { return bytes_; }
  void read(char* to, std::size_t bytes) override {
    detail::read_exactly(file_, to, bytes, at_);
    at_ += bytes;
  }

 private:
  const FileDescriptor& file_;
  std::size_t bytes_;
  std::size_t at_ = 0;
};

void check_axes(const fs::path& path, const Shape& shape) {
  if (shape.size() <= detail::kNpyMostAxes) return;
  throw ShapeError("failed to write \"" + path.string() + "\": an array of " + std::to_string(shape.size()) +
                   " axes, and NumPy has " + std::to_string(detail::kNpyMostAxes) + " at most: reshape it");
}

std::size_t alignment_of(DType dtype) {
  return kind(dtype) == Kind::complex ? itemsize(dtype) / 2 : itemsize(dtype);
}

/// The array in its mapped file.
Array mapped(const FileDescriptor& file, const fs::path& path, const detail::NpyContents& contents, bool writable) {
  auto mapping = std::make_shared<detail::MappedFile>(file, path.string(), contents.offset + contents.bytes, writable);
  char* const data = mapping->data() + contents.offset;
  const auto& [header, offset, bytes] = contents;
  const Strides strides = detail::packed_strides(header.shape, static_cast<std::int64_t>(itemsize(header.dtype)),
                                                 header.fortran ? Order::fortran : Order::c);
  return Array::view(data, header.shape, header.dtype,
                     {.strides = strides, .read_only = !writable, .owner = std::move(mapping)});
}

}  // namespace

Array load_npy(const fs::path& path) {
  const auto [file, bytes] = open_regular(path, O_RDONLY);
  try {
    FileSource source(file, bytes);
    return detail::read_npy(source);
  } catch (const NpyError& error) {
    fail_read(path, error);
  }
}

void save_npy(const fs::path& path, const Array& array) {
  const detail::ArrayRep& given = detail::rep_of(array);
  check_axes(path, given.shape);
  Array packed = detail::fetch(array);
  const bool fortran = given.f_contiguous && !given.c_contiguous;
  if (!given.c_contiguous && !fortran) packed = packed.copy();
  const std::string header = detail::format_npy_header(given.dtype, fortran, given.shape);
  NewFile file(path);
  file.write(header.data(), header.size());
  file.write(packed.rep()->data, static_cast<std::size_t>(packed.nbytes()));
  file.publish();
}

Array open_npy(const fs::path& path, const OpenNpyOptions& options) {
  const auto [file, bytes] = open_regular(path, options.writable ? O_RDWR : O_RDONLY);
  try {
    FileSource source(file, bytes);
    const detail::NpyContents contents = detail::read_npy_header(source);
    if (contents.header.swapped)
      fail_read(path, "its numbers are big-endian, and cannot be used in their place: load_npy() reads it");
    if (contents.offset % alignment_of(contents.header.dtype) != 0) {
      fail_read(path, "its data begin at byte " + std::to_string(contents.offset) + ", where a " +
                          std::string(name(contents.header.dtype)) + " cannot be used in its place: load_npy() reads it");
    }
    return mapped(file, path, contents, options.writable);
  } catch (const NpyError& error) {
    fail_read(path, error);
  }
}

Array create_npy(const fs::path& path, const Shape& shape, DType dtype, Order order) {
  check_axes(path, shape);
  const std::size_t bytes =
      static_cast<std::size_t>(detail::checked_size(shape, static_cast<std::int64_t>(itemsize(dtype)))) * itemsize(dtype);
  const std::string header = detail::format_npy_header(dtype, order == Order::fortran, shape);
  NewFile made(path);
  made.write(header.data(), header.size());
  made.reserve(header.size() + bytes);
  Array array = mapped(made.descriptor(), path,
                       {{.dtype = dtype, .fortran = order == Order::fortran, .shape = shape}, header.size(), bytes}, true);
  made.publish();
  return array;
}

void flush_npy(const Array& array) {
  const detail::ArrayRep& rep = detail::rep_of(array);
  const detail::MappedFile* const file = detail::MappedFile::of(rep);
  if (file == nullptr)
    throw TypeError("flush_npy: an array in " + detail::place(rep) +
                    " that is in no file: open_npy() and create_npy() make such");
  file->flush();
}

}  // namespace kiln
