// A header that parses is written as NumPy would write it, and reads back as the same; an error has a place within the file.
#include "files/npy_header.hpp"
#include "targets.hpp"

namespace kiln::fuzz {
namespace {

detail::NpyHeader read_back(const std::string& bytes) {
  const detail::NpyPrelude prelude = detail::parse_npy_prelude(std::string_view(bytes).substr(0, detail::kNpyPreludeMax));
  require(prelude.header_offset + prelude.header_length == bytes.size(), "a written header says its own length");
  require(bytes.size() % 64 == 0, "the data after a written header are aligned");
  return detail::parse_npy_header(std::string_view(bytes).substr(prelude.header_offset), prelude.header_offset);
}

}  // namespace

void npy(std::string_view bytes) {
  try {
    const detail::NpyPrelude prelude = detail::parse_npy_prelude(bytes.substr(0, detail::kNpyPreludeMax));
    require(prelude.header_length <= detail::kNpyHeaderMax, "a header has a bound");
    require(prelude.header_offset <= bytes.size(), "a header begins within the file");
    if (prelude.header_offset + prelude.header_length > bytes.size()) return;  // read_array() says so
    const detail::NpyHeader header =
        detail::parse_npy_header(bytes.substr(prelude.header_offset, prelude.header_length), prelude.header_offset);
    for (const std::int64_t extent : header.shape) require(extent >= 0, "no extent is negative");
    const std::string written = detail::format_npy_header(header.dtype, header.fortran, header.shape);
    if (written.size() > detail::kNpyHeaderMax) return;
    const detail::NpyHeader again = read_back(written);
    require(again.dtype == header.dtype && again.fortran == header.fortran && again.shape == header.shape,
            "a written header reads back as the same");
    require(!again.swapped, "what is written is little-endian");
  } catch (const detail::NpyError& error) {
    require(error.offset <= bytes.size(), "an error's place is within the file");
    require(!error.what.empty(), "an error says what is wrong");
  }
}

}  // namespace kiln::fuzz
