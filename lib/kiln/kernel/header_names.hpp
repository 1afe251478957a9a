// The names under which compilers are given headers.
#pragma once

#include <map>
#include <string>

namespace kiln::kinds {

/// Gives every header of an absolute name, or of one with "..", a name below "kiln/renamed/", in the texts that include it as
/// well: a compiler may read such a name as a file of the system's, or write the text there. Messages show the old name, and
/// lines stay where they are. A name that no header has becomes that of the text which says so, or in __has_include one that no
/// compiler finds. `headers` are all that the source reaches, by the names in their #include.
void rename_headers(std::string& source, std::map<std::string, std::string>& headers);

}  // namespace kiln::kinds
