// kiln::allreduce, reduce and accumulate over ranks that are threads: the bits of one rank, and the errors of one rank on all.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <stdexcept>

#include "kiln/math.hpp"
#include "local_ranks.hpp"

using namespace kiln;
using kiln::test::ThreadRanks;

namespace {

Array numbers(std::int64_t count) {
  std::mt19937_64 random(7);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values)
    value = std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 40) - 20);
  return Array::from(values);
}

/// Where a rank's part begins: some parts are empty.
std::int64_t cut_of(int rank, int size, std::int64_t count) {
  return rank == size ? count : rank % 3 == 2 ? cut_of(rank - 1, size, count) : count * rank / size;
}

Partial part_of(const Array& x, std::int64_t begin, std::int64_t end) {
  return partial(math::add, x[{Slice{begin, end}}], {.global_offset = begin, .global_size = x.size()});
}

}  // namespace

TEST_CASE("allreduce: the bits of one rank for any number of ranks, in any order") {
  const Array x = numbers(10'007);
  const float expected = part_of(x, 0, x.size()).finish().item<float>();
  for (const int size : {1, 2, 3, 5, 8, 16}) {
    for (const bool backwards : {false, true}) {
      for (const bool sends : {false, true}) {
        CAPTURE(size);
        CAPTURE(sends);
        std::vector<float> sums(static_cast<std::size_t>(size));
        const auto errors = ThreadRanks(size, sends).run([&](const Communicator& ranks) {
          const int number = backwards ? size - 1 - ranks.rank : ranks.rank;
          const Partial whole =
              allreduce(ranks, [&] { return part_of(x, cut_of(number, size, x.size()), cut_of(number + 1, size, x.size())); });
          sums[static_cast<std::size_t>(ranks.rank)] = whole.finish().item<float>();
        });
        for (const std::string& error : errors) CHECK(error.empty());
        for (const float sum : sums) CHECK(std::bit_cast<std::uint32_t>(sum) == std::bit_cast<std::uint32_t>(expected));
      }
    }
  }
}

TEST_CASE("allreduce: what fails on one rank is an error on all, with its number") {
  const Array x = numbers(100);
  for (const bool sends : {false, true}) {
    CAPTURE(sends);
    const auto errors_of = [&](const auto& part) {
      return ThreadRanks(3, sends).run(
          [&](const Communicator& ranks) { static_cast<void>(allreduce(ranks, [&] { return part(ranks.rank); }).finish()); });
    };
    for (const std::string& error : errors_of([&](int rank) {
           if (rank == 1) throw std::runtime_error("no input");
           return part_of(x, rank * 33, rank == 2 ? 100 : rank * 33 + 33);
         })) {
      CHECK(error == "kiln::allreduce: rank 1 of 3: no input");
    }
    // Another function: each rank that reads names the first that differs from its own.
    const auto errors = errors_of([&](int rank) {
      const Array rows = x[{Slice{rank * 33, rank == 2 ? 100 : rank * 33 + 33}}];
      const PartialOptions options{.global_offset = rank * 33, .global_size = 100};
      return rank == 2 ? partial(math::multiply, rows, options) : partial(math::add, rows, options);
    });
    for (const std::size_t rank : {0U, 1U, 2U}) {
      CHECK(errors[rank].starts_with(
          rank == 2 && !sends ? "kiln::allreduce: rank 0 of 3: multiply.partial_from_bytes: "
                              : "kiln::allreduce: rank 2 of 3: add.partial_from_bytes: the accumulators are of another "
                                "definition, of the function \"multiply\""));
    }
    for (const std::string& error : errors_of([&](int rank) { return part_of(x, rank * 33, rank * 33 + 33); })) {
      CHECK(error ==
            "add.finish: the accumulators are of 0 to 99, and the array has 0 to 100; combine them with those of the other "
            "parts");
    }
    for (const std::string& error : errors_of([&](int rank) { return part_of(x, rank * 30, rank * 30 + 40); })) {
      CHECK(error ==
            "add: parts cannot be combined, since the part of 0 to 40 is followed by that of 30 to 70: 30 to 40 is in both");
    }
  }
}

TEST_CASE("reduce: one rank has the bits of one rank alone, and the others nothing") {
  const Array x = numbers(3001);
  const float expected = part_of(x, 0, x.size()).finish().item<float>();
  for (const int size : {1, 2, 3, 5, 8}) {
    for (int root = 0; root < size; ++root) {
      for (const bool sends : {false, true}) {
        CAPTURE(size);
        CAPTURE(root);
        CAPTURE(sends);
        std::vector<std::optional<Partial>> found(static_cast<std::size_t>(size));
        const auto errors = ThreadRanks(size, sends).run([&](const Communicator& ranks) {
          const int number = size - 1 - ranks.rank;
          found[static_cast<std::size_t>(ranks.rank)] = reduce(
              ranks, root, [&] { return part_of(x, cut_of(number, size, x.size()), cut_of(number + 1, size, x.size())); });
        });
        for (const std::string& error : errors) CHECK(error == "");
        for (int rank = 0; rank < size; ++rank) CHECK(found[static_cast<std::size_t>(rank)].has_value() == (rank == root));
        const float sum = found[static_cast<std::size_t>(root)]->finish().item<float>();
        CHECK(std::bit_cast<std::uint32_t>(sum) == std::bit_cast<std::uint32_t>(expected));
      }
    }
  }
}

TEST_CASE("reduce: what fails on one rank is an error on all, and so are calls that do not match") {
  const Array x = numbers(100);
  for (const bool sends : {false, true}) {
    CAPTURE(sends);
    const auto errors_of = [&](const auto& call) { return ThreadRanks(3, sends).run(call); };
    const auto own = [&](const Communicator& ranks) {
      return part_of(x, cut_of(ranks.rank, 3, 100), cut_of(ranks.rank + 1, 3, 100));
    };
    for (const std::string& error : errors_of([&](const Communicator& ranks) {
           static_cast<void>(
               reduce(ranks, 2, [&] { return ranks.rank == 1 ? throw std::runtime_error("no input") : own(ranks); }));
         })) {
      CHECK(error == "kiln::reduce: rank 1 of 3: no input");
    }
    // What the root alone would see.
    for (const std::string& error : errors_of([&](const Communicator& ranks) {
           static_cast<void>(reduce(ranks, 1, [&] { return part_of(x, ranks.rank * 30, ranks.rank * 30 + 40); }));
         })) {
      CHECK(error ==
            "add: parts cannot be combined, since the part of 0 to 40 is followed by that of 30 to 70: 30 to 40 is in both");
    }
    for (const std::string& error : errors_of([&](const Communicator& ranks) {
           static_cast<void>(reduce(ranks, ranks.rank / 2, [&] { return own(ranks); }));
         })) {
      CHECK(
          error ==
          "kiln::reduce: rank 2 of 3: calls do not match: it makes kiln::reduce to rank 1, and rank 0 kiln::reduce to rank 0");
    }
    const auto errors = errors_of([&](const Communicator& ranks) {
      if (ranks.rank == 1) return static_cast<void>(allreduce(ranks, [&] { return own(ranks); }));
      static_cast<void>(reduce(ranks, 0, [&] { return own(ranks); }));
    });
    CHECK(errors[0] ==
          "kiln::reduce: rank 1 of 3: calls do not match: it makes kiln::allreduce, and rank 0 kiln::reduce to rank 0");
    CHECK(errors[1] ==
          "kiln::allreduce: rank 1 of 3: calls do not match: it makes kiln::allreduce, and rank 0 kiln::reduce to rank 0");
    for (const std::string& error :
         errors_of([&](const Communicator& ranks) { static_cast<void>(reduce(ranks, 3, [&] { return own(ranks); })); })) {
      CHECK(error == "kiln::reduce: there is no rank 3: the ranks are 0 to 2");
    }
  }
}

TEST_CASE("accumulate: running sums over ranks have the bits of one rank, for any number of ranks") {
  const Array x = numbers(3001);
  const Array expected = accumulate_part(math::add, x, Partial());
  for (const int size : {1, 2, 3, 5, 8, 16}) {
    for (const bool sends : {false, true}) {
      CAPTURE(size);
      CAPTURE(sends);
      const Array running = Array::zeros(x.shape(), x.dtype());
      const auto errors = ThreadRanks(size, sends).run([&](const Communicator& ranks) {
        const std::int64_t begin = cut_of(ranks.rank, size, x.size());
        const Slice own{begin, cut_of(ranks.rank + 1, size, x.size())};
        running[own].assign(accumulate(ranks, math::add, x[own], {.global_offset = begin, .global_size = x.size()}));
      });
      for (const std::string& error : errors) CHECK(error.empty());
      CHECK(std::memcmp(running.data(), expected.data(), static_cast<std::size_t>(x.nbytes())) == 0);
    }
  }
}

TEST_CASE("accumulate: parts that do not meet are an error on all ranks") {
  const Array x = numbers(100);
  for (const bool sends : {false, true}) {
    const auto errors = ThreadRanks(3, sends).run([&](const Communicator& ranks) {
      const std::int64_t begin = ranks.rank * 30;
      static_cast<void>(
          accumulate(ranks, math::add, x[Slice{begin, begin + 20}], {.global_offset = begin, .global_size = 100}));
    });
    for (const std::string& error : errors) {
      CHECK(error ==
            "add: parts cannot be combined, since the part of 0 to 20 is followed by that of 30 to 50: 20 to 30 is missing");
    }
  }
}
