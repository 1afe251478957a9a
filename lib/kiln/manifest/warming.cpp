// warm() as messages: the call, the inventory, lists where they differ, the products, the end. Every rank makes the same plan
// of the same messages.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "cache/bundle.hpp"
#include "cache/bundle_exchange.hpp"
#include "compiler/compiler.hpp"
#include "kiln/cache.hpp"
#include "kiln/compilers.hpp"
#include "kiln/warm.hpp"
#include "manifest/manifest.hpp"
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
        next(Step::inventory, [&] { return encode(own_inventory()); });
        break;
      case Step::inventory:
        if (receive_inventories(payloads)) {
          produce();
        } else {
          next(Step::list, [&] { return encode(own_list()); });
        }
        break;
      case Step::list:
        receive_lists(payloads);
        produce();
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
  enum class Step { call, inventory, list, products, end, done };

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
    return {.targets = fmt::format("{}", fmt::join(options_.targets, "\n")),
            .other_sizes = options_.other_sizes,
            .timeout_ms = options_.timeout.count(),
            .manifest = base::hash128(manifest_.text()),
            .empty = empty_,
            .cpu_target = native && !empty_ ? cpu_target() : std::string(),
            .host = manifest::this_host(),
            .processors = manifest::usable_processors(),
            .jobs = options_.jobs};
  }

  void receive_calls(const std::vector<std::string>& payloads) {
    calls_ = decode_all<manifest::WarmCall>(payloads);
    manifest::check_calls(calls_);
    std::vector<std::string> cpus;
    for (const manifest::WarmCall& call : calls_) {
      if (!call.cpu_target.empty()) cpus.push_back(call.cpu_target);
    }
    if (!cpus.empty()) report_.cpu_target = common_cpu_target(cpus);
  }

  // ---- which kernels

  manifest::WarmInventory own_inventory() {
    if (!report_.cpu_target.empty() && !calls_[static_cast<std::size_t>(rank_)].cpu_target.empty()) {
      set_cpu_target(report_.cpu_target);
    }
    for (const std::string& target : targets_) add_kernels(target == "native" ? report_.cpu_target : target);
    std::ranges::sort(wanted_, {}, [](const auto& each) { return each.first; });
    manifest::WarmInventory inventory;
    inventory.count = wanted_.size();
    inventory.found.resize((wanted_.size() + 7) / 8);
    std::string all;
    program::Builder& builder = program::impl_of(options_.cache).builder();
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      all += base::view(wanted_[i].first);
      digests_.push_back(wanted_[i].first);
      if (builder.has(wanted_[i].second.job)) manifest::set_bit(inventory.found, i);
    }
    inventory.list = base::hash128(all);
    return inventory;
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

  /// Whether all lists are known.
  bool receive_inventories(const std::vector<std::string>& payloads) {
    inventories_ = decode_all<manifest::WarmInventory>(payloads);
    for (std::size_t rank = 0; rank < inventories_.size(); ++rank) {
      leaders_.try_emplace(inventories_[rank].list, rank);
      report_.ranks[rank].kernels = inventories_[rank].count;
      for (std::size_t i = 0; i < inventories_[rank].count; ++i) {
        if (manifest::bit(inventories_[rank].found, i)) ++report_.ranks[rank].found;
      }
    }
    if (leaders_.size() > 1) return false;
    lists_.emplace(inventories_.front().list, digests_);
    return true;
  }

  manifest::WarmList own_list() {
    const auto own = static_cast<std::size_t>(rank_);
    if (leaders_.at(inventories_[own].list) != own) return {};
    return {digests_};
  }

  void receive_lists(const std::vector<std::string>& payloads) {
    const auto lists = decode_all<manifest::WarmList>(payloads);
    for (const auto& [list, leader] : leaders_) {
      if (lists[leader].digests.size() != inventories_[leader].count) fail(leader, "its message is damaged");
      lists_.emplace(list, lists[leader].digests);
    }
  }

  // ---- compiling

  void produce() {
    std::vector<manifest::WarmHoldings> holdings;
    for (std::size_t rank = 0; rank < inventories_.size(); ++rank) {
      const manifest::WarmInventory& inventory = inventories_[rank];
      const std::vector<Hash128>& digests = lists_.at(inventory.list);
      if (digests.size() != inventory.count) fail(rank, "its message is damaged");
      holdings.push_back({.digests = &digests, .found = &inventory.found});
    }
    slots_ = manifest::compile_slots(calls_);
    tasks_ = manifest::plan_warming(holdings, slots_);
    report_.kernels = tasks_.size();
    report_.found = static_cast<std::size_t>(std::ranges::count(tasks_, -1, &manifest::WarmTask::compiler));
    next(Step::products, [&] { return encode(own_products()); });
  }

  [[nodiscard]] const manifest::Wanted& wanted(const Hash128& digest) const {
    return std::ranges::lower_bound(wanted_, digest, {}, [](const auto& each) { return each.first; })->second;
  }

  manifest::WarmProducts own_products() {
    std::vector<const manifest::Wanted*> kernels;
    for (const manifest::WarmTask& task : tasks_) {
      if (task.compiler == rank_) kernels.push_back(&wanted(task.digest));
    }
    manifest::WarmProducts products;
    std::map<Hash128, std::string> entries;
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
      if (task.sender == rank_ && task.compiler < 0) entries.emplace(task.digest, entry_of(wanted(task.digest)));
    }
    if (!entries.empty()) products.bundle = bundle_of(entries);
    return products;
  }

  void add(const manifest::Compiled& compiled, manifest::WarmProducts& products,
           std::map<Hash128, std::string>& entries) const {
    const program::Job& job = compiled.kernel->job;
    const Hash128 digest = *base::from_hex(job.digest);
    if (compiled.code.origin == program::Origin::compiled) {
      products.compiled.push_back({digest, compiled.code.compile_ms, job.compile.name, job.target});
    }
    const auto task = std::ranges::lower_bound(tasks_, digest, {}, &manifest::WarmTask::digest);
    if (task->sender == rank_) entries.emplace(digest, cache::portable_bytes(job.key, program::record_of(job, compiled.code)));
  }

  /// Of a kernel that the cache had. Another process may have removed it since.
  static std::string entry_of(const manifest::Wanted& kernel) {
    const program::Code code = program::build(kernel.request, *kernel.job.by);
    return cache::portable_bytes(kernel.job.key, program::record_of(kernel.job, code));
  }

  static std::string bundle_of(const std::map<Hash128, std::string>& entries) {
    cache::BundleWriter writer = cache::BundleWriter::in_memory();
    const auto check = [](const std::optional<base::FileError>& error) {
      if (error) throw IoError(error->text);
    };
    for (const auto& [digest, bytes] : entries) check(writer.add(digest, bytes));
    check(writer.finish());
    return writer.take();
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

  /// The kernels that this rank wants and does not have, in one bundle.
  void import_all() {
    std::set<Hash128> missing;
    const manifest::WarmInventory& own = inventories_[static_cast<std::size_t>(rank_)];
    for (std::size_t i = 0; i < digests_.size(); ++i) {
      if (!manifest::bit(own.found, i)) missing.insert(digests_[i]);
    }
    for (const manifest::WarmTask& task : tasks_) {
      if (task.compiler == rank_) missing.erase(task.digest);
    }
    if (missing.empty()) return;
    std::map<Hash128, std::string> entries;
    for (const std::string& bytes : bundles_) {
      if (bytes.empty()) continue;
      base::FileError error;
      const auto bundle = cache::Bundle::of_bytes(bytes, "of another rank", &error);
      if (!bundle) throw IoError(error.text);
      for (std::uint64_t i = 0; i < bundle->count(); ++i) {
        const auto item = bundle->item(i, &error);
        if (!item) throw IoError(error.text);
        if (!missing.contains(item->digest)) continue;
        auto entry = bundle->read(*item, &error);
        if (!entry) throw IoError(error.text);
        entries.emplace(item->digest, *std::move(entry));
      }
    }
    bundles_.clear();
    for (const Hash128& digest : missing) {
      if (!entries.contains(digest)) throw IoError(fmt::format("no rank sent kernel {}", base::to_hex(digest)));
    }
    static_cast<void>(cache::import_bytes(options_.cache, bundle_of(entries)));
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
  std::vector<Hash128> digests_;

  std::vector<manifest::WarmCall> calls_;
  std::vector<manifest::WarmInventory> inventories_;
  std::map<Hash128, std::size_t> leaders_;  // the first rank with each list
  std::map<Hash128, std::vector<Hash128>> lists_;
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
