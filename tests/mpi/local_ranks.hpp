// Ranks without MPI: threads of this process, and forked processes that meet at a hub.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "faults/child.hpp"
#include "kiln/mpi.hpp"

namespace kiln::test {

/// Where the threads of one process meet.
class ThreadRanks {
 public:
  /// `sends`: whether one rank can send to another.
  explicit ThreadRanks(int size, bool sends = false)
      : size_(size), sends_(sends), bytes_(static_cast<std::size_t>(size)), here_(bytes_.size(), false) {}

  [[nodiscard]] Communicator communicator(int rank) {
    Communicator made = collective(rank);
    if (!sends_) return made;
    made.send = [this, rank](const std::string& bytes, int to) {
      const std::lock_guard lock(mutex_);
      mail_[{rank, to}].push_back(bytes);
      met_.notify_all();
    };
    made.receive = [this, rank](int from, Communicator::Deadline deadline) {
      std::unique_lock lock(mutex_);
      std::deque<std::string>& mail = mail_[{from, rank}];
      if (!met_.wait_until(lock, deadline, [&] { return !mail.empty(); })) {
        throw RankError(from, "rank " + std::to_string(from) + " did not come");
      }
      std::string bytes = std::move(mail.front());
      mail.pop_front();
      return bytes;
    };
    return made;
  }

  [[nodiscard]] Communicator collective(int rank) {
    return {.rank = rank,
            .size = size_,
            .allgather = [this, rank](const std::string& bytes,
                                      Communicator::Deadline deadline) { return meet(rank, bytes, deadline); },
            .broadcast =
                [this, rank](const std::string& bytes, int root, Communicator::Deadline deadline) {
                  return meet(rank, bytes, deadline).at(static_cast<std::size_t>(root));
                }};
  }

  /// What each rank's work threw; "" where it returned.
  std::vector<std::string> run(const std::function<void(const Communicator&)>& work) {
    std::vector<std::string> errors(bytes_.size());
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size_; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(communicator(rank));
        } catch (const std::exception& error) {
          errors[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
    threads.clear();
    return errors;
  }

 private:
  std::vector<std::string> meet(int rank, const std::string& bytes, Communicator::Deadline deadline) {
    const auto own = static_cast<std::size_t>(rank);
    std::unique_lock lock(mutex_);
    bytes_[own] = bytes;
    here_[own] = true;
    const std::uint64_t round = round_;
    if (++arrived_ == size_) {
      gathered_ = bytes_;
      arrived_ = 0;
      here_.assign(here_.size(), false);
      ++round_;
      met_.notify_all();
      return gathered_;
    }
    if (!met_.wait_until(lock, deadline, [&] { return round_ != round; })) {
      for (std::size_t i = 0; i < here_.size(); ++i) {
        if (!here_[i]) throw RankError(static_cast<int>(i), "rank " + std::to_string(i) + " did not come");
      }
    }
    return gathered_;
  }

  const int size_;
  const bool sends_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::deque<std::string>> mail_;  // from and to
  std::condition_variable met_;
  std::vector<std::string> bytes_;
  std::vector<std::string> gathered_;
  std::vector<bool> here_;
  int arrived_ = 0;
  std::uint64_t round_ = 0;
};

/// Forked ranks. The parent is the hub: it gives each rank the messages of all, or says which rank is gone.
class ProcessRanks {
 public:
  /// `work` runs in each child.
  ProcessRanks(int size, const std::function<void(const Communicator&, const Say&)>& work) {
    std::vector<int> childs_ends;
    for (int rank = 0; rank < size; ++rank) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
      hub_.push_back(ends[0]);
      childs_ends.push_back(ends[1]);
    }
    for (int rank = 0; rank < size; ++rank) {
      children_.emplace_back([&, rank](const Say& say) {
        for (const int end : hub_) ::close(end);
        for (int other = 0; other < size; ++other) {
          if (other != rank) ::close(childs_ends[static_cast<std::size_t>(other)]);
        }
        work(communicator(rank, size, childs_ends[static_cast<std::size_t>(rank)]), say);
      });
    }
    for (const int end : childs_ends) ::close(end);
  }
  ProcessRanks(const ProcessRanks&) = delete;
  ProcessRanks& operator=(const ProcessRanks&) = delete;
  ~ProcessRanks() {
    for (const int end : hub_) ::close(end);
  }

  Child& child(int rank) { return children_[static_cast<std::size_t>(rank)]; }

  /// Serves until all ranks have gone.
  std::vector<Ended> serve() {
    std::vector<std::string> messages(hub_.size());
    while (true) {
      std::size_t gone = hub_.size();
      std::size_t there = 0;
      for (std::size_t i = 0; i < hub_.size(); ++i) {
        if (receive(hub_[i], &messages[i])) {
          ++there;
        } else if (gone == hub_.size()) {
          gone = i;
        }
      }
      if (there == 0) break;
      for (const int end : hub_) {
        if (gone != hub_.size()) {
          send(end, "-" + std::to_string(gone));
          continue;
        }
        for (const std::string& message : messages) send(end, "+" + message);
      }
    }
    std::vector<Ended> ended;
    for (Child& child : children_) ended.push_back(child.wait());
    return ended;
  }

 private:
  static Communicator communicator(int rank, int size, int end) {
    const auto gather = [end, size](const std::string& bytes, Communicator::Deadline) {
      send(end, bytes);
      std::vector<std::string> all;
      for (int i = 0; i < size; ++i) {
        std::string message;
        if (!receive(end, &message)) throw RankError(-1, "the hub is gone");
        if (message[0] == '-') throw RankError(std::stoi(message.substr(1)), "rank " + message.substr(1) + " is gone");
        all.push_back(message.substr(1));
      }
      return all;
    };
    return {.rank = rank, .size = size, .allgather = gather, .broadcast = {}};
  }

  static void send(int to, const std::string& bytes) {
    const std::uint64_t size = bytes.size();
    std::string all(reinterpret_cast<const char*>(&size), sizeof size);
    all += bytes;
    for (std::size_t at = 0; at < all.size();) {
      const ssize_t sent = ::send(to, all.data() + at, all.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }
  static bool read_all(int from, char* to, std::size_t size) {
    while (size > 0) {
      const ssize_t got = ::recv(from, to, size, 0);
      if (got <= 0) return false;
      to += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
  static bool receive(int from, std::string* bytes) {
    std::uint64_t size = 0;
    if (!read_all(from, reinterpret_cast<char*>(&size), sizeof size)) return false;
    bytes->resize(size);
    return read_all(from, bytes->data(), size);
  }

  std::vector<int> hub_;
  std::vector<Child> children_;
};

}  // namespace kiln::test
