// Commands of profiles: each has a number, until it is stopped.
#include <map>
#include <mutex>
#include <utility>

#include "command/commands.hpp"

namespace kiln::command {
namespace {

using manifest::Node;

struct Profiles {
  std::mutex mutex;
  std::map<std::int64_t, Profile> open;
  std::int64_t next = 1;
};

Profiles& profiles() {
  // Lives as long as the process: threads may be in it at its end.
  static auto* const all = new Profiles;
  return *all;
}

Json start(const Node& request, const Cache& /*cache*/) {
  ProfileOptions options;
  if (const auto given = request.find("all_threads")) options.all_threads = given->flag();
  if (const auto given = request.find("ranges")) options.ranges = given->flag();
  if (const auto given = request.find("limit")) options.limit = static_cast<std::size_t>(given->integer(0, INT64_MAX));
  Profile started = profile(std::move(options));
  Profiles& all = profiles();
  const std::lock_guard guard(all.mutex);
  const std::int64_t number = all.next++;
  all.open.emplace(number, std::move(started));
  return {{"profile", number}};
}

Json stop(const Node& request, const Cache& /*cache*/) {
  const Node number = request.at("profile");
  Profiles& all = profiles();
  std::unique_lock guard(all.mutex);
  const auto found = all.open.find(number.integer(0, INT64_MAX));
  if (found == all.open.end()) number.fail("no profile of this number runs; \"profile.start\" gives one");
  Profile stopped = std::move(found->second);
  all.open.erase(found);
  guard.unlock();
  stopped.stop();
  if (const auto trace = request.find("trace")) stopped.write_trace(trace->word());
  Json calls = Json::array();
  for (const CallRecord& record : stopped.records()) calls.push_back(to_json(record));
  return {{"calls", std::move(calls)}, {"dropped", stopped.dropped()}};
}

constexpr Command kProfileCommands[] = {{"profile.start", {"all_threads", "ranges", "limit"}, start},
                                        {"profile.stop", {"profile", "trace"}, stop}};

}  // namespace

std::span<const Command> profile_commands() noexcept {
  return kProfileCommands;
}

}  // namespace kiln::command
