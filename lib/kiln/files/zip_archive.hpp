// The table of a ZIP archive, and the bytes of a member. PKWARE's APPNOTE 6.3.10, with its 64-bit sizes; no encryption, no
// archives of several disks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "files/npy_source.hpp"

namespace kiln::detail {

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  ///< 0: stored, 8: deflated
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;  ///< bytes in the archive
  std::uint64_t bytes = 0;   ///< bytes unpacked
  std::uint64_t header = 0;  ///< where its local header begins
};

/// NpyError, with the archive's byte, for what is no such archive.
[[nodiscard]] std::vector<ZipMember> read_zip_table(const base::FileDescriptor& file, std::size_t file_bytes);

/// A member, unpacked from its first byte to its last.
class ZipSource final : public NpySource {
 public:
  /// NpyError where it does not lie in the archive, cannot be that long, or cannot be unpacked. `file` is used as long as this.
  ZipSource(const base::FileDescriptor& file, std::size_t file_bytes, const ZipMember& member);
  ~ZipSource() override;
  ZipSource(const ZipSource&) = delete;
  ZipSource& operator=(const ZipSource&) = delete;

  [[nodiscard]] std::size_t size() const noexcept override { return static_cast<std::size_t>(member_.bytes); }
  void read(char* to, std::size_t bytes) override;
  /// After all has been read. NpyError where the checksum is another, or something is left.
  void check_end();

 private:
  struct Inflater;
  void refill();
  void inflate(char* to, std::size_t bytes);
  void read_packed(char* to, std::size_t bytes);

  const base::FileDescriptor& file_;
  const ZipMember& member_;
  std::uint64_t at_ = 0;    // of the archive's next byte
  std::uint64_t left_ = 0;  // packed ones
  std::size_t given_ = 0;
  unsigned long crc_ = 0;
  std::unique_ptr<Inflater> inflater_;
};

/// All of [offset, offset + bytes) of a file. NpyError.
void read_exactly(const base::FileDescriptor& file, char* to, std::size_t bytes, std::size_t offset);

}  // namespace kiln::detail
