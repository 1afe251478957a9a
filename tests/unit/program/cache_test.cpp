// The public handle, over a device that runs nothing.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <thread>

#include "../base/sanitizer.hpp"
#include "../base/temporary_directory.hpp"
#include "../cache/sample.hpp"
#include "cache/key.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "plain_request.hpp"
#include "program/cache_impl.hpp"
#include "program/job.hpp"
#include "support/message.hpp"
#include "text_backend.hpp"

using namespace kiln;
using kiln::cache::Miss;
using kiln::test::entry_file;
using kiln::test::list_files;
using kiln::test::TemporaryDirectory;
using kiln::test::TextBackend;

namespace {

using kiln::test::message_of;

struct Kernel {
  explicit Kernel(const Cache& cache, const std::string& body = "return a;", const std::string& name = "k",
                  const std::vector<std::string>& defines = {}) {
    text.name = name;
    text.body = body;
    text.input_names = {"a"};
    text.defines = defines;
    spec = kinds::ElementwiseSpec{.inputs = {{}}, .outputs = {{}}};
    request = test::plain_request(text, spec, "float64(float64 a)", cache);
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  codegen::UserText text;
  kinds::ElementwiseSpec spec;
  program::Request request;
};

std::string file_of(const Kernel& kernel, const TextBackend& device) {
  return entry_file(program::make_job(kernel.request, *device.compiler()).key);
}

}  // namespace

TEST_CASE("a cache of its own keeps kernels where it is told, and counts what it did") {
  const TemporaryDirectory folder;
  const Cache first(CacheOptions{.directory = folder / "cache"});
  TextBackend device(std::chrono::milliseconds(10));
  CHECK_FALSE(std::filesystem::exists(folder / "cache"));
  CHECK(first.directory() == folder / "cache");
  const Kernel kernel(first);
  const auto module = program::load(kernel.request, device);
  CHECK(program::load(kernel.request, device) == module);
  const std::uint64_t size = std::filesystem::file_size(folder / "cache/" + file_of(kernel, device));
  cache::Stats stats = first.stats();
  CHECK(stats.compiles == 1);
  CHECK(stats.memory_hits == 1);
  CHECK(stats.disk_hits == 0);
  CHECK(stats.misses[static_cast<std::size_t>(Miss::absent)] == 1);
  CHECK(stats.compile_ms >= 10);
  CHECK(stats.saved_ms == doctest::Approx(stats.compile_ms));
  CHECK(stats.bytes_written == size);
  CHECK(stats.bytes_read == 0);
  CHECK(stats.memory_bytes == program::build(kernel.request, *device.compiler()).bytes().size());

  const Cache second(CacheOptions{.directory = folder / "empty", .read_only = {folder / "cache"}});
  CHECK(program::build(Kernel(second).request, *device.compiler()).origin == program::Origin::read_only);
  CHECK(second.stats().read_only_hits == 1);
  CHECK(second.stats().disk_hits == 0);
  CHECK(second.stats().bytes_read == size);
  CHECK(second.stats().saved_ms >= 10);
  CHECK(second.stats().compiles == 0);

  const Cache third(CacheOptions{.directory = folder / "cache"});
  const Cache copy = third;
  CHECK(program::build(Kernel(third).request, *device.compiler()).origin == program::Origin::disk);
  CHECK(copy.stats().disk_hits == 1);
  CHECK(device.counting->compiles == 1);
}

TEST_CASE("misses are counted by reason, failures each time") {
  const TemporaryDirectory folder;
  TextBackend device;
  const auto count = [&](Miss reason) {
    const Cache cache(CacheOptions{.directory = folder.path()});
    (void)program::build(Kernel(cache).request, *device.compiler());
    CHECK(cache.stats().compiles == 1);
    std::uint64_t all = 0;
    for (const std::uint64_t misses : cache.stats().misses) all += misses;
    CHECK(all == 1);
    return cache.stats().misses[static_cast<std::size_t>(reason)];
  };
  CHECK(count(Miss::absent) == 1);
  const Cache any(CacheOptions{.directory = folder.path()});
  const std::string file = folder / file_of(Kernel(any), device);
  const std::string good = kiln::test::read_text(file);
  const auto place = [&](const std::string& bytes) {
    kiln::test::write_text(file, bytes);
    chmod(file.c_str(), 0600);
  };
  place("x");
  CHECK(count(Miss::damaged) == 1);
  std::string newer = good;
  newer[8] = 2;
  place(kiln::test::with_checksum(newer));
  CHECK(count(Miss::other_format) == 1);
  place(cache::encode("another", {}));
  CHECK(count(Miss::other_key) == 1);
  place(good);
  chmod(file.c_str(), 0666);
  CHECK(count(Miss::not_trusted) == 1);

  const Cache cache(CacheOptions{.directory = folder.path()});
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_AS((void)program::build(Kernel(cache, "error").request, *device.compiler()), CompileError);
  }
  CHECK(cache.stats().failures == 3);
  CHECK(cache.stats().compiles == 1);
  CHECK(cache.stats().misses[0] == 1);
  // Remembered in memory alone.
  CHECK_FALSE(std::filesystem::exists(folder / file_of(Kernel(cache, "error"), device)));
  const int before = device.counting->compiles;
  const Cache next(CacheOptions{.directory = folder.path()});
  CHECK_THROWS_AS((void)program::build(Kernel(next, "error").request, *device.compiler()), CompileError);
  CHECK(device.counting->compiles == before + 1);
}

TEST_CASE("the memory tier has the bound that it is given") {
  TextBackend device;
  const Cache small(CacheOptions{.memory_bytes = 1});
  for (int i = 0; i < 2; ++i) (void)program::build(Kernel(small).request, *device.compiler());
  CHECK(small.stats().compiles == 2);
  CHECK(small.stats().memory_bytes == 0);
  CHECK(small.list().empty());
  const Cache large(CacheOptions{});
  for (int i = 0; i < 2; ++i) (void)program::build(Kernel(large).request, *device.compiler());
  CHECK(large.stats().compiles == 1);
  CHECK(large.directory().empty());
  CHECK(large.verify(true).entries == 0);
  CHECK(large.clear().entries == 0);
}

TEST_CASE("what has no directory to go to is listed, found and exported") {
  TextBackend device;
  const TemporaryDirectory folder;
  const std::string bundle = folder.path() + "/kernels.bundle";
  const Cache memory(CacheOptions{});
  const std::string code = program::build(Kernel(memory).request, *device.compiler()).bytes();
  const auto entries = memory.list();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].tier == "memory");
  CHECK(entries[0].code_bytes == code.size());
  const auto found = memory.find(entries[0].id.substr(0, 8));
  REQUIRE(found.has_value());
  CHECK(found->code == code);
  CHECK(memory.explain(found->key).hit);
  CHECK(memory.export_bundle(bundle).entries == 1);
  CHECK(message_of<CacheError>([&] { (void)memory.export_bundle(bundle, {"ffff"}); }) ==
        "cannot export \"ffff\": no entry has that id");
  // A cache of read-only tiers alone has both.
  const Cache shipped(CacheOptions{.read_only = {bundle}});
  CHECK(program::build(Kernel(shipped).request, *device.compiler()).bytes() == code);
  CHECK(shipped.stats().read_only_hits == 1);
  (void)program::build(Kernel(shipped, "return 2 * a;").request, *device.compiler());
  CHECK(shipped.stats().compiles == 1);
  CHECK(shipped.list().size() == 2);
}

TEST_CASE("entries are listed once with what they say of themselves, sorted, and found by the beginning of their ids") {
  const TemporaryDirectory folder;
  TextBackend device;
  const Cache shipped(CacheOptions{.directory = folder / "shipped"});
  (void)program::build(Kernel(shipped, "return a;", "b").request, *device.compiler());
  (void)program::build(Kernel(shipped, "return a + 1;", "a").request, *device.compiler());
  const Cache cache(CacheOptions{.directory = folder / "own", .read_only = {folder / "absent", folder / "shipped"}});
  CHECK(cache.list().size() == 2);
  const Kernel own(cache, "return a + 2;", "a");
  (void)program::build(own.request, *device.compiler());
  std::filesystem::copy(folder / "shipped", folder / "own",
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  const auto entries = cache.list();
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].kernel == "a");
  CHECK(entries[1].kernel == "a");
  CHECK(entries[0].id < entries[1].id);
  CHECK(entries[2].kernel == "b");
  CHECK(entries[2].tier == folder / "own");

  const std::string id = program::make_job(own.request, *device.compiler()).digest;
  const auto found = cache.find(id.substr(0, 20));
  REQUIRE(found);
  CHECK(found->entry.id == id);
  CHECK(found->entry.kind == "ufunc");
  CHECK(found->entry.signature == "float64(float64 a)");
  CHECK(found->entry.target == "sm_90");
  CHECK(found->entry.compiler == "Counting 1");
  CHECK(found->entry.bytes == std::filesystem::file_size(folder / "own/" + file_of(own, device)));
  CHECK(found->entry.code_bytes == found->code.size());
  CHECK(found->entry.created > 1'600'000'000);
  CHECK(found->entry.used >= found->entry.created - 60);
  CHECK(found->body == "return a + 2;");
  CHECK(found->code == "code of " + found->source);
  CHECK(found->key == program::make_job(own.request, *device.compiler()).key);
  CHECK_FALSE(cache.find("zz"));
  CHECK_FALSE(cache.find(std::string(32, '0')));
  const std::string several = message_of<CacheError>([&] { (void)cache.find(""); });
  CHECK(several.starts_with("several entries begin with \"\": "));
  CHECK(several.find(id) != std::string::npos);

  // A damaged one is not listed where its head is, and is told by name.
  const std::string file = folder / "own/" + file_of(own, device);
  std::string bytes = kiln::test::read_text(file);
  bytes[bytes.size() - 20] ^= 1;
  kiln::test::write_text(file, bytes);
  CHECK(message_of<IoError>([&] { (void)cache.find(id); }) == "cannot read cache entry " + id + ": wrong checksum");
  kiln::test::write_text(file, "x");
  CHECK(cache.list().size() == 2);
  CHECK(std::filesystem::exists(file));  // looking sets nothing aside
  CHECK(cache.stats().disk_hits == 0);
}

TEST_CASE("explain tells a hit, why not, and from which entry of the name the key differs least") {
  const TemporaryDirectory folder;
  TextBackend device;
  const Cache cache(CacheOptions{.directory = folder.path()});
  const Kernel wanted(cache);
  const Kernel near(cache, "return a;", "k", {"N=3"});
  Kernel far(cache, "return a * 2;", "k", {"N=3"});
  far.request.arithmetic.fast_math = true;
  const Kernel stranger(cache, "return a;", "other");
  for (const Kernel* kernel : {static_cast<const Kernel*>(&far), &stranger})
    (void)program::build(kernel->request, *device.compiler());
  const program::Job job = program::make_job(wanted.request, *device.compiler());
  auto explained = cache.explain(job.key);
  CHECK_FALSE(explained.hit);
  CHECK(explained.id == job.digest);
  CHECK(explained.reason == Miss::absent);
  CHECK(explained.nearest == program::make_job(far.request, *device.compiler()).digest);
  CHECK(explained.differences.size() == 3);

  (void)program::build(near.request, *device.compiler());
  explained = cache.explain(job.key);
  CHECK(explained.nearest == program::make_job(near.request, *device.compiler()).digest);
  REQUIRE(explained.differences.size() == 2);
  CHECK(explained.differences[1].field == "source");
  CHECK(explained.differences[0].field == "defines");
  CHECK(explained.differences[0].wanted.empty());
  CHECK(explained.differences[0].found == "N=3");

  (void)program::build(wanted.request, *device.compiler());
  explained = cache.explain(job.key);
  CHECK(explained.hit);
  CHECK(explained.tier == folder.path());
  CHECK(explained.differences.empty());
  kiln::test::write_text(folder / file_of(wanted, device), "x");
  CHECK(cache.explain(job.key).reason == Miss::damaged);
  CHECK_FALSE(cache.explain(program::make_job(Kernel(cache, "return a;", "nobody").request, *device.compiler()).key).hit);
  CHECK(cache.explain(program::make_job(Kernel(cache, "return a;", "nobody").request, *device.compiler()).key).nearest == "");
  CHECK(message_of<CacheError>([&] { (void)cache.explain("{}"); }).starts_with("cannot explain a key that is none"));
}

TEST_CASE("prune and clear remove entries and nothing else, and programs keep what they loaded") {
  const TemporaryDirectory folder;
  TextBackend device;
  const Cache cache(CacheOptions{.directory = folder.path()});
  for (int i = 0; i < 4; ++i) {
    (void)program::build(Kernel(cache, "return a + " + std::to_string(i) + ";").request, *device.compiler());
  }
  const std::string old = folder / file_of(Kernel(cache, "return a + 2;"), device);
  const timespec stamp{std::time(nullptr) - 7200, 0};
  const timespec times[2] = {stamp, stamp};
  utimensat(AT_FDCWD, old.c_str(), times, 0);
  kiln::test::write_text(folder / "notes.txt", "mine");
  cache::Removal removed = cache.prune(std::nullopt, std::chrono::hours(1));
  CHECK(removed.entries == 1);
  CHECK(removed.bytes > 0);
  CHECK_FALSE(std::filesystem::exists(old));
  CHECK(cache.prune(1 << 30).entries == 0);
  // Entries differ by the digits of their compile times: the largest one's size has room for any one of them and for no two.
  std::uint64_t largest = 0;
  for (const cache::Entry& entry : cache.list()) largest = std::max(largest, entry.bytes);
  removed = cache.prune(largest);
  CHECK(removed.entries == 2);
  CHECK(cache.list().size() == 1);
  CHECK(cache.clear().entries == 1);
  CHECK(list_files(folder.path()) == std::vector<std::string>{"notes.txt", "sweep.lock", "usage"});
  (void)program::build(Kernel(cache, "return a + 0;").request, *device.compiler());
  CHECK(device.counting->compiles == 4);
}

TEST_CASE("those who look after a refused directory are told") {
  const TemporaryDirectory folder;
  const Cache cache(CacheOptions{.directory = folder.path()});
  chmod(folder.path().c_str(), 0777);
  const std::string expected = "cannot use the cache directory " + folder.path() +
                               ": it can be written by others (mode 0777); to mend it: chmod 700 " + folder.path();
  CHECK(message_of<CacheError>([&] { (void)cache.list(); }) == expected);
  CHECK(message_of<CacheError>([&] { (void)cache.find("00"); }) == expected);
  CHECK(message_of<CacheError>([&] { (void)cache.explain(kiln::test::sample_key().canonical()); }) == expected);
  CHECK(message_of<CacheError>([&] { (void)cache.verify(); }) == expected);
  CHECK(message_of<CacheError>([&] { (void)cache.prune(0); }) == expected);
  CHECK(message_of<CacheError>([&] { (void)cache.clear(); }) == expected);
}

TEST_CASE("an entry of before its description held target and compiler is listed with those of its key") {
  const TemporaryDirectory folder;
  cache::DiskStore store(folder.path(), {}, 1 << 30, nullptr);
  cache::Key key = kiln::test::sample_key();
  key.target = "x86-64-v4 +avx512f tune=znver5";
  cache::Record record = kiln::test::sample_entry();
  record.info.target.clear();
  record.info.compiler.clear();
  store.put(key.canonical(), record);
  const auto entries = Cache(CacheOptions{.directory = folder.path()}).list();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].target == "x86-64-v4");
  CHECK(entries[0].compiler == "NVRTC 13.0.48");
}

TEST_CASE("a definition keeps its cache") {
  const TemporaryDirectory folder;
  TextBackend device;
  std::weak_ptr<detail::CacheImpl> watched;
  {
    UfuncDefinition definition{.name = "k", .signatures = {"float64(float64 a)"}, .body = "return a;"};
    {
      const Cache cache(CacheOptions{.directory = folder.path()});
      watched = cache.impl();
      definition.compile.cache = cache;
    }
    const Ufunc ufunc = vectorize(std::move(definition));
    CHECK_FALSE(watched.expired());
  }
  CHECK(watched.expired());
}

TEST_CASE("children forked while caches come and go can use every one of them") {
  const TemporaryDirectory folder;
  const Cache one(CacheOptions{.directory = folder / "one"});
  const Cache two(CacheOptions{.directory = folder / "two"});
  TextBackend device;
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  // Look-ups alone, so that a fork finds a lock held as often as not.
  const program::Job job = program::make_job(Kernel(one).request, *device.compiler());
  for (const Cache* cache : {&one, &two}) {
    busy.emplace_back([&, cache] {
      while (!stop) (void)cache->impl()->builder().build(job, *device.compiler());
    });
  }
  busy.emplace_back([&] {
    while (!stop) (void)program::build(Kernel(Cache(CacheOptions{})).request, *device.compiler());
  });
  int wrong = 0;
  for (int i = 0; i < kiln::test::rounds(50) && wrong == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a child that hangs is killed
      const Cache fresh(CacheOptions{.directory = folder / "one"});
      const TextBackend own;
      for (const Cache* cache : {&one, &two, &fresh}) {
        if (program::build(Kernel(*cache).request, *own.compiler()).bytes().empty()) _exit(1);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    wrong += status == 0 ? 0 : 1;
  }
  stop = true;
  for (auto& thread : busy) thread.join();
  CHECK(wrong == 0);
}
