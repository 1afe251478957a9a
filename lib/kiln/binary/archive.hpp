// Reads archives of `ar`, GNU's and BSD's, thin ones excepted. The bytes may be anything: nothing outside them is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::base {

inline constexpr std::string_view kArchiveMagic = "!<arch>\n";

struct ArchiveMember {
  std::string name;
  std::string_view bytes;  ///< of the archive
};

/// The members in their order, without tables of symbols and of names. Empty, with the reason in `why`, where the bytes are no
/// such archive or a member reaches beyond them.
[[nodiscard]] std::vector<ArchiveMember> archive_members(std::string_view bytes, std::string* why);

}  // namespace kiln::base
