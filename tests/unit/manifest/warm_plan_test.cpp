#include "manifest/warm_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "manifest/warm_messages.hpp"

namespace kiln::manifest {
namespace {

base::Hash128 digest_of(unsigned i) {
  return base::hash128(std::to_string(i));
}

std::vector<std::uint8_t> processors(std::initializer_list<std::size_t> which) {
  std::vector<std::uint8_t> bits;
  for (const std::size_t each : which) set_bit(bits, each);
  return bits;
}

WarmCall on(unsigned host, std::vector<std::uint8_t> bits, int jobs = 0, bool empty = false) {
  WarmCall call;
  call.empty = empty;
  call.host = digest_of(host);
  call.processors = std::move(bits);
  call.jobs = jobs;
  return call;
}

}  // namespace

TEST_CASE("warm: the ranks of a machine share its processors") {
  const auto two = processors({0, 1});
  CHECK(compile_slots({on(0, two)}) == std::vector{2});
  CHECK(compile_slots({on(0, two), on(0, two), on(0, two), on(0, two)}) == std::vector{1, 1, 0, 0});
  CHECK(compile_slots({on(0, two), on(1, two)}) == std::vector{2, 2});
  CHECK(compile_slots({on(0, two), on(0, two, 0, true)}) == std::vector{2, 0});
  CHECK(compile_slots({on(0, two, 7), on(0, two)}) == std::vector{7, 1});
  // Bound ranks have their own.
  CHECK(compile_slots({on(0, processors({0, 1, 2, 3})), on(0, processors({8, 9}))}) == std::vector{4, 2});
  CHECK(compile_slots({on(0, processors({0, 1, 2, 3})), on(0, processors({0})), on(0, {})}) == std::vector{3, 1, 0});
}

TEST_CASE("warm: ranks with slots make the list, and the first of each environment") {
  const auto of = [](unsigned environment, bool empty) {
    WarmCall call = on(0, processors({0}), 0, empty);
    call.environment = digest_of(environment);
    return call;
  };
  const std::vector<WarmCall> ranks{of(1, true), of(1, false), of(1, false), of(2, false), of(1, false), of(2, false)};
  CHECK(listing_ranks(ranks, {0, 0, 0, 0, 1, 0}) == std::vector<bool>{false, true, false, true, true, false});
}

TEST_CASE("warm: a plan has each kernel once, by a rank that wants it, and is balanced") {
  std::mt19937 random(20261129);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 1 + random() % 9;
    const auto kernels = static_cast<unsigned>(random() % 40);
    std::vector<std::vector<base::Hash128>> lists(size);
    std::vector<std::vector<std::uint8_t>> found(size);
    std::vector<int> slots;
    std::vector<WarmHoldings> holdings;
    const bool alike = round % 2 == 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
      for (unsigned i = 0; i < kernels; ++i) {
        if (alike || random() % 3 != 0) lists[rank].push_back(digest_of(i));
      }
      std::ranges::sort(lists[rank]);
      found[rank].resize((lists[rank].size() + 7) / 8);
      for (std::size_t i = 0; i < lists[rank].size(); ++i) {
        if (random() % 10 == 0) set_bit(found[rank], i);
      }
      slots.push_back(static_cast<int>(random() % 3));
    }
    // Every third round two ranks share a place.
    const auto place_of = [&](std::size_t rank) { return static_cast<int>(round % 3 == 0 ? rank / 2 : rank); };
    for (std::size_t rank = 0; rank < size; ++rank)
      holdings.push_back({&lists[rank], &found[rank], place_of(rank), rank != 1 || size == 2});
    const std::vector<WarmTask> tasks = plan_warming(holdings, slots);
    CHECK(std::ranges::is_sorted(tasks, std::less_equal<>(), &WarmTask::digest));
    std::map<int, int> compiles;
    std::map<base::Hash128, WarmTask> by_digest;
    for (const WarmTask& task : tasks) by_digest.emplace(task.digest, task);
    CHECK(by_digest.size() == tasks.size());
    for (const auto& [digest, task] : by_digest) {
      int held = 0;
      bool slot = false;
      bool compilable = false;
      std::set<int> wanting;
      std::set<int> having;
      const auto holds = [&](int rank, bool* has) {
        const auto i = static_cast<std::size_t>(rank);
        const auto at = std::ranges::find(lists[i], digest);
        if (at == lists[i].end()) return false;
        *has = bit(found[i], static_cast<std::size_t>(at - lists[i].begin()));
        return true;
      };
      for (int rank = 0; rank < static_cast<int>(size); ++rank) {
        bool has = false;
        if (!holds(rank, &has)) continue;
        wanting.insert(place_of(static_cast<std::size_t>(rank)));
        if (has) having.insert(place_of(static_cast<std::size_t>(rank)));
        held += has ? 1 : 0;
        const bool able = holdings[static_cast<std::size_t>(rank)].can_compile;
        compilable |= able;
        slot |= able && slots[static_cast<std::size_t>(rank)] > 0;
      }
      CHECK_FALSE(wanting.empty());
      bool has = false;
      if (held > 0) {
        CHECK(task.compiler == -1);
        CHECK((task.sender >= 0) == (having.size() < wanting.size()));
        if (task.sender >= 0) CHECK((holds(task.sender, &has) && has));
      } else if (compilable) {
        CHECK((holds(task.compiler, &has) && !has));
        CHECK(holdings[static_cast<std::size_t>(task.compiler)].can_compile);
        CHECK(task.sender == (wanting.size() > 1 ? task.compiler : -1));
        if (slot) CHECK(slots[static_cast<std::size_t>(task.compiler)] > 0);
        ++compiles[task.compiler];
      } else {
        CHECK(task.compiler == -1);
        CHECK(task.sender == -1);
      }
    }
    if (!alike) continue;
    // No rank has two more for its slots than another would have with one more.
    for (const auto& [rank, count] : compiles) {
      for (std::size_t other = 0; other < size; ++other) {
        const int own_slots = slots[static_cast<std::size_t>(rank)];
        if (slots[other] > 0 && own_slots > 0 && holdings[other].can_compile)
          CHECK(count * slots[other] <= (compiles[static_cast<int>(other)] + 1) * own_slots);
      }
    }
  }
}

TEST_CASE("warm: messages come back as they went, and damaged ones do not crash") {
  WarmCall call = on(3, processors({0, 77}), 5);
  call.targets = "native\nsm_90";
  call.other_sizes = false;
  call.timeout_ms = 1234;
  call.cpu_target = "x86-64-v3";
  WarmCall call_again;
  CHECK(decode(encode(call), call_again));
  CHECK(encode(call_again) == encode(call));
  CHECK(call_again.targets == call.targets);
  CHECK(call_again.processors == call.processors);
  const WarmProducts products{.compiled = {{digest_of(1), 2.5, "f", "sm_90"}, {digest_of(2), 0, "", ""}},
                              .threads = 3,
                              .compile_ms = 7,
                              .bundle = "bytes"};
  WarmProducts products_again;
  CHECK(decode(encode(products), products_again));
  CHECK(encode(products_again) == encode(products));
  CHECK(products_again.compiled[0].kernel == "f");
  const WarmInventory inventory{.found = {1, 1}};
  const WarmList list{.list = digest_of(3), .digests = {digest_of(1), digest_of(2)}};
  const std::string message = encode(WarmMessage{.step = 2, .error = "no", .payload = encode(products)});
  std::string other;
  CHECK(decode_message(message, &other)->error == "no");
  CHECK_FALSE(decode_message("kiln::elsewhere\nabc", &other));
  CHECK(other == "kiln::elsewhere");
  CHECK_FALSE(decode_message("kiln::warm\nabcdefgh", &other));
  CHECK(other == "kiln::warm of another version of kiln");
  CHECK_FALSE(decode_message("", &other));
  CHECK(other.empty());
  std::mt19937 random(7);
  for (std::string bytes : {encode(call), encode(products), encode(inventory), encode(list), message}) {
    for (int round = 0; round < 500; ++round) {
      std::string damaged = bytes.substr(0, round % 2 == 0 ? random() % bytes.size() : bytes.size());
      if (round % 2 != 0) damaged[random() % damaged.size()] = static_cast<char>(random());
      WarmCall a;
      WarmInventory b;
      WarmList c;
      WarmProducts d;
      const bool shorter = damaged.size() < bytes.size();
      CHECK_FALSE((shorter && decode(damaged, a) && bytes == encode(call)));
      static_cast<void>(decode(damaged, b));
      static_cast<void>(decode(damaged, c));
      CHECK_FALSE((shorter && decode(damaged, d) && bytes == encode(products)));
      CHECK_FALSE((shorter && bytes == message && decode_message(damaged, &other)));
    }
  }
}

}  // namespace kiln::manifest
