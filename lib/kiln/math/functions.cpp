// The handles, and the tables as tools see them.
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "kiln/math.hpp"
#include "math/entry.hpp"
#include "signature/signature.hpp"
#include "ufunc/loops.hpp"

namespace kiln::math {
namespace {

const detail::Group* const kGroups[] = {&detail::kArithmetic, &detail::kDivision,     &detail::kComparison,  &detail::kLogic,
                                        &detail::kBits,       &detail::kTrigonometry, &detail::kExponential, &detail::kRounding,
                                        &detail::kFloating,   &detail::kComplex};

/// NumPy's second names.
struct Alias {
  std::string_view name, of;
};
constexpr Alias kAliases[] = {{"abs", "absolute"},
                              {"acos", "arccos"},
                              {"acosh", "arccosh"},
                              {"asin", "arcsin"},
                              {"asinh", "arcsinh"},
                              {"atan", "arctan"},
                              {"atan2", "arctan2"},
                              {"atanh", "arctanh"},
                              {"bitwise_invert", "invert"},
                              {"bitwise_left_shift", "left_shift"},
                              {"bitwise_not", "invert"},
                              {"bitwise_right_shift", "right_shift"},
                              {"conj", "conjugate"},
                              {"mod", "remainder"},
                              {"pow", "power"},
                              {"true_divide", "divide"}};

Ufunc make(const detail::Entry& entry) {
  UfuncDefinition definition;
  definition.name = entry.name;
  for (const std::string_view signature : entry.signatures) {
    if (!signature.empty()) definition.signatures.emplace_back(signature);
  }
  definition.body = entry.body;
  definition.identity = entry.identity;
  definition.reorderable = entry.reorderable;
  definition.widens_integers = entry.widens_integers;
  definition.bools_are_numbers = entry.bools_are_numbers;
  return vectorize(std::move(definition));
}

/// The ufunc in its slot, made by whoever comes first. No lock: a child forked meanwhile could wait for it forever.
const Ufunc& made(const detail::Entry& entry, detail::Slot& slot) {
  if (const Ufunc* const there = slot.load(std::memory_order_acquire)) return *there;
  auto fresh = std::make_unique<const Ufunc>(make(entry));
  const Ufunc* expected = nullptr;
  if (!slot.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) return *expected;
  return *fresh.release();
}

std::string loops_of(const detail::Entry& entry) {
  std::vector<signature::TypeSignature> signatures;
  for (const std::string_view text : entry.signatures) {
    if (!text.empty()) signatures.push_back(signature::parse(text));
  }
  const auto list = [](const std::vector<DType>& dtypes) {
    std::string text;
    for (const DType dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(kiln::name(dtype));
    return text;
  };
  std::string text;
  for (const ufunc::Loop& loop : ufunc::fixed_loops(signatures)) {
    text += (text.empty() ? "" : "\n") + list(loop.inputs) + " -> " + list(loop.outputs);
  }
  return text;
}

}  // namespace

std::span<const detail::Group* const> detail::groups() noexcept {
  return kGroups;
}

const Ufunc& Function::ufunc() const {
  return made(*entry_, *slot_);
}

std::span<const FunctionInfo> functions() {
  struct Table {
    std::deque<std::string> texts;
    std::vector<FunctionInfo> rows;
  };
  static const Table* const table = [] {
    auto built = std::make_unique<Table>();
    for (const detail::Group* const group : kGroups) {
      for (std::size_t i = 0; i < group->entries.size(); ++i) {
        const detail::Entry& entry = group->entries[i];
        const Ufunc& ufunc = made(entry, group->slots[i]);
        built->rows.push_back({.name = entry.name,
                               .description = entry.description,
                               .group = group->name,
                               .nin = ufunc.nin(),
                               .nout = ufunc.nout(),
                               .loops = built->texts.emplace_back(loops_of(entry)),
                               .identity = entry.identity});
      }
    }
    return built.release();
  }();
  return table->rows;
}

const Ufunc* find(std::string_view name) {
  const auto* const alias =
      std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Alias& a) { return a.name == name; });
  if (alias != std::end(kAliases)) name = alias->of;
  for (const detail::Group* const group : kGroups) {
    for (std::size_t i = 0; i < group->entries.size(); ++i) {
      if (group->entries[i].name == name) return &made(group->entries[i], group->slots[i]);
    }
  }
  return nullptr;
}

}  // namespace kiln::math
