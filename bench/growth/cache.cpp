// Bundles of the kernel cache, and the kernels that a process loads from it.
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>

#include "base/hash.hpp"
#include "cache/bundle.hpp"
#include "cache/bundle_exchange.hpp"
#include "cache/entry.hpp"
#include "cache/key.hpp"
#include "growth/curve.hpp"
#include "growth/folder.hpp"

namespace growth {
namespace {

namespace cache = kiln::cache;

constexpr int kRounds = 3;

/// Entries as small kernels have: a text of 600 bytes, machine code of 2,000.
std::map<kiln::base::Hash128, std::string> entries(int count) {
  std::map<kiln::base::Hash128, std::string> all;
  for (int i = 0; i < count; ++i) {
    const cache::Key key{.kiln_version = "0.1.0",
                         .templates = "0123456789abcdef0123456789abcdef",
                         .source = "kernel " + std::to_string(i) + std::string(600, 'x'),
                         .headers = {},
                         .options = {"-O3", "-std=c++20"},
                         .defines = {},
                         .target = "sm_90",
                         .compiler = "NVRTC 13.0.48",
                         .runtime = ""};
    const std::string canonical = key.canonical();
    const cache::Record record{.info = {.kernel = "f", .signature = "float32(float32 a)", .body = "return a;"},
                               .payload = std::string(2000, static_cast<char>(i))};
    all[*kiln::base::from_hex(cache::digest(canonical))] = cache::encode(canonical, record);
  }
  return all;
}

void write_bundle(const std::string& path, int count) {
  kiln::base::FileError error;
  auto writer = cache::BundleWriter::create(path, &error);
  bool good = writer.has_value();
  for (const auto& [digest, bytes] : entries(count)) good = good && !writer->add(digest, bytes);
  if (!good || writer->finish()) throw std::runtime_error("cannot write " + path);
}

/// Whether the checksums of a bundle and of all its entries are right.
void verify(const std::string& path) {
  kiln::base::FileError error;
  const auto bundle = cache::Bundle::open(path, &error);
  const auto fault = bundle->verify([](const cache::BundleItem& item, std::string_view bytes) -> std::string {
    const auto stored = cache::decode_any(bytes, nullptr);
    const auto key = stored ? cache::parse_key(stored->key) : std::nullopt;
    const bool sound = key && key->canonical() == stored->key && cache::digest(stored->key) == kiln::base::to_hex(item.digest);
    return sound ? "" : "not sound";
  });
  if (fault) throw std::runtime_error(fault->text);
}

}  // namespace

std::vector<Curve> cache_curves(Effort effort) {
  Curve verified{.name = "bundle, verify", .of = "entries", .unit = "ms", .most = 1.3};
  Curve imported{.name = "bundle, import", .of = "entries", .unit = "ms", .most = 1.3};
  Curve again{.name = "bundle, import again", .of = "entries", .unit = "ms", .most = 1.3};
  for (const int count : up_to({250, 1'000, 4'000, 10'000, 30'000, 100'000}, effort == Effort::check ? 4'000 : 100'000)) {
    const Folder folder(effort == Effort::check ? Folder::Where::memory : Folder::Where::disk);
    const std::string bundle = folder.path + "/bundle";
    write_bundle(bundle, count);
    verified.points.push_back({double(count), least_ms(kRounds, [&] { verify(bundle); })});
    // A directory of its own for each round: disks are slow where files were removed just before.
    int round = 0;
    const auto directory = [&] { return folder.path + "/" + std::to_string(round); };
    const auto import = [&] {
      cache::DiskStore store(directory(), {}, 4ULL << 30, {});
      cache::import_bundle(store, bundle);
    };
    const auto begin = [&] {
      if (effort == Effort::check) std::filesystem::remove_all(directory());
      ++round;
    };
    imported.points.push_back({double(count), least_ms(kRounds, import, begin)});
    again.points.push_back({double(count), least_ms(kRounds, import)});
  }
  return {verified, imported, again};
}

}  // namespace growth
