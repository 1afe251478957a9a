#include "turns.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "sample.hpp"
#include "silent_reporter.hpp"

namespace kiln::test {
namespace {

std::vector<std::string> listed;

/// Keeps the names of a query of doctest's instead of printing them.
struct Names : SilentReporter {
  explicit Names(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData& query) override {
    listed.clear();
    for (unsigned i = 0; i < query.num_data; ++i) listed.emplace_back(query.data[i]->m_name);
  }
};
REGISTER_REPORTER("kiln-names", 1, Names);

/// A filter that matches the name: doctest would cut it at commas, and expand its asterisks.
std::string filter_of(std::string name) {
  for (char& each : name) {
    if (each == ',' || each == '\\' || each == '*') each = '?';
  }
  return name;
}

void exclude(doctest::Context& context, const std::vector<std::string>& names) {
  for (const std::string& name : names) context.addFilter("test-case-exclude", filter_of(name).c_str());
}

std::vector<std::string> chosen(int argc, char** argv, const std::vector<std::string>& excluded) {
  std::vector<const char*> arguments(argv, argv + argc);
  arguments.insert(arguments.end(), {"--list-test-cases", "--reporters=kiln-names"});
  doctest::Context context(static_cast<int>(arguments.size()), arguments.data());
  exclude(context, excluded);
  context.run();
  return listed;
}

}  // namespace

std::vector<std::string> names_of_other_turns(const std::vector<std::string>& names, std::uint64_t turns, std::uint64_t turn) {
  std::vector<std::string> others;
  std::unordered_map<std::string, std::uint64_t> turn_of;  // cases of one name are of one turn
  for (const std::string& name : names) {
    if (turn_of.try_emplace(name, turn_of.size() % turns).first->second != turn % turns) others.push_back(name);
  }
  return others;
}

void take_turn(doctest::Context& context, int argc, char** argv) {
  const std::uint64_t turns = Sample::turns();
  if (turns == 1 || std::getenv("KILN_TEST_BIG") != nullptr) return;
  const std::vector<std::string> all = chosen(argc, argv, {});
  const std::vector<std::string> others = names_of_other_turns(all, turns, Sample::first());
  if (chosen(argc, argv, others).size() + others.size() != all.size())
    throw std::logic_error(
        "a case has the name of another one, but for commas and asterisks: with KILN_TEST_TURNS it would never run");
  exclude(context, others);
  std::printf("KILN_TEST_TURNS=%d KILN_TEST_FIRST=%d\n", static_cast<int>(turns), static_cast<int>(Sample::first() % turns));
  if (!others.empty()) std::printf("KILN-NOT-RUN turn %d\n", static_cast<int>(others.size()));
}

}  // namespace kiln::test
