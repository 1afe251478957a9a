#include <string>
#include <vector>

#include "c/argument_error.hpp"
#include "c/cache.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"
#include "c/text.hpp"
#include "command/json.hpp"
#include "kiln/warm.hpp"
#include "manifest/node.hpp"

struct kiln_warming : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::warming;
  explicit kiln_warming(kiln::Warming begun) : Handle(kTag), warming(std::move(begun)) {}
  kiln::Warming warming;
};

namespace kiln::c {
namespace {

using command::Json;

WarmOptions warm_options(const std::string& text) {
  const std::string name = "options";
  const manifest::Json json = manifest::parse_json(text, name);
  const manifest::Node node(json, name);
  node.check_members({"targets", "timeout_ms", "jobs", "other_sizes"});
  WarmOptions options;
  if (const auto given = node.find("targets")) {
    for (const manifest::Node& each : given->list()) options.targets.push_back(each.word());
  }
  if (const auto given = node.find("timeout_ms")) options.timeout = std::chrono::milliseconds(given->integer(0, INT64_MAX));
  if (const auto given = node.find("jobs")) options.jobs = static_cast<int>(given->integer(0, 4096));
  if (const auto given = node.find("other_sizes")) options.other_sizes = given->flag();
  return options;
}

Json json_of(const WarmReport& report) {
  Json compiled = Json::array();
  for (const WarmKernel& each : report.compiled) {
    compiled.push_back({{"id", each.id},
                        {"kernel", each.kernel},
                        {"target", each.target},
                        {"rank", each.rank},
                        {"compile_ms", each.compile_ms}});
  }
  Json ranks = Json::array();
  for (const WarmRank& each : report.ranks) {
    ranks.push_back({{"kernels", each.kernels},
                     {"found", each.found},
                     {"compiled", each.compiled},
                     {"threads", each.threads},
                     {"compile_ms", each.compile_ms}});
  }
  return {{"cpu_target", report.cpu_target}, {"kernels", report.kernels}, {"found", report.found},
          {"compiled", std::move(compiled)}, {"ranks", std::move(ranks)}, {"bytes", report.bytes},
          {"seconds", report.seconds},       {"text", to_string(report)}};
}

}  // namespace
}  // namespace kiln::c

using namespace kiln::c;

kiln_status kiln_warming_new(kiln_warming** warming, int32_t rank, int32_t size, const char* manifest, size_t length,
                             const char* options, const kiln_cache* cache, kiln_error** error) noexcept {
  return guarded(error, warming, [&] {
    kiln_warming*& made = output(warming, "warming");
    const auto kernels = kiln::Manifest::parse(string_of(manifest, length, "manifest"));
    kiln::WarmOptions given = options != nullptr ? warm_options(options) : kiln::WarmOptions{};
    given.cache = cache_of(cache);
    made = make<kiln_warming>(kiln::Warming(rank, size, kernels, given));
  });
}

kiln_status kiln_warming_message(kiln_text** message, const kiln_warming* warming, kiln_error** error) noexcept {
  return guarded(error, message, [&] {
    kiln_text*& made = output(message, "message");
    const kiln::Warming& begun = checked(warming, "warming").warming;
    if (!begun.done()) made = make<kiln_text>(begun.message());
  });
}

kiln_status kiln_warming_receive(kiln_warming* warming, const char* const* messages, const size_t* lengths, size_t count,
                                 kiln_error** error) noexcept {
  return guarded(error, [&] {
    kiln::Warming& begun = checked(warming, "warming").warming;
    if (count != 0 && messages == nullptr) fail_null("messages");
    if (count != 0 && lengths == nullptr) fail_null("lengths");
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
      if (messages[i] == nullptr) fail_null("messages");
      all.emplace_back(messages[i], lengths[i]);
    }
    begun.receive(all);
  });
}

kiln_status kiln_warming_report(kiln_text** json, const kiln_warming* warming, kiln_error** error) noexcept {
  return guarded(error, json, [&] {
    kiln_text*& made = output(json, "json");
    made = make<kiln_text>(kiln::command::text_of(json_of(checked(warming, "warming").warming.report())));
  });
}

void kiln_warming_release(kiln_warming* warming) noexcept {
  release(warming);
}
