// Commands of devices and their memory, and of what kiln has: functions, errors, environment variables.
#include "base/environment.hpp"
#include "base/variables.hpp"
#include "command/commands.hpp"
#include "kiln/compilers.hpp"
#include "kiln/error.hpp"
#include "kiln/explain.hpp"
#include "kiln/memory.hpp"

namespace kiln::command {
namespace {

using manifest::Node;

Json compilers_json() {
  Json json = Json::array();
  for (const CompilerInfo& info : compilers()) {
    const DeviceKind kind = info.kind;
    json.push_back({{"kind", kind == DeviceKind::cpu    ? "cpu"
                             : kind == DeviceKind::cuda ? "cuda"
                                                        : "hip"},
                    {"name", info.name},
                    {"version", info.version},
                    {"file", info.file},
                    {"taken", info.taken},
                    {"reason", info.reason}});
  }
  return json;
}

Json devices(const Node& /*request*/, const Cache& /*cache*/) {
  Json list = Json::array();
  for (const Device& device : Device::all()) list.push_back(to_json(device));
  Json json{{"devices", std::move(list)}};
  try {
    json["best"] = to_string(Device::best());
  } catch (const Error& error) {  // KILN_DEVICE names none
    json["best"] = nullptr;
    json["best_error"] = error.what();
  }
  json["unavailable"] = unavailable();
  json["compilers"] = compilers_json();
  return json;
}

Json functions(const Node& request, const Cache& /*cache*/) {
  Json list = Json::array();
  if (!request.has("names")) {
    for (const math::FunctionInfo& each : math::functions()) list.push_back(to_json(each));
    return {{"functions", std::move(list)}};
  }
  for (const Node& wanted : request.at("names").list()) {
    const std::string name = wanted.word();
    const math::FunctionInfo* found = nullptr;
    for (const math::FunctionInfo& each : math::functions()) {
      if (each.name == name) found = &each;
    }
    if (found == nullptr) wanted.fail("no function of kiln::math is named \"" + name + "\"");
    list.push_back(to_json(*found));
  }
  return {{"functions", std::move(list)}};
}

Device device_of(const Node& request) {
  const auto given = request.find("device");
  return given ? Device::from_string(given->word()) : Device::best();
}

Json memory_json(const Device& device) {
  const MemoryStats stats = memory_stats(device);
  Json json{{"device", to_string(device)},
            {"used", stats.used},
            {"kept", stats.kept},
            {"peak", stats.peak},
            {"allocations", stats.allocations}};
  json["limit"] = stats.limit ? Json(*stats.limit) : Json();
  json["free"] = stats.free ? Json(*stats.free) : Json();
  json["total"] = stats.total;
  return json;
}

Json memory(const Node& request, const Cache& /*cache*/) {
  return memory_json(device_of(request));
}

Json memory_trim(const Node& request, const Cache& /*cache*/) {
  const Device device = device_of(request);
  trim(device);
  return memory_json(device);
}

Json memory_limit(const Node& request, const Cache& /*cache*/) {
  const Device device = device_of(request);
  const auto bytes = request.find("bytes");
  set_memory_limit(device, bytes && !bytes->json().is_null() ? std::optional(bytes->integer(0, INT64_MAX)) : std::nullopt);
  return memory_json(device);
}

Json explanations(const Node& request, const Cache& /*cache*/) {
  Json topics = Json::array();
  if (request.has("codes")) {
    for (const std::string& code : words(request, "codes")) topics.push_back(to_json(kiln::explain(code)));
  } else {
    for (const ErrorTopic& topic : error_topics()) topics.push_back(to_json(topic));
  }
  return {{"errors", std::move(topics)}};
}

Json variable_json(const base::VariableGroup& group, const base::Variable& variable) {
  const std::string name(variable.name);
  const auto value = base::env(name.c_str());
  return {{"name", name},
          {"subject", group.subject},
          {"values", variable.values},
          {"default", variable.otherwise},
          {"effect", variable.effect},
          {"page", variable.page},
          {"value", value ? Json(*value) : Json()}};
}

Json environment(const Node& request, const Cache& /*cache*/) {
  Json variables = Json::array();
  const auto add = [&](const std::string* name) {
    for (const base::VariableGroup& group : base::variable_groups()) {
      for (const base::Variable& each : group.variables) {
        if (name == nullptr || *name == each.name) variables.push_back(variable_json(group, each));
      }
    }
  };
  if (!request.has("names")) add(nullptr);
  for (const std::string& name : words(request, "names")) {
    const std::size_t before = variables.size();
    add(&name);
    if (variables.size() > before) continue;
    const std::string_view near = base::near_variable(name);
    throw TypeError("unknown environment variable \"" + name + "\"" +
                    (near.empty() ? "" : ": did you mean \"" + std::string(near) + "\"?"));
  }
  Json misspelled = Json::array();
  for (const base::Misspelled& each : base::misspelled_variables()) {
    misspelled.push_back({{"name", each.name}, {"meant", each.meant}});
  }
  return {{"variables", std::move(variables)}, {"misspelled", std::move(misspelled)}};
}

constexpr Command kDeviceCommands[] = {{"devices", {}, devices},
                                       {"environment", {"names"}, environment},
                                       {"explain", {"codes"}, explanations},
                                       {"functions", {"names"}, functions},
                                       {"memory", {"device"}, memory},
                                       {"memory.trim", {"device"}, memory_trim},
                                       {"memory.limit", {"device", "bytes"}, memory_limit}};

}  // namespace

Json unavailable() {
  Json json = Json::object();
  const auto probe = [&](const char* vendor, Device (*open)(int)) {
    try {
      static_cast<void>(open(0));
    } catch (const Error& error) {
      json[vendor] = error.what();
    }
  };
  probe("cuda", &Device::cuda);
  probe("hip", &Device::hip);
  return json;
}

std::span<const Command> device_commands() noexcept {
  return kDeviceCommands;
}

}  // namespace kiln::command
