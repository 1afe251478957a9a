// Programs whose cases take too long for every run do a part of them in each, by turns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace doctest {
class Context;
}

namespace kiln::test {

/// The names of other turns than this one, in the order given. Each name is of one turn of so many.
std::vector<std::string> names_of_other_turns(const std::vector<std::string>& names, std::uint64_t turns, std::uint64_t turn);

/// Leaves to `context` the cases of this turn, among those that the arguments choose, and prints how many it takes away.
/// KILN_TEST_TURNS is the number of turns; without it, or with KILN_TEST_BIG=1, all cases stay. Sample::first() says which turn
/// this is. Throws std::logic_error where other cases would run.
void take_turn(doctest::Context& context, int argc, char** argv);

}  // namespace kiln::test
