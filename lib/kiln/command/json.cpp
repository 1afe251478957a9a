#include "command/json.hpp"

#include <utility>

#include "kiln/error.hpp"
#include "types/option_words.hpp"

namespace kiln::command {
namespace {

template <class T>
void add(Json& json, const char* member, const std::optional<T>& value) {
  if (value) json[member] = *value;
}

const char* kind_name(DeviceKind kind) {
  return kind == DeviceKind::cpu ? "cpu" : kind == DeviceKind::cuda ? "cuda" : "hip";
}

const char* name_of(Severity severity) {
  return severity == Severity::note ? "note" : severity == Severity::warning ? "warning" : "error";
}

Json list_of(const Shape& shape) {
  return std::vector<std::int64_t>(shape.begin(), shape.end());
}

Json span_json(const TimeSpan& span) {
  return {{"start", span.start}, {"duration", span.duration}};
}

}  // namespace

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json option_places(std::string_view message) {
  Json list = Json::array();
  for (const OptionWord& word : option_words(message)) {
    list.push_back({{"begin", word.begin}, {"end", word.end}, {"name", word.name}});
    if (!word.value.empty()) list.back()["value"] = word.value;
  }
  return list;
}

Json to_json(const Diagnostic& diagnostic) {
  Json json{{"severity", name_of(diagnostic.severity)},
            {"file", diagnostic.file},
            {"line", diagnostic.line},
            {"column", diagnostic.column},
            {"text", diagnostic.text},
            {"source_line", diagnostic.source_line}};
  if (Json places = option_places(diagnostic.text); !places.empty()) json["options"] = std::move(places);
  return json;
}

Json to_json(const Device& device) {
  Json json{{"device", to_string(device)}, {"index", device.index()}, {"kind", kind_name(device.kind())}};
  try {
    const DeviceInfo info = device.info();
    json["name"] = info.name;
    json["target"] = info.target;
    json["runtime"] = info.runtime;
    json["memory_bytes"] = info.memory_bytes;
    json["multiprocessors"] = info.multiprocessors;
    json["threads_per_multiprocessor"] = info.threads_per_multiprocessor;
    json["warp_size"] = info.warp_size;
    json["max_threads_per_block"] = info.max_threads_per_block;
    json["max_grid_blocks"] = info.max_grid_blocks;
    json["shared_bytes_per_block"] = info.shared_bytes_per_block;
    json["l2_bytes"] = info.l2_bytes;
  } catch (const Error& error) {
    json["error"] = error.what();
  }
  return json;
}

Json to_json(const Resolution& plan) {
  Json dtypes = Json::array();
  for (const DType dtype : plan.dtypes) dtypes.push_back(name(dtype));
  return {{"loop", plan.loop},       {"dtypes", std::move(dtypes)},      {"casts", plan.casts},  {"shape", list_of(plan.shape)},
          {"variant", plan.variant}, {"device", to_string(plan.device)}, {"copies", plan.copies}};
}

Json to_json(const GufuncResolution& plan) {
  Json json = to_json(static_cast<const Resolution&>(plan));
  json["sizes"] = Json::object();
  for (const auto& [dimension, size] : plan.sizes) json["sizes"][dimension] = size;
  json["outputs"] = Json::array();
  for (const Shape& shape : plan.outputs) json["outputs"].push_back(list_of(shape));
  json["constants"] = plan.constants;
  json["layouts"] = plan.layouts;
  return json;
}

Json to_json(const inspect::Resources& resources) {
  Json json = Json::object();
  add(json, "registers", resources.registers);
  add(json, "scalar_registers", resources.scalar_registers);
  add(json, "vector_bits", resources.vector_bits);
  add(json, "spills", resources.spills);
  add(json, "local_bytes", resources.local_bytes);
  add(json, "shared_bytes", resources.shared_bytes);
  add(json, "constant_bytes", resources.constant_bytes);
  add(json, "max_threads", resources.max_threads);
  add(json, "wave_size", resources.wave_size);
  json["code_bytes"] = resources.code_bytes;
  if (const auto& reason = resources.scalar_because) {
    json["scalar_because"] = {{"text", reason->text}};
    if (reason->line > 0) {
      json["scalar_because"].update({{"file", reason->file}, {"line", reason->line}, {"column", reason->column}});
    }
  }
  return json;
}

Json to_json(const cache::TunedShape& shape) {
  return {
      {"device", shape.device},     {"driver", shape.driver},   {"elements", shape.elements},           {"block", shape.block},
      {"accesses", shape.accesses}, {"ms", shape.milliseconds}, {"model_ms", shape.model_milliseconds}, {"model", shape.model},
      {"measured", shape.measured}};
}

Json to_json(const TuneReport& report, const std::string& kernel) {
  if (!report.why_not.empty()) return {{"kernel", kernel}, {"why_not", report.why_not}};
  Json candidates = Json::array();
  for (const TuneCandidate& each : report.candidates) {
    Json one{{"block", each.block}, {"elements_per_thread", each.elements_per_thread}};
    if (each.why_not.empty()) {
      one["ms"] = each.milliseconds;
    } else {
      one["why_not"] = each.why_not;
    }
    candidates.push_back(std::move(one));
  }
  return {{"kernel", kernel},
          {"id", report.id},
          {"device", report.device},
          {"driver", report.driver},
          {"elements", report.elements},
          {"candidates", std::move(candidates)},
          {"best", report.best},
          {"kept", report.kept}};
}

Json to_json(const cache::Entry& entry) {
  return {{"id", entry.id},
          {"kernel", entry.kernel},
          {"kind", entry.kind},
          {"signature", entry.signature},
          {"variant", entry.variant},
          {"target", entry.target},
          {"compiler", entry.compiler},
          {"bytes", entry.bytes},
          {"code_bytes", entry.code_bytes},
          {"compile_ms", entry.compile_ms},
          {"created", entry.created},
          {"used", entry.used},
          {"hits", entry.hits},
          {"tier", entry.tier}};
}

Json to_json(const cache::Contents& contents) {
  Json json = to_json(contents.entry);
  for (const cache::TunedShape& shape : contents.tuned) json["tuned"].push_back(to_json(shape));
  json["body"] = contents.body;
  Json key = Json::parse(contents.key, nullptr, false);
  json["key"] = key.is_discarded() ? Json(contents.key) : std::move(key);
  json["source"] = contents.source;
  return json;
}

Json to_json(const ManifestKernel& kernel, const ManifestOutcome& outcome) {
  using State = ManifestOutcome::State;
  const State state = outcome.state;
  Json json{{"where", kernel.where},
            {"kernel", kernel.kernel},
            {"signature", kernel.signature},
            {"variant", kernel.variant},
            {"target", kernel.target},
            {"state", state == State::found ? "found" : state == State::compiled ? "compiled" : "failed"}};
  if (state == State::failed) {
    json["error"] = outcome.error;
  } else {
    json["compile_ms"] = outcome.compile_ms;
    json["kept"] = outcome.kept;
  }
  return json;
}

Json to_json(const math::FunctionInfo& function) {
  Json json{{"name", function.name},
            {"group", function.group},
            {"description", function.description},
            {"inputs", function.nin},
            {"outputs", function.nout}};
  json["identity"] = function.identity.empty() ? Json() : Json(function.identity);
  Json& loops = json["loops"] = Json::array();
  std::string_view text = function.loops;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    loops.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return json;
}

Json to_json(const CallRecord& record) {
  Json json{{"function", record.function},
            {"kind", record.kind},
            {"kernel", record.kernel},
            {"variant", record.variant},
            {"origin", name(record.origin)},
            {"device", to_string(record.device)},
            {"stream", record.stream},
            {"thread", record.thread},
            {"host", span_json(record.host)},
            {"launches", record.launches},
            {"elements", record.elements},
            {"bytes_read", record.bytes_read},
            {"bytes_written", record.bytes_written},
            {"depth", record.depth},
            {"failed", record.failed}};
  if (record.load) json["load"] = span_json(*record.load);
  if (record.run) json["run"] = span_json(*record.run);
  if (record.stages) {
    json["stages"] = {{"front_end", record.stages->front_end},
                      {"passes", record.stages->passes},
                      {"code", record.stages->code},
                      {"link", record.stages->link},
                      {"load", record.stages->load}};
  }
  return json;
}

Json to_json(const ErrorTopic& topic) {
  return {{"code", topic.code},   {"exception", topic.exception}, {"title", topic.title},
          {"cause", topic.cause}, {"remedy", topic.remedy},       {"example", topic.example}};
}

}  // namespace kiln::command
