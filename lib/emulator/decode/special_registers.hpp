// The special registers: where a thread runs, and when.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kiln::emulator {

/// Their rows, in this order.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  dynamic_smem_size,
  total_smem_size,
  unused,
  count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Special::unused)> kSpecialNames = {
    "%tid.x",          "%tid.y",       "%tid.z",    "%ntid.x",   "%ntid.y",      "%ntid.z",      "%ctaid.x",
    "%ctaid.y",        "%ctaid.z",     "%nctaid.x", "%nctaid.y", "%nctaid.z",    "%laneid",      "%warpid",
    "%nwarpid",        "%smid",        "%nsmid",    "%gridid",   "%lanemask_eq", "%lanemask_le", "%lanemask_lt",
    "%lanemask_ge",    "%lanemask_gt", "%clock",    "%clock_hi", "%clock64",     "%globaltimer", "%dynamic_smem_size",
    "%total_smem_size"};

}  // namespace kiln::emulator
