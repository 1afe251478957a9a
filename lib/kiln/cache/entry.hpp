// An entry of the cache as a value and as the bytes of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "kiln/cache.hpp"
#include "kiln/compile_report.hpp"
#include "kiln/diagnostic.hpp"

namespace kiln::cache {

/// What an entry says about itself besides the key. For people and listings: nothing here decides what runs.
struct Info {
  std::string kernel = {};     ///< name
  std::string kind = "ufunc";  ///< entries written before there were kinds are this one
  std::string signature = {};  ///< of the loop
  std::string variant = {};    ///< what tells it from the loop's other kernels; empty in entries of before it was stored
  std::string target = {};     ///< in short; empty in entries of before it was stored
  std::string compiler = {};   ///< name and version; likewise
  std::string body = {};       ///< the user's text
  std::vector<Diagnostic> warnings = {};  ///< of the user's texts; none in entries of before they were stored
  CompileReport report = {};              ///< of the machine code; likewise
  double compile_ms = 0;                  ///< 0 where it came from a bundle
  std::int64_t created_unix = 0;          ///< likewise
};

struct Record {
  Info info = {};
  std::string payload = {};
};

/// A record with the key that it was made for.
struct Stored {
  std::string key = {};
  Record record = {};
};

/// Why bytes are no entry, or not the one that was asked for.
struct Flaw {
  Miss reason = Miss::absent;
  std::string text = {};  ///< "wrong checksum"
  std::string mend = {};  ///< "chmod -R go-w /x"; empty: its file is to be removed
};

/// Turns an entry into the bytes of a file and back. decode gives nothing for bytes that are damaged, of another format
/// version, or whose key differs from `canonical_key`; `why` (may be null) then says which. The bytes may be hostile: nothing
/// is allocated that is not there.
[[nodiscard]] std::string encode(const std::string& canonical_key, const Record& entry);
[[nodiscard]] std::optional<Record> decode(std::string_view bytes, std::string_view canonical_key, Flaw* why);
/// The same for whatever key it has.
[[nodiscard]] std::optional<Stored> decode_any(std::string_view bytes, Flaw* why);

/// The checksum that ends the bytes of an entry of any format; nothing where it is not theirs.
[[nodiscard]] std::optional<base::Hash128> sound_checksum(std::string_view bytes);

/// A larger file is no entry.
inline constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{256} << 20;

inline constexpr std::size_t kPrologueBytes = 8 + 4 + 3 * 8;

/// The sizes that an entry's first kPrologueBytes bytes tell.
struct Prologue {
  std::uint64_t key_bytes = 0;
  std::uint64_t info_bytes = 0;
  std::uint64_t payload_bytes = 0;
};

/// Nothing where they are not of an entry of this format, or do not add up to a file of that size.
[[nodiscard]] std::optional<Prologue> read_prologue(std::string_view bytes, std::uint64_t file_bytes, Flaw* why);

/// The description's JSON. Nothing for another text.
[[nodiscard]] std::optional<Info> parse_info(std::string_view text);

}  // namespace kiln::cache
