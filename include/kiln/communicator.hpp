// kiln across the ranks of a parallel program, over any way to send messages. Everything here is compiled by the program
// itself. kiln/mpi.hpp has a Communicator of MPI.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/definition.hpp"
#include "kiln/manifest.hpp"
#include "kiln/partial.hpp"
#include "kiln/warm.hpp"

namespace kiln {

/// A group of processes, or of threads, that call collective functions together. Strings are bytes.
///
/// allgather and broadcast are called by all ranks in the same order, and return or throw on all. All functions throw RankError
/// once `deadline` is over; one that cannot may wait for ever, and so may warm() then. A Communicator belongs to one thread at
/// a time.
struct Communicator {
  using Deadline = std::chrono::steady_clock::time_point;
  int rank = 0;  ///< number of this rank, from 0
  int size = 1;  ///< number of ranks
  /// Returns the bytes of every rank, in the order of the ranks.
  std::function<std::vector<std::string>(const std::string& bytes, Deadline deadline)> allgather;
  /// Returns the bytes of rank `root`; those of others are ignored.
  std::function<std::string(const std::string& bytes, int root, Deadline deadline)> broadcast;
  /// Sends bytes to rank `to` and returns at once. May be empty, as `receive` then is: accumulators go to every rank then.
  std::function<void(const std::string& bytes, int to)> send = {};
  /// Returns the next bytes that rank `from` sent.
  std::function<std::string(int from, Deadline deadline)> receive = {};
};

/// Compiles the kernels of a manifest, each once in all, and puts them into the cache of every rank. Collective: all ranks call
/// it with the same manifest and options. A manifest without kernels matches any other: its rank gets no kernels, and compiles
/// none.
///
/// Ranks need no common file system. A kernel that one rank's cache has is not compiled. The ranks of one machine share its
/// CPUs. Afterwards "native" kernels are for the target that the CPUs of all ranks run (set_cpu_target()); kernels that a
/// function has loaded before stay as they are.
///
/// Throws RankError on every rank if one fails, is late, or called something else, at the latest some seconds after `.timeout`.
/// Kernels that were compiled until then may be in the caches.
inline WarmReport warm(const Communicator& communicator, const Manifest& manifest, const WarmOptions& options = {}) {
  Warming work(communicator.rank, communicator.size, manifest, options);
  while (!work.done()) work.receive(communicator.allgather(work.message(), work.deadline()));
  return work.report();
}
/// Does the same for functions, by the rules of manifest_of().
inline WarmReport warm(const Communicator& communicator, const std::vector<AnyFunction>& functions,
                       const WarmOptions& options = {}) {
  return warm(communicator, manifest_of(functions), options);
}

namespace detail {

/// The accumulators of all ranks on their way into one: each step combines those of neighbours, so that n ranks take log₂ n.
class RankReduction {
 public:
  /// `call` is what all ranks make, with the arguments that are the same on all.
  RankReduction(const Communicator& communicator, std::string what, std::chrono::milliseconds timeout, std::string call = {})
      : communicator_(communicator),
        what_(std::move(what)),
        call_(call.empty() ? what_ : std::move(call)),
        deadline_(std::chrono::steady_clock::now() + timeout) {}

  /// Tells all ranks which part this one has, or what failed. Throws RankError on all ranks if `part` throws on one.
  template <class Part>
  void meet(const Part& part) {
    std::string message;
    try {
      // Bytes wait for queued work, which combine() does not.
      const Partial made = part();
      own_ = made.read(made.bytes());
      message = '+' + std::to_string(own_->begin()) + ' ' + std::to_string(own_->end()) + ' ' + call_ + '\n';
      if (!sends()) message += own_->bytes();
    } catch (const std::exception& error) {
      message = std::string("-") + error.what();
    }
    messages_ = communicator_.allgather(message, deadline_);
    std::vector<std::pair<Range, int>> ranks;
    for (std::size_t rank = 0; rank < messages_.size(); ++rank) {
      const std::string& each = messages_[rank];
      const std::size_t space = each.find(' ');
      if (each.empty() || each.front() != '+' || space == std::string::npos) {
        fail(static_cast<int>(rank), each.substr(std::min<std::size_t>(1, each.size())));
      }
      ranks.emplace_back(Range(std::stoll(each.substr(1)), std::stoll(each.substr(space))), static_cast<int>(rank));
    }
    for (std::size_t rank = 1; rank < messages_.size(); ++rank) {
      const std::string theirs = call_of(messages_[rank]);
      const std::string first = call_of(messages_[0]);
      if (theirs != first) fail(static_cast<int>(rank), "calls do not match: it makes " + theirs + ", and rank 0 " + first);
    }
    std::stable_sort(ranks.begin(), ranks.end());
    for (const auto& [range, rank] : ranks) order_.push_back(rank);
    place_ = static_cast<std::size_t>(std::find(order_.begin(), order_.end(), communicator_.rank) - order_.begin());
  }

  /// Returns those of all ranks, on each.
  Partial whole() {
    Failure failure;
    const std::optional<Partial> sum = sends() ? sum_of_neighbours(failure) : sum_of_messages(order_.size(), failure);
    if (sends()) return unpacked(communicator_.broadcast(packed(*sum, failure), order_.front(), deadline_));
    if (failure.rank >= 0) raise(failure);
    return *sum;
  }

  /// Returns those of all ranks on rank `root`, and nothing on others.
  std::optional<Partial> whole_on(int root) {
    Failure failure;
    const bool is_root = communicator_.rank == root;
    std::optional<Partial> sum;
    if (!sends()) {
      if (is_root) sum = sum_of_messages(order_.size(), failure);
    } else {
      sum = sum_of_neighbours(failure);
      const int first = order_.front();
      if (first != root && communicator_.rank == first) communicator_.send(packed(*sum, failure), root);
      if (first != root && is_root) {
        sum.reset();
        add(sum, first, communicator_.receive(first, deadline_), failure);
      }
    }
    agree(failure);
    return is_root ? sum : std::nullopt;
  }

  /// Returns those of the ranks before this one; nothing for the first.
  std::optional<Partial> before() {
    Failure failure;
    std::optional<Partial> sum;
    if (!sends()) {
      sum = sum_of_messages(place_, failure);
    } else {
      // `all` are those of up to 2 * step neighbours, this rank the last of them, and `sum` the same without this rank.
      std::optional<Partial> all = own_;
      for (std::size_t step = 1; step < order_.size(); step *= 2) {
        if (place_ + step < order_.size()) communicator_.send(packed(*all, failure), order_[place_ + step]);
        if (place_ < step) continue;
        const int other = order_[place_ - step];
        const std::string bytes = communicator_.receive(other, deadline_);
        std::optional<Partial> theirs;
        add(theirs, other, bytes, failure);
        if (failure.rank >= 0) continue;
        combine(theirs, sum, failure);
        if (failure.rank < 0) {
          sum = theirs;
          all = sum;
          combine(all, own_, failure);
        }
      }
    }
    agree(failure);
    return sum;
  }

  [[nodiscard]] const Partial& own() const { return *own_; }

 private:
  using Range = std::pair<long long, long long>;
  /// A rank with its error, which is a ShapeError where the parts do not meet.
  struct Failure {
    int rank = -1;
    bool shape = false;
    std::string text;
  };

  [[nodiscard]] bool sends() const { return communicator_.send && communicator_.receive; }
  [[nodiscard]] std::string bytes_of(int rank) const {
    const std::string& message = messages_[static_cast<std::size_t>(rank)];
    return '+' + message.substr(std::min(message.find('\n'), message.size() - 1) + 1);
  }

  static std::string call_of(const std::string& message) {
    const std::size_t begin = message.find(' ', message.find(' ') + 1) + 1;
    return message.substr(begin, message.find('\n') - begin);
  }

  static std::string text_of(const Failure& failure) {
    if (failure.rank < 0) return {};
    return (failure.shape ? '!' : '-') + std::to_string(failure.rank) + ' ' + failure.text;
  }
  static Failure failure_of(const std::string& text) {
    const std::size_t space = std::min(text.find(' '), text.size());
    return {std::atoi(text.c_str() + 1), text.front() == '!', text.substr(std::min(space + 1, text.size()))};
  }
  static std::string packed(const Partial& partial, const Failure& failure) {
    return failure.rank >= 0 ? text_of(failure) : '+' + partial.bytes();
  }

  /// The sum of the first `count` ranks, which all have sent theirs to all.
  std::optional<Partial> sum_of_messages(std::size_t count, Failure& failure) const {
    std::optional<Partial> sum;
    for (std::size_t place = 0; place < count; ++place) add(sum, order_[place], bytes_of(order_[place]), failure);
    return sum;
  }

  /// The sum of this rank and of those that send theirs to it: of all for the first in order_.
  std::optional<Partial> sum_of_neighbours(Failure& failure) const {
    std::optional<Partial> sum = own_;
    for (std::size_t step = 1; step < order_.size(); step *= 2) {
      if (place_ % (2 * step) != 0) {
        communicator_.send(packed(*sum, failure), order_[place_ - step]);
        break;
      }
      if (place_ + step >= order_.size()) continue;
      const int other = order_[place_ + step];
      add(sum, other, communicator_.receive(other, deadline_), failure);
    }
    return sum;
  }

  /// Each tells the others whether it failed.
  void agree(const Failure& failure) const {
    for (const std::string& each : communicator_.allgather(text_of(failure), deadline_)) {
      if (!each.empty()) raise(failure_of(each));
    }
  }

  void combine(std::optional<Partial>& sum, const std::optional<Partial>& next, Failure& failure) const {
    if (!next) return;
    try {
      sum = sum ? sum->combine(*next) : *next;
    } catch (const ShapeError& error) {
      failure = {communicator_.rank, true, error.what()};
    } catch (const std::exception& error) {
      failure = {communicator_.rank, false, error.what()};
    }
  }

  void add(std::optional<Partial>& sum, int from, const std::string& bytes, Failure& failure) const {
    if (failure.rank >= 0) return;
    if (bytes.empty() || bytes.front() != '+') {
      failure = bytes.empty() ? Failure{from, false, "its message is empty"} : failure_of(bytes);
      return;
    }
    std::optional<Partial> next;
    try {
      next = own_->read(std::string_view(bytes).substr(1));
    } catch (const std::exception& error) {
      failure = {from, false, error.what()};
      return;
    }
    combine(sum, next, failure);
  }

  Partial unpacked(const std::string& bytes) const {
    if (bytes.empty() || bytes.front() != '+') raise(failure_of(bytes.empty() ? "-0 its message is empty" : bytes));
    return own_->read(std::string_view(bytes).substr(1));
  }

  [[noreturn]] void raise(const Failure& failure) const {
    if (failure.shape) throw ShapeError(failure.text);
    fail(failure.rank, failure.text);
  }
  [[noreturn]] void fail(int rank, const std::string& why) const {
    throw RankError(rank, what_ + ": rank " + std::to_string(rank) + " of " + std::to_string(messages_.size()) + ": " + why);
  }

  const Communicator& communicator_;
  std::string what_;
  std::string call_;
  Communicator::Deadline deadline_;
  std::optional<Partial> own_;
  std::vector<std::string> messages_;
  std::vector<int> order_;  // ranks, by their parts
  std::size_t place_ = 0;   // index of this rank in order_
};

}  // namespace detail

/// Combines the accumulators of all ranks. Collective: `part` is called on every rank and returns its accumulators, as in
/// `[&] { return kiln::partial(kiln::math::add, x, {.global_offset = first, .global_size = n}); }`. Every rank gets those of
/// the whole array, to finish(). Ranks may hold parts in any order, and empty ones.
///
/// Accumulators alone travel, in log₂ n steps of n ranks; without Communicator::send those of every rank to every rank. The
/// results have the same bits on all ranks, for any number of ranks and any cuts.
///
/// Throws RankError on every rank if `part` throws on one, or if a rank's accumulators are of another function or definition.
/// Throws RankError if a rank does not come within `timeout`. Throws ShapeError on every rank if parts overlap or are missing.
template <std::invocable Part>
[[nodiscard]] Partial allreduce(const Communicator& communicator, const Part& part,
                                std::chrono::milliseconds timeout = std::chrono::minutes(10)) {
  detail::RankReduction ranks(communicator, "kiln::allreduce", timeout);
  ranks.meet(part);
  return ranks.whole();
}

/// Combines the accumulators of all ranks, as allreduce() does, on rank `root` alone: the others get nothing. Collective, with
/// the same root on all ranks.
///
/// Accumulators travel as in allreduce(), and the result to one rank. Throws as allreduce() does, and TypeError if there is no
/// rank `root`. What is missing at an end of the array is an error of finish(), which the root alone calls.
template <std::invocable Part>
[[nodiscard]] std::optional<Partial> reduce(const Communicator& communicator, int root, const Part& part,
                                            std::chrono::milliseconds timeout = std::chrono::minutes(10)) {
  const std::string rank = "rank " + std::to_string(root);
  if (root < 0 || root >= communicator.size) {
    throw TypeError("kiln::reduce: there is no " + rank + ": the ranks are 0 to " + std::to_string(communicator.size - 1));
  }
  detail::RankReduction ranks(communicator, "kiln::reduce", timeout, "kiln::reduce to " + rank);
  ranks.meet(part);
  return ranks.whole_on(root);
}

/// Running results along the cut axis over all ranks: each rank gets those of its own elements, which go on from all elements
/// before them. Collective. `a` is this rank's part, by `options` as partial() has them; .where throws TypeError.
///
/// The accumulators of a rank's elements travel, in log₂ n steps of n ranks. The bits are those of accumulate_part(): the same
/// for any number of ranks and any cuts. Throws as allreduce() does.
[[nodiscard]] inline Array accumulate(const Communicator& communicator, const Ufunc& function, const Array& a,
                                      const PartialOptions& options = {},
                                      std::chrono::milliseconds timeout = std::chrono::minutes(10)) {
  detail::RankReduction ranks(communicator, "kiln::accumulate", timeout);
  ranks.meet([&] { return partial(function, a, options); });
  const std::optional<Partial> before = ranks.before();
  return accumulate_part(function, a, before ? *before : Partial(), options);
}

}  // namespace kiln
