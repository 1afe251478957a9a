#include "files/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "base/nearest.hpp"
#include "kiln/error.hpp"

namespace kiln::detail {
namespace {

constexpr std::size_t kPoints = 33;

struct Entry {
  std::string_view name;
  std::array<std::uint32_t, kPoints> points;  // 0xRRGGBB, at equal distances
};

// Of matplotlib (CC0, but turbo: Apache-2.0, and coolwarm: Moreland, "Diverging color maps for scientific visualization",
// 2009). Between the points a line is at most 3 of 255 from the original.
constexpr Entry kMaps[] = {
    {"coolwarm",
     {0x3b4cc0, 0x445acc, 0x4e68d8, 0x5875e1, 0x6282ea, 0x6c8ff1, 0x779af7, 0x82a6fb, 0x8db0fe, 0x98b9ff, 0xa3c2fe,
      0xaec9fc, 0xb8d0f9, 0xc2d5f4, 0xccd9ed, 0xd5dbe5, 0xdcdcdc, 0xe4d9d2, 0xebd3c6, 0xf1cdb9, 0xf4c5ad, 0xf7bba0,
      0xf7b194, 0xf7a687, 0xf49a7b, 0xf18d6f, 0xec7f63, 0xe57058, 0xde614d, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426}},
    {"magma", {0x000004, 0x030312, 0x0a0822, 0x130d34, 0x1d1147, 0x29115a, 0x36106b, 0x440f76, 0x50127c, 0x5d177f, 0x691c81,
               0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9337d, 0xb6367a, 0xc33b75, 0xcf4070, 0xdb476a, 0xe65164, 0xee5c5e,
               0xf46a5c, 0xf9785d, 0xfb8861, 0xfd9668, 0xfea571, 0xfeb47b, 0xfec287, 0xfed194, 0xfde0a1, 0xfceeb0, 0xfcfdbf}},
    {"turbo", {0x30123b, 0x392a73, 0x4040a2, 0x4456c7, 0x466be3, 0x4680f6, 0x4293ff, 0x37a7fa, 0x28bbec, 0x1dccd9, 0x18dcc3,
               0x1ee8b0, 0x31f299, 0x4cf97e, 0x6bfe64, 0x8aff4c, 0xa2fc3c, 0xb8f735, 0xcced34, 0xdee037, 0xedd03a, 0xf7c03a,
               0xfdad35, 0xfe982c, 0xfb8022, 0xf56818, 0xec520f, 0xe14109, 0xd23105, 0xc12302, 0xac1701, 0x950d01, 0x7a0403}},
    {"twilight",
     {0xe2d9e2, 0xd6d7dd, 0xc2ced4, 0xaac2cc, 0x93b4c6, 0x80a5c3, 0x7196c1, 0x6786be, 0x6276ba, 0x5f63b4, 0x5e50ac,
      0x5d3da0, 0x592a8f, 0x511b77, 0x45135c, 0x381145, 0x301437, 0x3a113a, 0x4b1342, 0x60174a, 0x751e4f, 0x882850,
      0x993650, 0xa74650, 0xb25752, 0xbb6958, 0xc27d63, 0xc89073, 0xcca389, 0xd1b6a3, 0xd8c7be, 0xdfd4d6, 0xe2d9e2}},
    {"viridis", {0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086, 0x3e4989, 0x3b528b, 0x375b8d, 0x33638d,
                 0x2f6b8e, 0x2c728e, 0x297a8e, 0x26828e, 0x23898e, 0x21908c, 0x1f978b, 0x1f9f88, 0x21a685, 0x27ad81, 0x31b57b,
                 0x3ebc74, 0x4dc26c, 0x5cc863, 0x6ece58, 0x82d34d, 0x95d840, 0xaadc32, 0xc0df25, 0xd5e21a, 0xeae51a, 0xfde725}},
};

constexpr std::string_view kGray = "gray";
constexpr std::string_view kReversed = "_r";

Colormap between(const std::array<std::uint32_t, kPoints>& points) {
  Colormap map{};
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::size_t scaled = i * (kPoints - 1);
    const std::size_t first = std::min(scaled / (map.size() - 1), kPoints - 2);
    const double part = static_cast<double>(scaled) / static_cast<double>(map.size() - 1) - static_cast<double>(first);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const std::size_t shift = 8 * (2 - channel);
      const auto from = static_cast<double>(points[first] >> shift & 0xFFU);
      const auto to = static_cast<double>(points[first + 1] >> shift & 0xFFU);
      map[i][channel] = static_cast<std::uint8_t>(std::lround(from + (to - from) * part));
    }
  }
  return map;
}

[[noreturn]] void fail_unknown(std::string_view name) {
  std::string message = "unknown colormap \"" + std::string(name) + "\": ";
  const std::vector<std::string_view> known = names_of_colormaps();
  if (const std::string_view near = base::nearest(name, known); !near.empty()) {
    throw TypeError(message + "did you mean \"" + std::string(near) + "\"?");
  }
  message += "the colormaps are ";
  for (const std::string_view each : known) message += std::string(each) + ", ";
  throw TypeError(message + "and each with \"_r\" for its reverse");
}

}  // namespace

std::vector<std::string_view> names_of_colormaps() {
  std::vector<std::string_view> names = {kGray};
  for (const Entry& entry : kMaps) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

Colormap colormap_of(std::string_view name) {
  const bool reversed = name.ends_with(kReversed);
  const std::string_view plain = reversed ? name.substr(0, name.size() - kReversed.size()) : name;
  Colormap map{};
  if (name.empty() || plain == kGray) {
    for (std::size_t i = 0; i < map.size(); ++i) map[i].fill(static_cast<std::uint8_t>(i));
  } else {
    const auto* const found =
        std::find_if(std::begin(kMaps), std::end(kMaps), [&](const Entry& each) { return each.name == plain; });
    if (found == std::end(kMaps)) fail_unknown(name);
    map = between(found->points);
  }
  if (reversed) std::reverse(map.begin(), map.end());
  return map;
}

}  // namespace kiln::detail
