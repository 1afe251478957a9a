#include "manifest/warm_messages.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/little_endian.hpp"

namespace kiln::manifest {
namespace {

// Counted up where messages change.
constexpr std::uint64_t kWarmProtocol = 1;

class WarmWriter {
 public:
  WarmWriter& number(std::uint64_t value) {
    base::append_integer(bytes_, value, 8);
    return *this;
  }
  WarmWriter& real(double value) { return number(std::bit_cast<std::uint64_t>(value)); }
  WarmWriter& text(std::string_view text) {
    number(text.size());
    bytes_ += text;
    return *this;
  }
  WarmWriter& bits(const std::vector<std::uint8_t>& bits) {
    return text({reinterpret_cast<const char*>(bits.data()), bits.size()});
  }
  WarmWriter& hash(const base::Hash128& hash) {
    bytes_ += base::view(hash);
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// After the end everything is 0 and empty, and complete() is false.
class WarmReader {
 public:
  explicit WarmReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    const std::string_view bytes = take(8);
    return bytes.empty() ? 0 : base::read_integer(bytes, 0, 8);
  }
  double real() { return std::bit_cast<double>(number()); }
  std::string_view text() { return take(number()); }
  std::vector<std::uint8_t> bits() {
    const std::string_view bytes = text();
    return {bytes.begin(), bytes.end()};
  }
  base::Hash128 hash() {
    base::Hash128 hash{};
    const std::string_view bytes = take(hash.size());
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(hash.data()));
    return hash;
  }
  /// A number of items that take `bytes` each at least.
  std::size_t count(std::size_t bytes) {
    const std::uint64_t count = number();
    if (count > rest_.size() / bytes) failed_ = true;
    return failed_ ? 0 : static_cast<std::size_t>(count);
  }
  [[nodiscard]] bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::string encode(const WarmMessage& message) {
  WarmWriter rest;
  rest.number(kWarmProtocol).number(static_cast<std::uint64_t>(message.step)).text(message.error).text(message.payload);
  return std::string(kWarmName) + '\n' + rest.take();
}

std::optional<WarmMessage> decode_message(std::string_view bytes, std::string* other) {
  constexpr std::size_t kLongestName = 100;
  other->clear();
  const std::size_t end = bytes.substr(0, kLongestName).find('\n');
  if (end == std::string_view::npos || !bytes.starts_with("kiln::")) return std::nullopt;
  if (bytes.substr(0, end) != kWarmName) {
    *other = bytes.substr(0, end);
    return std::nullopt;
  }
  WarmReader reader(bytes.substr(end + 1));
  if (reader.number() != kWarmProtocol) {
    *other = std::string(kWarmName) + " of another version of kiln";
    return std::nullopt;
  }
  WarmMessage message;
  message.step = static_cast<int>(reader.number() & 0xFF);
  message.error = reader.text();
  message.payload = reader.text();
  if (!reader.complete()) return std::nullopt;
  return message;
}

std::string encode(const WarmCall& value) {
  return WarmWriter()
      .text(value.targets)
      .number(value.other_sizes ? 1 : 0)
      .number(static_cast<std::uint64_t>(value.timeout_ms))
      .hash(value.manifest)
      .number(value.empty ? 1 : 0)
      .text(value.cpu_target)
      .hash(value.host)
      .bits(value.processors)
      .number(static_cast<std::uint64_t>(value.jobs))
      .hash(value.environment)
      .hash(value.place)
      .take();
}

bool decode(std::string_view bytes, WarmCall& value) {
  WarmReader reader(bytes);
  value.targets = reader.text();
  value.other_sizes = reader.number() != 0;
  value.timeout_ms = static_cast<std::int64_t>(reader.number());
  value.manifest = reader.hash();
  value.empty = reader.number() != 0;
  value.cpu_target = reader.text();
  value.host = reader.hash();
  value.processors = reader.bits();
  value.jobs = static_cast<int>(std::min<std::uint64_t>(reader.number(), 1 << 20));
  value.environment = reader.hash();
  value.place = reader.hash();
  return reader.complete();
}

std::string encode(const WarmInventory& value) {
  return WarmWriter().bits(value.found).take();
}

bool decode(std::string_view bytes, WarmInventory& value) {
  WarmReader reader(bytes);
  value.found = reader.bits();
  return reader.complete();
}

std::string encode(const WarmList& value) {
  WarmWriter writer;
  writer.hash(value.list).number(value.digests.size());
  for (const base::Hash128& digest : value.digests) writer.hash(digest);
  return writer.take();
}

bool decode(std::string_view bytes, WarmList& value) {
  WarmReader reader(bytes);
  value.list = reader.hash();
  value.digests.resize(reader.count(sizeof(base::Hash128)));
  for (base::Hash128& digest : value.digests) digest = reader.hash();
  return reader.complete();
}

std::string encode(const WarmProducts& value) {
  WarmWriter writer;
  writer.number(value.compiled.size());
  for (const WarmProducts::Kernel& each : value.compiled) {
    writer.hash(each.digest).real(each.compile_ms).text(each.kernel).text(each.target);
  }
  return writer.number(static_cast<std::uint64_t>(value.threads)).real(value.compile_ms).text(value.bundle).take();
}

bool decode(std::string_view bytes, WarmProducts& value) {
  WarmReader reader(bytes);
  value.compiled.resize(reader.count(sizeof(base::Hash128) + 24));
  for (WarmProducts::Kernel& each : value.compiled) {
    each.digest = reader.hash();
    each.compile_ms = reader.real();
    each.kernel = reader.text();
    each.target = reader.text();
  }
  value.threads = static_cast<int>(std::min<std::uint64_t>(reader.number(), 1 << 20));
  value.compile_ms = reader.real();
  value.bundle = reader.text();
  return reader.complete();
}

}  // namespace kiln::manifest
