#include "files/zip_archive.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/little_endian.hpp"
#include "files/zlib.hpp"

namespace kiln::detail {
namespace {

constexpr int kRawDeflate = -MAX_WBITS;  // no header of zlib's own

constexpr std::uint32_t kEndOfTable = 0x06054b50;
constexpr std::uint32_t kEndOfTable64 = 0x06064b50;
constexpr std::uint32_t kWhereEnd64 = 0x07064b50;
constexpr std::uint32_t kInTable = 0x02014b50;
constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kWhereEnd64Bytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kInTableBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint16_t kExtra64 = 0x0001;
constexpr std::uint16_t kEncrypted = 1;
/// Deflate packs no more than this many bytes into one, give or take a block.
constexpr std::uint64_t kMostOfOne = 1032;

template <class T>
T number(std::string_view bytes, std::size_t at) {
  return static_cast<T>(base::read_integer(bytes, at, sizeof(T)));
}

/// Where the table lies, and how many members it has.
struct MemberTable {
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t count;
};

MemberTable find_table(const base::FileDescriptor& file, std::size_t file_bytes) {
  // The record at the end, behind which a comment may stand.
  const std::size_t most = std::min<std::size_t>(file_bytes, kEndBytes + std::numeric_limits<std::uint16_t>::max());
  std::string tail(most, '\0');
  read_exactly(file, tail.data(), most, file_bytes - most);
  std::optional<std::size_t> found;
  for (std::size_t at = most < kEndBytes ? 0 : most - kEndBytes + 1; at-- > 0 && !found;) {
    if (number<std::uint32_t>(tail, at) == kEndOfTable && at + kEndBytes + number<std::uint16_t>(tail, at + 20) == most)
      found = at;
  }
  if (!found) throw NpyError{"it is no ZIP archive, or cut off: no table of members at its end", file_bytes};
  const std::size_t end = file_bytes - most + *found;
  MemberTable table{number<std::uint32_t>(tail, *found + 16), number<std::uint32_t>(tail, *found + 12),
                    number<std::uint16_t>(tail, *found + 10)};
  const bool large = table.offset == UINT32_MAX || table.bytes == UINT32_MAX || table.count == UINT16_MAX;
  if (large && end >= kWhereEnd64Bytes) {
    std::string where(kWhereEnd64Bytes, '\0');
    read_exactly(file, where.data(), where.size(), end - kWhereEnd64Bytes);
    const std::uint64_t at = number<std::uint64_t>(where, 8);
    if (number<std::uint32_t>(where, 0) == kWhereEnd64 && at <= file_bytes - std::min(file_bytes, kEnd64Bytes)) {
      std::string record(kEnd64Bytes, '\0');
      read_exactly(file, record.data(), record.size(), static_cast<std::size_t>(at));
      if (number<std::uint32_t>(record, 0) != kEndOfTable64)
        throw NpyError{"its record of 64-bit sizes is damaged", static_cast<std::size_t>(at)};
      table = {number<std::uint64_t>(record, 48), number<std::uint64_t>(record, 40), number<std::uint64_t>(record, 32)};
    }
  }
  // Of each member a record and three texts.
  constexpr std::uint64_t kMostOfMember = kInTableBytes + 3 * std::uint64_t{std::numeric_limits<std::uint16_t>::max()};
  if (table.offset > end || table.bytes > end - table.offset || table.count > table.bytes / kInTableBytes ||
      table.bytes / kMostOfMember > table.count)
    throw NpyError{"its table of members does not lie in the file", end};
  return table;
}

/// The table's bytes from the first to the last. Memory is taken for what has been read, not for what the archive claims.
class TableBytes {
 public:
  TableBytes(const base::FileDescriptor& file, const MemberTable& table)
      : file_(file), next_(static_cast<std::size_t>(table.offset)), left_(static_cast<std::size_t>(table.bytes)) {}

  /// Where in the file the next byte is.
  [[nodiscard]] std::size_t at() const noexcept { return next_ - (window_.size() - used_); }
  /// The next `count` bytes, which hold until the next call; fewer where the table ends.
  std::string_view take(std::size_t count) {
    constexpr std::size_t kWindow = std::size_t{1} << 16;
    if (const std::size_t there = window_.size() - used_; there < count) {
      const std::size_t more = std::min(left_, std::max(kWindow, count - there));
      window_.erase(0, used_);
      used_ = 0;
      window_.resize(there + more);
      read_exactly(file_, window_.data() + there, more, next_);
      next_ += more;
      left_ -= more;
    }
    const std::string_view taken = std::string_view(window_).substr(used_, count);
    used_ += taken.size();
    return taken;
  }

 private:
  const base::FileDescriptor& file_;
  std::size_t next_;  // of the file's bytes that the window has not
  std::size_t left_;
  std::string window_;
  std::size_t used_ = 0;
};

/// Sizes that do not fit in 32 bits stand in a field of their own, those that need it.
void take_64(ZipMember& member, std::string_view extra) {
  while (extra.size() >= 4) {
    const std::size_t bytes = number<std::uint16_t>(extra, 2);
    if (bytes > extra.size() - 4) return;
    std::string_view field = extra.substr(4, bytes);
    if (number<std::uint16_t>(extra, 0) == kExtra64) {
      for (std::uint64_t* const value : {&member.bytes, &member.packed, &member.header}) {
        if (*value != UINT32_MAX || field.size() < 8) continue;
        *value = number<std::uint64_t>(field, 0);
        field.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + bytes);
  }
}

}  // namespace

void read_exactly(const base::FileDescriptor& file, char* to, std::size_t bytes, std::size_t offset) {
  constexpr std::size_t kOneCall = std::size_t{1} << 30;  // Linux moves at most 2 GiB - 4 KiB a call
  while (bytes > 0) {
    const ssize_t got = ::pread(file.get(), to, std::min(bytes, kOneCall), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw NpyError{base::errno_text(errno), offset};
    if (got == 0) throw NpyError{"the file became shorter while it was read", offset};
    to += got;
    offset += static_cast<std::size_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

std::vector<ZipMember> read_zip_table(const base::FileDescriptor& file, std::size_t file_bytes) {
  const MemberTable table = find_table(file, file_bytes);
  TableBytes bytes(file, table);
  std::vector<ZipMember> members;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const std::size_t place = bytes.at();
    const std::string_view record = bytes.take(kInTableBytes);
    if (record.size() < kInTableBytes || number<std::uint32_t>(record, 0) != kInTable)
      throw NpyError{"its table of members is damaged", place};
    ZipMember member{.name = {},
                     .method = number<std::uint16_t>(record, 10),
                     .crc = number<std::uint32_t>(record, 16),
                     .packed = number<std::uint32_t>(record, 20),
                     .bytes = number<std::uint32_t>(record, 24),
                     .header = number<std::uint32_t>(record, 42)};
    const bool encrypted = (number<std::uint16_t>(record, 8) & kEncrypted) != 0;
    const std::size_t name = number<std::uint16_t>(record, 28);
    const std::size_t extra = number<std::uint16_t>(record, 30);
    const std::size_t comment = number<std::uint16_t>(record, 32);
    const std::string_view texts = bytes.take(name + extra + comment);
    if (texts.size() < name + extra + comment) throw NpyError{"its table of members is cut off", place};
    member.name = texts.substr(0, name);
    take_64(member, texts.substr(name, extra));
    if (encrypted) throw NpyError{"its member \"" + member.name + "\" is encrypted", place};
    if (!names.insert(member.name).second) throw NpyError{"it has two members \"" + member.name + "\"", place};
    members.push_back(std::move(member));
  }
  // Else a few bytes could be unpacked again and again.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  for (const ZipMember& member : members) places.emplace_back(member.header, member.packed);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto& [begin, packed] = places[i - 1];
    const std::uint64_t apart = places[i].first - begin;
    if (apart < kLocalBytes || apart - kLocalBytes < packed)
      throw NpyError{"two of its members overlap",
                     static_cast<std::size_t>(std::min<std::uint64_t>(places[i].first, file_bytes))};
  }
  return members;
}

struct ZipSource::Inflater {
  Inflater() {
    if (zlib().inflate_init(&stream, kRawDeflate, ZLIB_VERSION, sizeof stream) != Z_OK)
      throw NpyError{"zlib has no memory to unpack it", 0};
  }
  ~Inflater() { zlib().inflate_end(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
  std::array<char, 1 << 16> packed;
  bool ended = false;
};

ZipSource::ZipSource(const base::FileDescriptor& file, std::size_t file_bytes, const ZipMember& member)
    : file_(file), member_(member), left_(member.packed) {
  if (!zlib().missing.empty())
    throw NpyError{"zlib is needed for it, and could not be opened: " + zlib().missing + "; install zlib1g", 0};
  if (member.header > file_bytes || file_bytes - member.header < kLocalBytes)
    throw NpyError{"it begins behind the archive's end", 0};
  std::string local(kLocalBytes, '\0');
  read_exactly(file, local.data(), local.size(), static_cast<std::size_t>(member.header));
  if (number<std::uint32_t>(local, 0) != kLocal) throw NpyError{"it does not begin where the archive's table says", 0};
  at_ = member.header + kLocalBytes + number<std::uint16_t>(local, 26) + number<std::uint16_t>(local, 28);
  if (at_ > file_bytes || member.packed > file_bytes - at_) throw NpyError{"it reaches beyond the archive's end", 0};
  if (member.method != 0 && member.method != 8) {
    throw NpyError{
        "it is compressed in way " + std::to_string(member.method) + "; of ZIP's only storing (0) and deflate (8) are read", 0};
  }
  // What a claim takes memory for must be able to come.
  const bool possible = member.method == 0 ? member.bytes == member.packed : member.bytes / kMostOfOne <= member.packed;
  if (!possible) {
    throw NpyError{"it claims " + std::to_string(member.bytes) + " bytes, which its " + std::to_string(member.packed) +
                       " packed ones cannot be",
                   0};
  }
  if (member.method == 8) inflater_ = std::make_unique<Inflater>();
}

ZipSource::~ZipSource() = default;

void ZipSource::read_packed(char* to, std::size_t bytes) {
  read_exactly(file_, to, bytes, static_cast<std::size_t>(at_));
  at_ += bytes;
  left_ -= bytes;
}

/// Gives the inflater packed bytes where it has none.
void ZipSource::refill() {
  z_stream& stream = inflater_->stream;
  if (stream.avail_in > 0 || left_ == 0) return;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, inflater_->packed.size()));
  read_packed(inflater_->packed.data(), size);
  stream.next_in = reinterpret_cast<Bytef*>(inflater_->packed.data());
  stream.avail_in = static_cast<unsigned>(size);
}

void ZipSource::inflate(char* to, std::size_t bytes) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  while (bytes > 0) {
    if (inflater_->ended)
      throw NpyError{"it is shorter than the " + std::to_string(member_.bytes) + " bytes that it claims", given_};
    refill();
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(bytes, 1U << 30));
    stream.avail_out = wanted;
    const int status = zlib().inflate(&stream, Z_NO_FLUSH);
    const unsigned got = wanted - stream.avail_out;
    bytes -= got;
    inflater_->ended = status == Z_STREAM_END;
    const bool stuck = status == Z_BUF_ERROR && left_ == 0 && stream.avail_in == 0;
    if (stuck) throw NpyError{"its packed bytes end too early", given_};
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw NpyError{std::string("it cannot be unpacked: ") + (stream.msg != nullptr ? stream.msg : "zlib gives no reason"),
                     given_};
    }
  }
}

void ZipSource::read(char* to, std::size_t bytes) {
  if (bytes > size() - given_) throw NpyError{"it ends too early", given_};
  inflater_ ? inflate(to, bytes) : read_packed(to, bytes);
  crc_ = zlib().crc(crc_, reinterpret_cast<const Bytef*>(to), bytes);
  given_ += bytes;
}

void ZipSource::check_end() {
  if (given_ != size()) throw NpyError{"not all of it was read", given_};
  if (inflater_ && !inflater_->ended) {
    // The mark of the end may still be to come; a byte may not.
    z_stream& stream = inflater_->stream;
    unsigned char beyond = 0;
    for (bool more = true; more && !inflater_->ended;) {
      refill();
      stream.next_out = &beyond;
      stream.avail_out = 1;
      const int status = zlib().inflate(&stream, Z_NO_FLUSH);
      if (stream.avail_out == 0)
        throw NpyError{"it is longer than the " + std::to_string(member_.bytes) + " bytes that it claims", given_};
      inflater_->ended = status == Z_STREAM_END;
      more = status == Z_OK && (left_ > 0 || stream.avail_in > 0);
    }
    if (!inflater_->ended) throw NpyError{"its packed bytes end too early", given_};
  }
  if (crc_ != member_.crc) throw NpyError{"its checksum is another than the archive's: it is damaged", given_};
}

}  // namespace kiln::detail
