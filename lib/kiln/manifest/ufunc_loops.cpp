#include "manifest/ufunc_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "ufunc/layout_class.hpp"

namespace kiln::manifest {
namespace {

using signature::TypeSignature;
using signature::TypeVariable;
using ufunc::Loop;

/// An element of "types": {"T": "float32"}.
struct Choice {
  Node node;
  std::map<std::string, DType> dtypes;
};

/// Loops in order, each once: a call runs the first of two with the same dtypes.
class Loops {
 public:
  explicit Loops(const Node& kernel) : kernel_(kernel) {}
  /// False for one that is there.
  bool add(Loop loop) {
    if (!known_.insert(ufunc::dtypes_of(loop)).second) return false;
    if (loops_.size() == kMaxLoops) kernel_.fail(fmt::format("more than {} loops; say which with \"loops\"", kMaxLoops));
    loops_.push_back(std::move(loop));
    return true;
  }
  std::vector<Loop> take() { return std::move(loops_); }

 private:
  const Node& kernel_;
  std::vector<Loop> loops_;
  std::set<std::vector<DType>> known_;
};

Choice read_choice(const Node& node, std::span<const TypeSignature> signatures) {
  Choice choice{node, {}};
  for (const auto& [variable, value] : node.members()) {
    bool known = false;
    for (const TypeSignature& signature : signatures) {
      known |= std::any_of(signature.variables.begin(), signature.variables.end(),
                           [&](const TypeVariable& each) { return each.name == variable; });
    }
    if (!known) value.fail("no signature has a type variable of that name");
    choice.dtypes.emplace(variable, value.locate([&] { return dtype_from_name(value.word()); }));
  }
  if (choice.dtypes.empty()) node.fail("expected a type variable and its dtype, as {\"T\": \"float32\"}");
  return choice;
}

/// The dtypes that each variable takes, by one choice (null: by none).
std::vector<std::vector<DType>> dtypes_of_variables(const TypeSignature& signature, const Node& at, const Choice* choice) {
  std::vector<std::vector<DType>> all;
  for (const TypeVariable& variable : signature.variables) {
    if (choice != nullptr) {
      if (const auto chosen = choice->dtypes.find(variable.name); chosen != choice->dtypes.end()) {
        const auto& allowed = variable.choices;
        if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), chosen->second) == allowed.end()) {
          choice->node.fail(fmt::format("\"{}\" may not be {} in \"{}\"", variable.name, name(chosen->second), signature.text));
        }
        all.push_back({chosen->second});
        continue;
      }
    }
    if (variable.choices.empty()) {
      const Node& place = choice != nullptr ? choice->node : at;
      place.fail(fmt::format(
          "nothing says what \"{0}\" is: write \"types\": [{{\"{0}\": \"float32\"}}], or restrict it in the signature: "
          "\"… where {0}: float32, float64\"",
          variable.name));
    }
    all.push_back(variable.choices);
  }
  return all;
}

/// Every combination, the first variable varying slowest.
void add_combinations(const TypeSignature& signature, const std::vector<std::vector<DType>>& choices, Loops& loops) {
  std::vector<std::size_t> at(choices.size(), 0);
  for (bool more = true; more;) {
    std::vector<DType> dtypes;
    for (std::size_t i = 0; i < at.size(); ++i) dtypes.push_back(choices[i][at[i]]);
    loops.add(ufunc::bind(signature, dtypes));
    more = false;
    for (std::size_t i = at.size(); i-- > 0 && !more;) {
      more = ++at[i] < choices[i].size();
      if (!more) at[i] = 0;
    }
  }
}

}  // namespace

std::vector<Loop> read_loops(const Node& node, std::span<const TypeSignature> signatures) {
  Loops loops(node);
  if (const auto given = node.find("loops")) {
    if (node.has("types")) given->fail("give \"loops\" or \"types\", not both");
    if (given->json().empty() && given->json().is_array()) given->fail("an empty list: nothing would be compiled");
    for (const Node& each : given->list()) {
      if (!loops.add(read_loop(each, signatures))) each.fail("the same loop is there twice");
    }
    return loops.take();
  }
  std::vector<Choice> choices;
  if (const auto given = node.find("types")) {
    for (const Node& each : given->list()) {
      if (choices.size() == kMaxLoops) given->fail(fmt::format("more than {} elements", kMaxLoops));
      choices.push_back(read_choice(each, signatures));
    }
    if (choices.empty()) given->fail("an empty list: leave it out, or write [{\"T\": \"float32\"}]");
  }
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    const TypeSignature& signature = signatures[i];
    const Node place = node.has("signatures") ? node.at("signatures").list()[i] : node;
    bool chosen = false;
    for (const Choice& choice : choices) {
      const bool concerns = std::any_of(signature.variables.begin(), signature.variables.end(),
                                        [&](const TypeVariable& each) { return choice.dtypes.contains(each.name); });
      if (!concerns) continue;
      chosen = true;
      add_combinations(signature, dtypes_of_variables(signature, place, &choice), loops);
    }
    if (!chosen) add_combinations(signature, dtypes_of_variables(signature, place, nullptr), loops);
  }
  return loops.take();
}

void read_uses(const Node& node, std::span<const TypeSignature> signatures, std::initializer_list<const char*> instead,
               Entry& entry, const std::function<Json(const Node&)>& read_call,
               const std::function<void(const Loop&)>& add_loop) {
  if (const auto list = node.find("calls"))
    return read_calls(node, *list, instead, "one with contiguous arrays for every loop", entry.json, read_call);
  for (const Loop& loop : read_loops(node, signatures)) {
    if (node.has("loops")) entry.json["loops"].push_back(ufunc::loop_text(loop));
    add_loop(loop);
  }
  if (const auto types = node.find("types")) entry.json["types"] = types->json();
}

}  // namespace kiln::manifest
