// kiln over MPI: a Communicator for kiln/communicator.hpp. Compiled by the program itself, so that any MPI will do: libkiln
// links none. Empty where there is no <mpi.h>, or with KILN_NO_MPI.
#pragma once

#include "kiln/communicator.hpp"

#if !defined(KILN_NO_MPI) && !defined(MPI_VERSION) && __has_include(<mpi.h>)
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

#if !defined(KILN_NO_MPI) && defined(MPI_VERSION)

#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace kiln::mpi {

namespace detail {

/// Collective functions over an MPI communicator, which wait no longer than a deadline.
class Ranks {
 public:
  using Clock = std::chrono::steady_clock;

  Ranks(MPI_Comm ranks, std::size_t largest) : users_(ranks), largest_(std::max<std::size_t>(largest, 1)) {
    MPI_Comm_rank(ranks, &rank_);
    MPI_Comm_size(ranks, &size_);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    for (std::unique_ptr<Sent>& each : sent_) {
      int completed = 0;
      if (finalized == 0 && MPI_Test(&each->request, &completed, MPI_STATUS_IGNORE) == MPI_SUCCESS && completed != 0) continue;
      static_cast<void>(each.release());
    }
    if (own_ != MPI_COMM_NULL && !broken_ && finalized == 0) MPI_Comm_free(&own_);
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  std::vector<std::string> allgather(const std::string& bytes, Clock::time_point deadline) {
    open(deadline);
    meet("an allgather", deadline);
    const auto exchange = std::make_shared<Exchange>();
    exchange->sizes.resize(static_cast<std::size_t>(size_));
    exchange->own = bytes;
    exchange->own_size = bytes.size();
    check(MPI_Iallgather(&exchange->own_size, 1, MPI_UINT64_T, exchange->sizes.data(), 1, MPI_UINT64_T, own_,
                         &exchange->request));
    wait(exchange, deadline);
    std::uint64_t total = 0;
    std::uint64_t begin = 0;
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) begin = total;
      total += exchange->sizes[static_cast<std::size_t>(i)];
    }
    exchange->all.resize(total);
    // Counts of MPI are ints: what lies between two multiples of `largest_` goes at once.
    for (std::uint64_t from = 0; from < total; from += largest_) {
      const std::uint64_t to = std::min<std::uint64_t>(total, from + largest_);
      exchange->counts.assign(static_cast<std::size_t>(size_), 0);
      exchange->places.assign(static_cast<std::size_t>(size_), 0);
      std::uint64_t at = 0;
      for (std::size_t i = 0; i < exchange->sizes.size(); at += exchange->sizes[i++]) {
        const std::uint64_t first = std::clamp(at, from, to);
        exchange->places[i] = static_cast<int>(first - from);
        exchange->counts[i] = static_cast<int>(std::clamp(at + exchange->sizes[i], from, to) - first);
      }
      const char* const part = exchange->own.data() + (std::clamp(begin, from, std::min(to, begin + bytes.size())) - begin);
      const int count = exchange->counts[static_cast<std::size_t>(rank_)];
      check(MPI_Iallgatherv(count == 0 ? exchange->own.data() : part, count, MPI_BYTE, exchange->all.data() + from,
                            exchange->counts.data(), exchange->places.data(), MPI_BYTE, own_, &exchange->request));
      wait(exchange, deadline);
    }
    std::vector<std::string> result;
    std::uint64_t at = 0;
    for (const std::uint64_t size : exchange->sizes) {
      result.push_back(exchange->all.substr(at, size));
      at += size;
    }
    return result;
  }

  std::string broadcast(const std::string& bytes, int root, Clock::time_point deadline) {
    open(deadline);
    meet("a broadcast from rank " + std::to_string(root), deadline);
    const auto exchange = std::make_shared<Exchange>();
    exchange->own_size = bytes.size();
    check(MPI_Ibcast(&exchange->own_size, 1, MPI_UINT64_T, root, own_, &exchange->request));
    wait(exchange, deadline);
    exchange->all = bytes;
    exchange->all.resize(exchange->own_size);
    for (std::uint64_t from = 0; from < exchange->own_size; from += largest_) {
      const auto count = static_cast<int>(std::min<std::uint64_t>(largest_, exchange->own_size - from));
      check(MPI_Ibcast(exchange->all.data() + from, count, MPI_BYTE, root, own_, &exchange->request));
      wait(exchange, deadline);
    }
    return exchange->all;
  }

  /// Sends after a collective call. The number of bytes goes first, since MPI counts in ints.
  void send_to(const std::string& bytes, int to) {
    send(to, kBytes, std::to_string(bytes.size()));
    for (std::size_t from = 0; from < bytes.size(); from += largest_) send(to, kBytes, bytes.substr(from, largest_));
  }

  std::string receive_from(int from, Clock::time_point deadline) {
    const auto next = [&] {
      std::string text;
      if (!poll(deadline, [&] { return receive(from, kBytes, &text) == from; })) {
        fail(from, "rank " + std::to_string(from) + of_all() + " did not come within the time limit");
      }
      return text;
    };
    std::string bytes;
    for (const std::size_t size = std::stoull(next()); bytes.size() < size;) bytes += next();
    return bytes;
  }

 private:
  /// Memory that MPI reads and writes while a request is under way.
  struct Exchange {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    std::string own;
    std::string all;
    std::uint64_t own_size = 0;
    std::vector<std::uint64_t> sizes;
    std::vector<int> counts;
    std::vector<int> places;
  };

  /// A signal that MPI may still be reading.
  struct Sent {
    MPI_Request request = MPI_REQUEST_NULL;
    std::string text;
  };

  static constexpr int kBytes = 32765;
  static constexpr int kToRoot = 32766;
  static constexpr int kFromRoot = 32767;
  static constexpr int kUnknown = -1;

  /// kiln's messages must not meet those of the program: they have a communicator of their own.
  void open(Clock::time_point deadline) {
    if (own_ != MPI_COMM_NULL) return;
    meet("a first call", deadline);
    const auto exchange = std::make_shared<Exchange>();
    check(MPI_Comm_idup(users_, &exchange->made, &exchange->request));
    wait(exchange, deadline);
    own_ = exchange->made;
    MPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
  }

  [[noreturn]] void fail(int rank, const std::string& message) {
    broken_ = true;
    throw RankError(rank, "kiln: " + message);
  }

  void check(int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    fail(kUnknown, "MPI failed: " + std::string(text, static_cast<std::size_t>(length)));
  }

  [[nodiscard]] std::string of_all() const { return " of " + std::to_string(size_); }

  /// Calls `done` until it returns true, the more seldom the longer it takes: other ranks need the processor. Returns false at
  /// the deadline.
  template <class Done>
  static bool poll(Clock::time_point deadline, const Done& done) {
    constexpr Clock::duration kLongest = std::chrono::milliseconds(50);
    const Clock::time_point start = Clock::now();
    for (int round = 0; !done(); ++round) {
      const Clock::time_point now = Clock::now();
      if (now >= deadline) return false;
      if (round < 100) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::clamp<Clock::duration>((now - start) / 16, std::chrono::microseconds(20), kLongest));
      }
    }
    return true;
  }

  /// Waits for a request. All ranks are there, as meet() found: one that is not is dead.
  void wait(const std::shared_ptr<Exchange>& exchange, Clock::time_point deadline) {
    const bool done = poll(deadline + std::chrono::seconds(3), [&] {
      int completed = 0;
      check(MPI_Test(&exchange->request, &completed, MPI_STATUS_IGNORE));
      return completed != 0;
    });
    if (done) return;
    static_cast<void>(new std::shared_ptr<Exchange>(exchange));  // MPI may still write there: it is never deleted
    fail(kUnknown, "a rank" + of_all() + " stopped in the middle of an exchange");
  }

  // ---- Arrival. A collective call of MPI that not all ranks make can never be taken back. So rank 0 hears from all others
  // before each, in messages of a few bytes, and tells them whether all are there and make the same call.

  [[nodiscard]] MPI_Comm signals() const noexcept { return own_ != MPI_COMM_NULL ? own_ : users_; }

  void send(int to, int tag, std::string text) {
    const auto sent = [](Sent& each) {
      int completed = 0;
      return MPI_Test(&each.request, &completed, MPI_STATUS_IGNORE) != MPI_SUCCESS || completed != 0;
    };
    std::erase_if(sent_, [&](const std::unique_ptr<Sent>& each) { return sent(*each); });
    Sent& one = *sent_.emplace_back(std::make_unique<Sent>());
    one.text = std::move(text);
    check(MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_BYTE, to, tag, signals(), &one.request));
  }

  /// Receives a message with that tag if there is one; returns its sender, or kUnknown.
  int receive(int from, int tag, std::string* text) {
    int there = 0;
    MPI_Status status;
    check(MPI_Iprobe(from, tag, signals(), &there, &status));
    if (there == 0) return kUnknown;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    text->resize(static_cast<std::size_t>(count));
    check(MPI_Recv(text->data(), count, MPI_BYTE, status.MPI_SOURCE, tag, signals(), MPI_STATUS_IGNORE));
    return status.MPI_SOURCE;
  }

  void meet(const std::string& call, Clock::time_point deadline) {
    if (broken_) throw RankError(kUnknown, "kiln: an earlier call on this communicator failed; make a new one");
    rank_ == 0 ? meet_all(call, deadline) : meet_root(call, deadline);
  }

  /// "here", "late" and "gone" carry a number, by which answers to an earlier call that failed are known.
  void meet_root(const std::string& call, Clock::time_point deadline) {
    constexpr std::chrono::seconds kAnswer(3);
    const std::string number = std::to_string(Clock::now().time_since_epoch().count());
    send(0, kToRoot, "here " + number + " " + call);
    std::string text;
    const auto answered = [&] {
      while (receive(0, kFromRoot, &text) == 0) {
        if (text.compare(0, number.size() + 1, number + " ") == 0) return true;
      }
      return false;
    };
    if (!poll(deadline, answered)) {
      send(0, kToRoot, "late " + number + " ");
      if (!poll(Clock::now() + kAnswer, answered)) {
        send(0, kToRoot, "gone " + number + " ");
        fail(0, "rank 0" + of_all() + " did not come within the time limit");
      }
    }
    take(text.substr(number.size() + 1));
  }

  /// An answer is the number of the rank that failed, or "ok", and the message.
  void take(const std::string& answer) {
    if (answer == "ok") return;
    const std::size_t space = answer.find(' ');
    fail(std::stoi(answer.substr(0, space)), answer.substr(space + 1));
  }

  void meet_all(const std::string& call, Clock::time_point deadline) {
    struct Other {
      std::string number;  // empty: it is not there
      std::string call;
      bool late = false;  // its time is over
    };
    std::vector<Other> others(static_cast<std::size_t>(size_));
    int there = 1;
    int late = 0;
    const auto all_there = [&] {
      std::string text;
      for (int from = 0; (from = receive(MPI_ANY_SOURCE, kToRoot, &text)) != kUnknown;) {
        Other& other = others[static_cast<std::size_t>(from)];
        const std::size_t space = text.find(' ', 5);
        const std::string number = text.substr(5, space - 5);
        if (text.starts_with("late")) {
          // One of an earlier call that failed may still have been under way.
          if (number != other.number || other.late) continue;
          other.late = true;
          ++late;
          continue;
        }
        there -= other.number.empty() ? 0 : 1;
        late -= other.late ? 1 : 0;
        other = {};
        if (text.starts_with("gone")) continue;
        other = {number, text.substr(space + 1), false};
        ++there;
      }
      return there == size_ || late > 0;
    };
    poll(deadline, all_there);
    std::string answer = "ok";
    std::string missing;
    constexpr int kShown = 10;
    int count = 0;
    for (int i = size_ - 1; i > 0; --i) {
      const Other& other = others[static_cast<std::size_t>(i)];
      if (other.number.empty()) {
        if (size_ - there <= kShown) missing = std::to_string(i) + (missing.empty() ? "" : ", ") + missing;
        if (size_ - there > kShown) missing = std::to_string(i) + " and " + std::to_string(count) + " more";
        ++count;
        answer = std::to_string(i) + " rank" + (size_ - there > 1 ? "s " : " ") + missing + of_all() +
                 " did not come within the time limit";
      } else if (count == 0 && other.call != call) {
        answer = std::to_string(i) + " calls do not match: rank " + std::to_string(i) + " makes " + other.call +
                 ", and rank 0 " + call;
      }
    }
    for (int i = 1; i < size_; ++i) {
      const Other& other = others[static_cast<std::size_t>(i)];
      if (!other.number.empty()) send(i, kFromRoot, other.number + " " + answer);
    }
    take(answer);
  }

  MPI_Comm users_;
  MPI_Comm own_ = MPI_COMM_NULL;
  std::size_t largest_;
  std::vector<std::unique_ptr<Sent>> sent_;
  int rank_ = 0;
  int size_ = 1;
  bool broken_ = false;
};

}  // namespace detail

/// Returns kiln's communicator over the ranks of an MPI communicator, which must live as long. MPI is initialized. Its copies
/// share one duplicate of `ranks`, which the first call makes; it is freed with the last copy, on all ranks, before
/// MPI_Finalize().
///
/// More than `largest` bytes go in several messages, since MPI counts in ints. MPI is called by the thread that calls kiln, so
/// MPI_THREAD_FUNNELED suffices. A call that fails leaves the communicator unusable.
inline Communicator communicator(MPI_Comm ranks, std::size_t largest = std::size_t{1} << 30) {
  const auto all = std::make_shared<detail::Ranks>(ranks, std::min(largest, std::size_t{1} << 30));
  return {
      .rank = all->rank(),
      .size = all->size(),
      .allgather = [all](const std::string& bytes, Communicator::Deadline deadline) { return all->allgather(bytes, deadline); },
      .broadcast = [all](const std::string& bytes, int root,
                         Communicator::Deadline deadline) { return all->broadcast(bytes, root, deadline); },
      .send = [all](const std::string& bytes, int to) { all->send_to(bytes, to); },
      .receive = [all](int from, Communicator::Deadline deadline) { return all->receive_from(from, deadline); }};
}

}  // namespace kiln::mpi

#endif
