// Accumulators as bytes: a line of JSON, then the elements of each array in C order. Bytes that are read are hostile.
#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "reduce/partial.hpp"

namespace kiln::reduce {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic = "kiln accumulators 1\n";
constexpr std::size_t kChecksumSize = 32;
constexpr std::size_t kMostHeader = 1 << 20;

std::vector<std::string> names_of(std::span<const DType> dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name(dtype));
  return names;
}

std::vector<DType> dtypes_of(const Json& names) {
  std::vector<DType> dtypes;
  for (const Json& each : names) dtypes.push_back(dtype_from_name(each.get<std::string>()));
  return dtypes;
}

std::string hex_of(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

std::string checksum_of(std::string_view bytes) {
  return hex_of(base::view(base::hash128(bytes)));
}

}  // namespace

std::string LoopOfBytes::text() const {
  const auto list = [](std::span<const DType> dtypes) {
    std::string text;
    for (const DType dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
    return text;
  };
  return list(inputs) + " -> " + list(outputs);
}

std::string bytes_of(const detail::PartialImpl& partial) {
  std::string elements;
  std::vector<Array> arrays = partial.states;
  if (partial.any.valid()) arrays.push_back(partial.any);
  for (const Array& states : arrays) {
    const Array host = states.copy_to_host();
    const Array packed = host.is_c_contiguous() ? host : host.copy();
    elements.append(static_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.nbytes()));
  }
  const PartialFunction& function = *partial.function;
  const Json header{{"definition", hex_of(function.digest)},
                    {"name", function.name},
                    {"inputs", names_of(function.loop.inputs)},
                    {"outputs", names_of(function.loop.outputs)},
                    {"states", names_of(function.steps.states)},
                    {"kept", std::vector<std::int64_t>(partial.kept.begin(), partial.kept.end())},
                    {"axes", partial.axes},
                    {"inner", partial.inner},
                    {"begin", partial.begin},
                    {"end", partial.end},
                    {"size", partial.size},
                    {"masked", partial.any.valid()},
                    {"little_endian", std::endian::native == std::endian::little}};
  const std::string rest = header.dump() + '\n' + elements;
  return std::string(kMagic) + checksum_of(rest) + '\n' + rest;
}

std::shared_ptr<const detail::PartialImpl> partial_of(
    const std::string& name, std::string_view bytes,
    base::FunctionRef<std::shared_ptr<const PartialFunction>(const LoopOfBytes&)> function_for) {
  const auto fail = [&](const std::string& why) -> TypeError {
    return TypeError(name + ".partial_from_bytes: " + why + "; give what Partial::bytes() returned for this function");
  };
  if (!bytes.starts_with(kMagic)) {
    const bool ours = bytes.starts_with(kMagic.substr(0, kMagic.find_last_of(' ')));
    throw fail(ours ? "the accumulators are of another version of kiln" : "the bytes are no accumulators");
  }
  bytes.remove_prefix(kMagic.size());
  const std::size_t sum = kChecksumSize;
  if (bytes.size() <= sum || bytes[sum] != '\n' || bytes.substr(0, sum) != checksum_of(bytes.substr(sum + 1))) {
    throw fail("the bytes are damaged: their checksum differs");
  }
  bytes.remove_prefix(sum + 1);
  const std::size_t line = bytes.substr(0, kMostHeader).find('\n');
  if (line == std::string_view::npos) throw fail("the bytes are damaged: their first lines have no end");
  const Json header = Json::parse(bytes.substr(0, line), nullptr, false);
  bytes.remove_prefix(line + 1);
  auto partial = std::make_shared<detail::PartialImpl>();
  LoopOfBytes loop;
  std::vector<DType> states;
  std::string digest;
  std::string function;
  bool masked = false;
  try {
    if (header.at("little_endian").get<bool>() != (std::endian::native == std::endian::little)) {
      throw fail("the accumulators are of a machine of another byte order");
    }
    loop = {dtypes_of(header.at("inputs")), dtypes_of(header.at("outputs"))};
    states = dtypes_of(header.at("states"));
    for (const Json& extent : header.at("kept")) partial->kept.push_back(extent.get<std::int64_t>());
    partial->axes = header.at("axes").get<std::vector<bool>>();
    partial->inner = header.at("inner").get<std::int64_t>();
    partial->begin = header.at("begin").get<std::int64_t>();
    partial->end = header.at("end").get<std::int64_t>();
    partial->size = header.at("size").get<std::int64_t>();
    digest = header.at("definition").get<std::string>();
    masked = header.at("masked").get<bool>();
    function = header.at("name").get<std::string>();
  } catch (const Json::exception&) {
    throw fail("the bytes are damaged: their description is none");
  }
  const bool in_range =
      partial->begin >= 0 && partial->begin <= partial->end && partial->end <= partial->size && partial->inner >= 0;
  const auto kept = static_cast<std::size_t>(std::count(partial->axes.begin(), partial->axes.end(), false));
  if (!in_range || kept != partial->kept.size() || loop.inputs.empty() || loop.outputs.empty() || states.empty()) {
    throw fail("the bytes are damaged: their description contradicts itself");
  }
  try {
    partial->function = function_for(loop);
  } catch (const Error&) {
    // It has no such loop.
  }
  if (partial->function == nullptr || hex_of(partial->function->digest) != digest ||
      partial->function->steps.states != states) {
    throw fail("the accumulators are of another definition, of the function \"" + function + "\"");
  }
  Shape shape{static_cast<std::int64_t>(partial->nodes().size())};
  for (const std::int64_t extent : partial->kept) shape.push_back(extent);
  if (masked) states.push_back(DType::bool_);
  for (const DType dtype : states) {
    // Before there is memory for it.
    std::int64_t size = static_cast<std::int64_t>(itemsize(dtype));
    for (const std::int64_t extent : shape) {
      if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) throw fail("the bytes are damaged: a shape is none");
    }
    if (static_cast<std::uint64_t>(size) > bytes.size()) throw fail("the bytes are damaged: they end too early");
    Array array = Array::empty(shape, dtype);
    if (size > 0) std::memcpy(array.data(), bytes.data(), static_cast<std::size_t>(size));
    bytes.remove_prefix(static_cast<std::size_t>(size));
    partial->states.push_back(std::move(array));
  }
  if (masked) {
    partial->any = std::move(partial->states.back());
    partial->states.pop_back();
  }
  if (!bytes.empty()) throw fail("the bytes are damaged: " + std::to_string(bytes.size()) + " are left over");
  return partial;
}

}  // namespace kiln::reduce
