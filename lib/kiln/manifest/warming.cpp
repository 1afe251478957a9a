// warm() as messages: the call, lists of kernels, the inventory, the products, the end. Every rank makes the same plan
// of the same messages.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "cache/bundle_exchange.hpp"
#include "compiler/compiler.hpp"
#include "kiln/cache.hpp"
#include "kiln/compilers.hpp"
#include "kiln/warm.hpp"
#include "manifest/manifest.hpp"
#include "manifest/warm_bundles.hpp"
#include "manifest/warm_checks.hpp"
#include "manifest/warm_messages.hpp"
#include "manifest/warm_plan.hpp"
#include "manifest/warm_work.hpp"
#include "manifest/work.hpp"
#include "program/cache_impl.hpp"
#include "program/job.hpp"

namespace kiln {

namespace {

using Clock = std::chrono::steady_clock;
using base::Hash128;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

namespace detail {

class WarmingImpl {
 public:
  WarmingImpl(int rank, int size, const Manifest& manifest, const WarmOptions& options)
      : rank_(rank), size_(size), manifest_(manifest), options_(options), start_(Clock::now()) {
    if (size < 1 || rank < 0 || rank >= size) {
      throw TypeError(fmt::format("kiln::warm: rank {} is none of the {} ranks: ranks are numbered from 0", rank, size));
    }
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::time_point::max() - start_) / 2;
    deadline_ = start_ + std::clamp(options.timeout, std::chrono::milliseconds(0), longest);
    // Whoever compiles to the last moment comes too late with the news of it.
    compiles_end_ = deadline_ - std::min<Clock::duration>(options.timeout / 10, std::chrono::seconds(5));
    report_.ranks.resize(static_cast<std::size_t>(size));
    next(Step::call, [&] { return encode(own_call()); });
  }

  [[nodiscard]] bool done() const noexcept { return step_ == Step::done; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }
  [[nodiscard]] const WarmReport& report() const {
    if (!done()) throw TypeError("kiln::warm: there is no report before the last message is received");
    return report_;
  }

  void receive(const std::vector<std::string>& messages) {
    if (done()) throw TypeError("kiln::warm: the last message was received");
    const std::vector<std::string> payloads = manifest::open_messages(messages, static_cast<int>(step_), rank_, size_);
    switch (step_) {
      case Step::call:
        receive_calls(payloads);
        next(Step::list, [&] { return encode(own_list()); });
        break;
      case Step::list:
        receive_lists(payloads);
        next(Step::inventory, [&] { return encode(own_inventory()); });
        break;
      case Step::inventory:
        receive_inventories(payloads);
        next(Step::products, [&] { return encode(own_products()); });
        break;
      case Step::products:
        receive_products(payloads);
        next(Step::end, [&] {
          import_all();
          return std::string();
        });
        break;
      case Step::end:
        report_.seconds = seconds_since(start_);
        message_.clear();
        step_ = Step::done;
        break;
      case Step::done:
        break;
    }
  }

 private:
  enum class Step { call, list, inventory, products, end, done };

  /// Makes the next message. What this rank fails at is part of it.
  template <class Make>
  void next(Step step, const Make& make) {
    manifest::WarmMessage message{.step = static_cast<int>(step), .error = {}, .payload = {}};
    try {
      message.payload = make();
    } catch (const std::exception& error) {
      message.error = *error.what() == '\0' ? "an error without a text" : error.what();
    }
    step_ = step;
    message_ = manifest::encode(message);
  }

  [[noreturn]] void fail(std::size_t rank, const std::string& text) const { manifest::fail_rank(rank, size_, text); }

  template <class T>
  [[nodiscard]] std::vector<T> decode_all(const std::vector<std::string>& payloads) const {
    std::vector<T> values(payloads.size());
    for (std::size_t rank = 0; rank < payloads.size(); ++rank) {
      if (!manifest::decode(payloads[rank], values[rank])) fail(rank, "its message is damaged");
    }
    return values;
  }

  // ---- the call

  manifest::WarmCall own_call() {
    targets_ = options_.targets.empty() ? manifest::targets_here() : options_.targets;
    empty_ = manifest_.impl()->entries.empty();
    const bool native = std::ranges::find(targets_, "native") != targets_.end();
    const std::string text = manifest_.text();
    return {.targets = fmt::format("{}", fmt::join(options_.targets, "\n")),
            .other_sizes = options_.other_sizes,
            .timeout_ms = options_.timeout.count(),
            .manifest = base::hash128(text),
            .empty = empty_,
            .cpu_target = native && !empty_ ? cpu_target() : std::string(),
            .host = manifest::this_host(),
            .processors = manifest::usable_processors(),
            .jobs = options_.jobs,
            .environment = empty_ ? Hash128{} : manifest::environment_of(text, targets_, rank_),
            .place = empty_ ? Hash128{} : manifest::place_of(options_.cache, rank_)};
  }

  void receive_calls(const std::vector<std::string>& payloads) {
    calls_ = decode_all<manifest::WarmCall>(payloads);
    manifest::check_calls(calls_);
    std::vector<std::string> cpus;
    for (const manifest::WarmCall& call : calls_) {
      if (!call.cpu_target.empty()) cpus.push_back(call.cpu_target);
    }
    if (!cpus.empty()) report_.cpu_target = common_cpu_target(cpus);
    slots_ = manifest::compile_slots(calls_);
    listing_ = manifest::listing_ranks(calls_, slots_);
    for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
      if (!calls_[rank].empty) leaders_.try_emplace(calls_[rank].environment, rank);
    }
  }

  [[nodiscard]] const manifest::WarmCall& own() const { return calls_[static_cast<std::size_t>(rank_)]; }

  // ---- which kernels

  /// Making it takes time, which ranks that compile nothing leave to others.
  manifest::WarmList own_list() {
    if (!report_.cpu_target.empty() && !own().cpu_target.empty()) set_cpu_target(report_.cpu_target);
    if (!listing_[static_cast<std::size_t>(rank_)]) return {};
    for (const std::string& target : targets_) add_kernels(target == "native" ? report_.cpu_target : target);
    std::ranges::sort(wanted_, {}, [](const auto& each) { return each.first; });
    manifest::WarmList list;
    std::string all;
    for (const auto& [digest, kernel] : wanted_) {
      all += base::view(digest);
      list.digests.push_back(digest);
    }
    list.list = base::hash128(all);
    if (leaders_.at(own().environment) != static_cast<std::size_t>(rank_)) list.digests.clear();
    return list;
  }

  void add_kernels(const std::string& target) {
    if (empty_) return;
    const auto compiler = backend::compiler_for(target);
    compilers_.push_back(compiler);
    for (const manifest::Work& work : manifest::work_of(manifest_.impl()->entries, *compiler, options_.other_sizes)) {
      manifest::Wanted kernel{.request = std::move(work.unit->requests(compiler->kind()).at(work.which)), .job = {}};
      kernel.request.cache = options_.cache;
      kernel.job = program::make_job(kernel.request, *compiler);
      const Hash128 digest = *base::from_hex(kernel.job.digest);
      if (known_.insert(digest).second) wanted_.emplace_back(digest, std::move(kernel));
    }
  }

  void receive_lists(const std::vector<std::string>& payloads) {
    auto lists = decode_all<manifest::WarmList>(payloads);
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
      if (!listing_[rank]) continue;
      const std::size_t leader = leaders_.at(calls_[rank].environment);
      if (lists[rank].list != lists[leader].list) {
        fail(rank,
             fmt::format("it has other kernels than rank {}, although both run the same kiln for the same targets", leader));
      }
    }
    for (const auto& [environment, leader] : leaders_) lists_.emplace(environment, std::move(lists[leader].digests));
  }

  [[nodiscard]] const std::vector<Hash128>& digests_of(std::size_t rank) const {
    static const std::vector<Hash128> none;
    return calls_[rank].empty ? none : lists_.at(calls_[rank].environment);
  }

  manifest::WarmInventory own_inventory() {
    manifest::WarmInventory inventory;
    const std::vector<Hash128>& digests = digests_of(static_cast<std::size_t>(rank_));
    inventory.found.resize((digests.size() + 7) / 8);
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (has(digests[i])) manifest::set_bit(inventory.found, i);
    }
    return inventory;
  }

  /// Whether the cache has it, in a way that can be sent.
  [[nodiscard]] bool has(const Hash128& digest) const {
    detail::CacheImpl& impl = program::impl_of(options_.cache);
    if (listing_[static_cast<std::size_t>(rank_)]) return impl.builder().has(wanted(digest).job);
    return stored(digest).has_value();
  }
  [[nodiscard]] std::optional<cache::Stored> stored(const Hash128& digest) const {
    for (const cache::Tier* const tier : program::impl_of(options_.cache).tiers()) {
      cache::Flaw why;
      if (auto found = tier->read(base::to_hex(digest), &why)) return found;
    }
    return std::nullopt;
  }

  void receive_inventories(const std::vector<std::string>& payloads) {
    inventories_ = decode_all<manifest::WarmInventory>(payloads);
    std::vector<manifest::WarmHoldings> holdings;
    std::map<Hash128, int> places;
    for (std::size_t rank = 0; rank < inventories_.size(); ++rank) {
      const std::vector<Hash128>& digests = digests_of(rank);
      if (inventories_[rank].found.size() != (digests.size() + 7) / 8) fail(rank, "its message is damaged");
      const int place = places.try_emplace(calls_[rank].place, static_cast<int>(places.size())).first->second;
      holdings.push_back(
          {.digests = &digests, .found = &inventories_[rank].found, .place = place, .can_compile = listing_[rank]});
      report_.ranks[rank].kernels = digests.size();
      for (std::size_t i = 0; i < digests.size(); ++i) {
        if (manifest::bit(inventories_[rank].found, i)) ++report_.ranks[rank].found;
      }
    }
    tasks_ = manifest::plan_warming(holdings, slots_);
    report_.kernels = tasks_.size();
    report_.found = static_cast<std::size_t>(std::ranges::count(tasks_, -1, &manifest::WarmTask::compiler));
  }

  // ---- compiling

  [[nodiscard]] const manifest::Wanted& wanted(const Hash128& digest) const {
    return std::ranges::lower_bound(wanted_, digest, {}, [](const auto& each) { return each.first; })->second;
  }

  manifest::WarmProducts own_products() {
    std::vector<const manifest::Wanted*> kernels;
    for (const manifest::WarmTask& task : tasks_) {
      if (task.compiler == rank_) kernels.push_back(&wanted(task.digest));
    }
    manifest::WarmProducts products;
    manifest::WarmEntries entries;
    if (!kernels.empty()) {
      products.threads =
          std::clamp(slots_[static_cast<std::size_t>(rank_)], 1, static_cast<int>(std::min<std::size_t>(kernels.size(), 4096)));
      const Clock::time_point start = Clock::now();
      const manifest::CompileResults results = manifest::compile_wanted(kernels, products.threads, compiles_end_);
      products.compile_ms = 1e3 * seconds_since(start);
      if (!results.error.empty()) throw IoError(results.error);
      for (const manifest::Compiled& each : results.done) add(each, products, entries);
    }
    for (const manifest::WarmTask& task : tasks_) {
      if (task.sender == rank_ && task.compiler < 0) entries.emplace(task.digest, entry_of(task.digest));
    }
    if (!entries.empty()) products.bundle = manifest::bundle_of(entries);
    return products;
  }

  void add(const manifest::Compiled& compiled, manifest::WarmProducts& products, manifest::WarmEntries& entries) const {
    const program::Job& job = compiled.kernel->job;
    const Hash128 digest = *base::from_hex(job.digest);
    if (compiled.code.origin == program::Origin::compiled) {
      products.compiled.push_back({digest, compiled.code.compile_ms, job.compile.name, job.target});
    }
    const auto task = std::ranges::lower_bound(tasks_, digest, {}, &manifest::WarmTask::digest);
    if (task->sender == rank_) entries.emplace(digest, cache::portable_bytes(job.key, program::record_of(job, compiled.code)));
  }

  /// Of a kernel that the cache had. Another process may have removed it since.
  [[nodiscard]] std::string entry_of(const Hash128& digest) const {
    if (auto found = stored(digest)) return cache::portable_bytes(found->key, std::move(found->record));
    if (!listing_[static_cast<std::size_t>(rank_)])
      throw IoError(fmt::format("kernel {} was removed from its cache", base::to_hex(digest)));
    const manifest::Wanted& kernel = wanted(digest);
    return cache::portable_bytes(kernel.job.key,
                                 program::record_of(kernel.job, program::build(kernel.request, *kernel.job.by)));
  }

  // ---- the others' kernels

  void receive_products(const std::vector<std::string>& payloads) {
    auto products = decode_all<manifest::WarmProducts>(payloads);
    for (std::size_t rank = 0; rank < products.size(); ++rank) {
      WarmRank& of_rank = report_.ranks[rank];
      of_rank.compiled = products[rank].compiled.size();
      of_rank.threads = products[rank].threads;
      of_rank.compile_ms = products[rank].compile_ms;
      report_.bytes += products[rank].bundle.size();
      for (const manifest::WarmProducts::Kernel& each : products[rank].compiled) {
        report_.compiled.push_back(
            {base::to_hex(each.digest), each.kernel, each.target, static_cast<int>(rank), each.compile_ms});
      }
      if (rank != static_cast<std::size_t>(rank_)) bundles_.push_back(std::move(products[rank].bundle));
    }
    std::ranges::sort(report_.compiled, {}, &WarmKernel::id);
  }

  /// The kernels that this rank's place lacks, in one bundle. Of the ranks with the same list and place the first stores them.
  void import_all() {
    if (own().empty) return;
    const auto rank = static_cast<std::size_t>(rank_);
    std::set<Hash128> missing(digests_of(rank).begin(), digests_of(rank).end());
    for (std::size_t other = 0; other < calls_.size(); ++other) {
      if (calls_[other].empty || calls_[other].place != own().place) continue;
      if (other < rank && calls_[other].environment == own().environment) return;
      const std::vector<Hash128>& digests = digests_of(other);
      for (std::size_t i = 0; i < digests.size(); ++i) {
        if (manifest::bit(inventories_[other].found, i)) missing.erase(digests[i]);
      }
    }
    for (const manifest::WarmTask& task : tasks_) {
      if (task.compiler >= 0 && calls_[static_cast<std::size_t>(task.compiler)].place == own().place)
        missing.erase(task.digest);
    }
    if (missing.empty()) return;
    const manifest::WarmEntries entries = manifest::entries_in(bundles_, missing);
    bundles_.clear();
    static_cast<void>(cache::import_bytes(options_.cache, manifest::bundle_of(entries)));
  }

  const int rank_;
  const int size_;
  const Manifest manifest_;
  const WarmOptions options_;
  const Clock::time_point start_;
  Clock::time_point deadline_;
  Clock::time_point compiles_end_;

  Step step_ = Step::call;
  std::string message_;
  WarmReport report_;

  bool empty_ = false;
  std::vector<std::string> targets_;
  std::vector<std::shared_ptr<const backend::Compiler>> compilers_;
  std::vector<std::pair<Hash128, manifest::Wanted>> wanted_;  // by ascending digest, once it is complete
  std::set<Hash128> known_;

  std::vector<manifest::WarmCall> calls_;
  std::vector<manifest::WarmInventory> inventories_;
  std::map<Hash128, std::size_t> leaders_;  // the first rank of each environment, as lists_
  std::map<Hash128, std::vector<Hash128>> lists_;
  std::vector<bool> listing_;
  std::vector<int> slots_;
  std::vector<manifest::WarmTask> tasks_;
  std::vector<std::string> bundles_;
};

}  // namespace detail

Warming::Warming(int rank, int size, const Manifest& manifest, const WarmOptions& options)
    : impl_(std::make_shared<detail::WarmingImpl>(rank, size, manifest, options)) {}

bool Warming::done() const noexcept {
  return impl_->done();
}
const std::string& Warming::message() const noexcept {
  return impl_->message();
}
void Warming::receive(const std::vector<std::string>& messages) {
  impl_->receive(messages);
}
Clock::time_point Warming::deadline() const noexcept {
  return impl_->deadline();
}
const WarmReport& Warming::report() const {
  return impl_->report();
}

}  // namespace kiln
