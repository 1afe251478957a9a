// The bytes of a tuning's file, which is a text:
//   "kiln tuning 1" · JSON · XXH3-128 of the two lines before it, in hex
// As in an entry, another version's text ends with that checksum, too, and is distinguished from damage by it.
#include "cache/tuning_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.hpp"
#include "base/utf8.hpp"

namespace kiln::cache {
namespace {

constexpr std::string_view kTuningMagic = "kiln tuning ";
constexpr int kTuningVersion = 1;
constexpr std::size_t kTuningChecksum = 32 + 1;  // with the end of its line
constexpr std::size_t kMostNameBytes = 256;

std::nullopt_t no_tuning(Flaw* why, Miss reason, std::string text) {
  if (why != nullptr) *why = {reason, std::move(text)};
  return std::nullopt;
}

/// The JSON, where magic, version and checksum are right.
std::optional<std::string_view> json_in(std::string_view bytes, Flaw* why) {
  if (!bytes.starts_with(kTuningMagic)) return no_tuning(why, Miss::damaged, "no result of kiln tune");
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos || bytes.size() < end + 1 + kTuningChecksum || bytes.back() != '\n') {
    return no_tuning(why, Miss::damaged, "truncated");
  }
  const std::string_view covered = bytes.substr(0, bytes.size() - kTuningChecksum);
  if (base::to_hex(base::hash128(covered)) != bytes.substr(covered.size(), kTuningChecksum - 1)) {
    return no_tuning(why, Miss::damaged, "wrong checksum");
  }
  const std::string_view version = bytes.substr(kTuningMagic.size(), end - kTuningMagic.size());
  if (version != std::to_string(kTuningVersion)) {
    return no_tuning(
        why, Miss::other_format,
        fmt::format("format version {}, this kiln reads {}", base::printable(std::string(version)), kTuningVersion));
  }
  return covered.substr(end + 1);
}

/// One shape; nothing where a member is missing or out of range.
std::optional<TunedShape> shape_of(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  bool right = true;
  const auto text = [&](const char* name) {
    const auto found = json.find(name);
    right = right && found != json.end() && found->is_string() && found->get_ref<const std::string&>().size() <= kMostNameBytes;
    return right ? base::printable(found->get_ref<const std::string&>()) : std::string();
  };
  const auto integer = [&](const char* name, std::int64_t least, std::int64_t most) {
    const auto found = json.find(name);
    right = right && found != json.end() && found->is_number_integer();
    const std::int64_t value = right ? found->get<std::int64_t>() : least;
    right = right && value >= least && value <= most;
    return value;
  };
  const auto milliseconds = [&](const char* name) {
    const auto found = json.find(name);
    right = right && found != json.end() && found->is_number();
    const double value = right ? found->get<double>() : 0;
    right = right && std::isfinite(value) && value >= 0;
    return value;
  };
  TunedShape shape;
  shape.device = text("device");
  shape.driver = text("driver");
  shape.elements = integer("elements", 1, INT64_MAX);
  shape.block = static_cast<int>(integer("block", 1, kMaxTunedBlock));
  shape.accesses = static_cast<int>(integer("accesses", 1, kMaxTunedAccesses));
  shape.milliseconds = milliseconds("ms");
  shape.model_milliseconds = milliseconds("model_ms");
  const auto model = json.find("model");
  right = right && model != json.end() && model->is_boolean();
  shape.model = right && model->get<bool>();
  shape.measured = integer("measured_unix", 0, INT64_MAX);
  return right ? std::optional(std::move(shape)) : std::nullopt;
}

}  // namespace

int size_class(std::int64_t elements) noexcept {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(elements, 1))) - 1) / 2;
}

std::string encode_tuning(const std::string& digest, std::span<const TunedShape> shapes) {
  nlohmann::json list = nlohmann::json::array();
  for (const TunedShape& shape : shapes) {
    list.push_back({{"device", shape.device},
                    {"driver", shape.driver},
                    {"elements", shape.elements},
                    {"block", shape.block},
                    {"accesses", shape.accesses},
                    {"ms", shape.milliseconds},
                    {"model_ms", shape.model_milliseconds},
                    {"model", shape.model},
                    {"measured_unix", shape.measured}});
  }
  const nlohmann::json json = {{"id", digest}, {"shapes", std::move(list)}};
  std::string bytes = fmt::format("{}{}\n{}\n", kTuningMagic, kTuningVersion,
                                  json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  bytes += base::to_hex(base::hash128(bytes)) + "\n";
  return bytes;
}

std::optional<std::vector<TunedShape>> decode_tuning(std::string_view bytes, const std::string& digest, Flaw* why) {
  const std::optional<std::string_view> text = json_in(bytes, why);
  if (!text) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  const auto unreadable = [&] { return no_tuning(why, Miss::damaged, "unreadable result of kiln tune"); };
  if (!json.is_object() || !json.contains("id") || !json["id"].is_string()) return unreadable();
  if (json["id"].get_ref<const std::string&>() != digest) return no_tuning(why, Miss::other_key, "made for another kernel");
  const auto list = json.find("shapes");
  if (list == json.end() || !list->is_array() || list->empty() || list->size() > kMaxTunedShapes) return unreadable();
  std::vector<TunedShape> shapes;
  for (const nlohmann::json& each : *list) {
    std::optional<TunedShape> shape = shape_of(each);
    if (!shape) return unreadable();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

void replace_shape(std::vector<TunedShape>& shapes, TunedShape added) {
  std::erase_if(shapes, [&](const TunedShape& each) {
    return each.device == added.device && size_class(each.elements) == size_class(added.elements);
  });
  shapes.push_back(std::move(added));
  while (shapes.size() > kMaxTunedShapes) {
    shapes.erase(std::ranges::min_element(shapes, {}, &TunedShape::measured));
  }
}

}  // namespace kiln::cache
