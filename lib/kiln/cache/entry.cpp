// The bytes of an entry's file:
//   magic (8) · format version (4) · key bytes (8) · info bytes (8) · payload bytes (8), little-endian
//   key (canonical JSON) · info (JSON) · payload · XXH3-128 of everything before it (16)
// Every format, past and to come, begins with magic and version and ends with that checksum, so that an entry of another format
// can be distinguished from a damaged one.
// The key is a text of its own so that a look-up compares it and parses nothing of its size.
#include "cache/entry.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/little_endian.hpp"
#include "base/utf8.hpp"

namespace kiln::cache {
namespace {

using base::append_integer;
using base::read_integer;

constexpr std::string_view kEntryMagic("kiln\r\n\x1a\n", 8);  // as PNG's: shows what a text-mode copy did
constexpr std::uint32_t kEntryVersion = 1;
constexpr std::size_t kEntryChecksumBytes = 16;

struct Sections {
  std::string_view key, info, payload;
};

bool fail(Flaw* why, Miss reason, std::string text) {
  if (why != nullptr) *why = {reason, std::move(text)};
  return false;
}

// The prologue but for its version. One size at a time against what is left: sums of hostile sizes could wrap.
bool split(std::string_view head, std::uint64_t file_bytes, Prologue* out, Flaw* why) {
  if (head.substr(0, kEntryMagic.size()) != kEntryMagic) return fail(why, Miss::damaged, "not a kiln cache entry");
  if (head.size() < kPrologueBytes || file_bytes < kPrologueBytes + kEntryChecksumBytes) {
    return fail(why, Miss::damaged, "truncated");
  }
  *out = {read_integer(head, 12, 8), read_integer(head, 20, 8), read_integer(head, 28, 8)};
  std::uint64_t left = file_bytes - kPrologueBytes - kEntryChecksumBytes;
  for (const std::uint64_t size : {out->key_bytes, out->info_bytes, out->payload_bytes}) {
    if (size > left) return fail(why, Miss::damaged, "truncated");
    left -= size;
  }
  return left == 0 || fail(why, Miss::damaged, "longer than its sizes say");
}

bool is_other_format(std::string_view head, Flaw* why) {
  if (head.size() < kEntryMagic.size() + 4 || !head.starts_with(kEntryMagic)) return false;
  const std::uint64_t version = read_integer(head, 8, 4);
  if (version == kEntryVersion) return false;
  fail(why, Miss::other_format,
       "format version " + std::to_string(version) + ", this kiln reads " + std::to_string(kEntryVersion));
  return true;
}

bool open(std::string_view bytes, Sections* out, Flaw* why) {
  // What another version wrote has another layout, but its checksum; without that, it is the version that is damaged.
  if (bytes.size() >= kPrologueBytes + kEntryChecksumBytes && is_other_format(bytes, why)) {
    return sound_checksum(bytes) ? false : fail(why, Miss::damaged, "wrong checksum");
  }
  Prologue sizes;
  if (!split(bytes, bytes.size(), &sizes, why)) return false;
  if (!sound_checksum(bytes)) return fail(why, Miss::damaged, "wrong checksum");
  out->key = bytes.substr(kPrologueBytes, sizes.key_bytes);
  out->info = bytes.substr(kPrologueBytes + sizes.key_bytes, sizes.info_bytes);
  out->payload = bytes.substr(kPrologueBytes + sizes.key_bytes + sizes.info_bytes, sizes.payload_bytes);
  return true;
}

nlohmann::json json_of(const Diagnostic& found) {
  return {{"file", found.file},
          {"line", found.line},
          {"column", found.column},
          {"text", found.text},
          {"source_line", found.source_line}};
}

nlohmann::json json_of(const std::vector<Diagnostic>& warnings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& warning : warnings) list.push_back(json_of(warning));
  return list;
}

/// The numbers of a report, by their names in the description.
constexpr std::pair<const char*, std::optional<std::int64_t> CompileReport::*> kReportNumbers[] = {
    {"vector_bits", &CompileReport::vector_bits},
    {"spills", &CompileReport::spills},
    {"local_bytes", &CompileReport::local_bytes}};

/// What is not known is left out.
nlohmann::json json_of(const CompileReport& report) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, number] : kReportNumbers) {
    if (report.*number) json[name] = *(report.*number);
  }
  if (report.scalar_because) json["scalar_because"] = json_of(*report.scalar_because);
  return json;
}

/// Nothing for what is no object. Members of other types are taken for empty ones.
std::optional<Diagnostic> read_diagnostic(const nlohmann::json& item, Severity severity) {
  if (!item.is_object()) return std::nullopt;
  const auto text = [&](const char* name) {
    const auto found = item.find(name);
    return found != item.end() && found->is_string() ? found->get_ref<const std::string&>() : std::string();
  };
  const auto number = [&](const char* name) {
    const auto found = item.find(name);
    if (found == item.end() || !found->is_number_integer()) return 0;
    return static_cast<int>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, std::numeric_limits<int>::max()));
  };
  return Diagnostic{.severity = severity,
                    .file = base::printable(text("file")),
                    .line = number("line"),
                    .column = number("column"),
                    .text = base::printable(text("text")),
                    .source_line = text("source_line")};
}

/// False where the member is there and is no list of warnings.
bool read_warnings(const nlohmann::json& info, std::vector<Diagnostic>* warnings) {
  const auto list = info.find("warnings");
  if (list == info.end()) return true;
  if (!list->is_array()) return false;
  for (const nlohmann::json& item : *list) {
    std::optional<Diagnostic> warning = read_diagnostic(item, Severity::warning);
    if (!warning) return false;
    warnings->push_back(*std::move(warning));
  }
  return true;
}

/// What is not there, or is of another type, is not known.
CompileReport read_report(const nlohmann::json& info) {
  CompileReport report;
  const auto found = info.find("report");
  if (found == info.end() || !found->is_object()) return report;
  for (const auto& [name, number] : kReportNumbers) {
    const auto value = found->find(name);
    if (value != found->end() && value->is_number_integer()) report.*number = value->get<std::int64_t>();
  }
  if (const auto reason = found->find("scalar_because"); reason != found->end()) {
    report.scalar_because = read_diagnostic(*reason, Severity::note);
  }
  return report;
}

std::optional<Record> record_of(const Sections& sections, Flaw* why) {
  std::optional<Info> info = parse_info(sections.info);
  if (!info) {
    fail(why, Miss::damaged, "unreadable description");
    return std::nullopt;
  }
  return Record{*std::move(info), std::string(sections.payload)};
}

}  // namespace

std::optional<base::Hash128> sound_checksum(std::string_view bytes) {
  if (bytes.size() < kEntryChecksumBytes) return std::nullopt;
  const std::size_t end = bytes.size() - kEntryChecksumBytes;
  const base::Hash128 hash = base::hash128(bytes.substr(0, end));
  return base::view(hash) == bytes.substr(end) ? std::optional(hash) : std::nullopt;
}

std::string encode(const std::string& canonical_key, const Record& entry) {
  const nlohmann::json json = {{"kernel", entry.info.kernel},
                               {"kind", entry.info.kind},
                               {"signature", entry.info.signature},
                               {"variant", entry.info.variant},
                               {"target", entry.info.target},
                               {"compiler", entry.info.compiler},
                               {"body", entry.info.body},
                               {"warnings", json_of(entry.info.warnings)},
                               {"report", json_of(entry.info.report)},
                               {"compile_ms", entry.info.compile_ms},
                               {"created_unix", entry.info.created_unix}};
  // The texts are for people; bytes that are not UTF-8 may be replaced here, unlike in the key.
  const std::string info = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(kPrologueBytes + canonical_key.size() + info.size() + entry.payload.size() + kEntryChecksumBytes);
  out += kEntryMagic;
  append_integer(out, kEntryVersion, 4);
  append_integer(out, canonical_key.size(), 8);
  append_integer(out, info.size(), 8);
  append_integer(out, entry.payload.size(), 8);
  out += canonical_key;
  out += info;
  out += entry.payload;
  out += base::view(base::hash128(out));
  return out;
}

std::optional<Record> decode(std::string_view bytes, std::string_view canonical_key, Flaw* why) {
  Sections sections;
  if (!open(bytes, &sections, why)) return std::nullopt;
  if (sections.key != canonical_key) {
    fail(why, Miss::other_key, "made for another key");
    return std::nullopt;
  }
  return record_of(sections, why);
}

std::optional<Stored> decode_any(std::string_view bytes, Flaw* why) {
  Sections sections;
  if (!open(bytes, &sections, why)) return std::nullopt;
  std::optional<Record> record = record_of(sections, why);
  if (!record) return std::nullopt;
  return Stored{std::string(sections.key), *std::move(record)};
}

std::optional<Prologue> read_prologue(std::string_view bytes, std::uint64_t file_bytes, Flaw* why) {
  Prologue sizes;
  if (is_other_format(bytes, why) || !split(bytes, file_bytes, &sizes, why)) return std::nullopt;
  return sizes;
}

std::optional<Info> parse_info(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  enum class Need { required, optional };
  const auto string = [&](const char* name, Need need, std::string* to) {
    const auto found = json.find(name);
    if (found == json.end()) return need == Need::optional;
    if (!found->is_string()) return false;
    *to = found->get_ref<const std::string&>();
    return true;
  };
  const auto ms = json.find("compile_ms");
  const auto created = json.find("created_unix");
  if (ms == json.end() || !ms->is_number() || created == json.end() || !created->is_number_integer()) return std::nullopt;
  Info info;
  info.compile_ms = ms->get<double>();
  info.created_unix = created->get<std::int64_t>();
  const bool all = string("kernel", Need::required, &info.kernel) && string("signature", Need::required, &info.signature) &&
                   string("body", Need::required, &info.body) && string("kind", Need::optional, &info.kind) &&
                   string("variant", Need::optional, &info.variant) && string("target", Need::optional, &info.target) &&
                   string("compiler", Need::optional, &info.compiler);
  if (!all || !read_warnings(json, &info.warnings)) return std::nullopt;
  info.report = read_report(json);
  return info;
}

}  // namespace kiln::cache
