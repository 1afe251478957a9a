// `kiln cache list`: the entries of every tier, as a table, as JSON, or their ids alone.
#pragma once

#include <string>
#include <string_view>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

/// What --sort takes, and whether an entry comes before another one then.
struct ListOrder {
  std::string_view name;
  bool (*before)(const cache::Entry&, const cache::Entry&);
};
inline constexpr ListOrder kOrders[] = {
    {"name", [](const cache::Entry&, const cache::Entry&) { return false; }},  // as the library lists them
    {"size", [](const cache::Entry& a, const cache::Entry& b) { return a.bytes > b.bytes; }},
    {"age", [](const cache::Entry& a, const cache::Entry& b) { return a.used < b.used; }},
    {"hits", [](const cache::Entry& a, const cache::Entry& b) { return a.hits > b.hits; }},
};

class CacheListCommand : public Command {
 public:
  explicit CacheListCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  EntryFilter filter_;
  std::string sort_ = "name";
  bool quiet_ = false;
};

}  // namespace kiln::tool
