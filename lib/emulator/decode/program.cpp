#include "emulator/decode/program.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "emulator/decode/decoder.hpp"
#include "emulator/run/driver_functions.hpp"

namespace kiln::emulator {
namespace {

/// In front of the name that the user gave the kernel.
constexpr std::string_view kNameMark = "// kernel ";
/// What kiln names the translation unit.
constexpr std::string_view kMainFile = "kiln/kernel.cpp";

constexpr std::uint64_t kMostShared = 228U << 10U;

void check_target(const Module& module) {
  int capability = 0;
  const std::string& target = module.target;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), capability);
  constexpr int kOldest = 50;
  constexpr int kNewest = 129;
  if (capability < kOldest || capability > kNewest)
    throw PtxError("the target \"" + target + "\" of the PTX is not known: sm_50 to sm_129 are");
}

void place_shared(Program& program, const Variable& variable, const std::string& name) {
  if (variable.bytes == 0) return;
  if (program.static_shared + variable.bytes > kMostShared) {
    throw PtxError("the variable " + name + " is more than the " + std::to_string(kMostShared) +
                   " bytes of shared memory that a block may have");
  }
  program.static_shared = static_cast<std::uint32_t>(aligned(program.static_shared, variable.alignment));
  program.addresses[name] = program.static_shared;
  program.static_shared += static_cast<std::uint32_t>(variable.bytes);
}

void place_variables(Program& program, Memory& memory) {
  std::vector<std::string> dynamic;
  for (const Variable& variable : program.module.variables) {
    if (variable.space == Space::shared) {
      if (variable.bytes == 0) dynamic.emplace_back(variable.name);
      place_shared(program, variable, std::string(variable.name));
      continue;
    }
    Allocation* const made = memory.allocate(std::max<std::size_t>(variable.bytes, 1));
    if (made == nullptr) throw PtxError("there is no memory left for the variable " + std::string(variable.name));
    std::memset(made->address, 0, variable.bytes);
    std::copy(variable.initial.begin(), variable.initial.end(), made->address);
    made->name = variable.name;
    made->read_only = variable.space == Space::constant;
    made->shared_freely = variable.name == "kiln_faults";
    program.owned.push_back(reinterpret_cast<std::uintptr_t>(made->address));
    program.addresses[std::string(variable.name)] = program.owned.back();
    if (made->shared_freely) program.faults = program.owned.back();
  }
  for (const Variable& variable : program.module.variables) {
    for (const Variable::Address& each : variable.addresses) {
      const auto found = program.addresses.find(each.name);
      if (found == program.addresses.end()) throw PtxError("there is no variable and no function " + std::string(each.name));
      const std::uint64_t bits = (found->second + each.offset) >> each.shift;
      std::memcpy(reinterpret_cast<char*>(program.addresses.find(variable.name)->second) + each.at, &bits, each.bytes);
    }
  }
  for (const auto& [name, function] : program.module.functions) {
    for (const Variable& variable : function.variables) {
      if (variable.space == Space::shared)
        place_shared(program, variable, std::string(name) + "/" + std::string(variable.name));
    }
  }
  program.static_shared = static_cast<std::uint32_t>(aligned(program.static_shared, 16));
  for (const std::string& name : dynamic) program.addresses[name] = program.static_shared;
}

}  // namespace

bool Program::has_reported() const noexcept {
  std::uint32_t claimed = 0;
  if (faults != 0) std::memcpy(&claimed, reinterpret_cast<const char*>(faults), sizeof claimed);
  return claimed != 0;
}

std::string Program::place_of(std::uint32_t statement) const {
  // NVRTC puts the folder of the process in front of all names.
  std::string_view folder;
  for (const auto& [number, name] : module.files) {
    if (name.ends_with(kMainFile)) folder = std::string_view(name).substr(0, name.size() - kMainFile.size());
  }
  const auto text = [&](const SourcePlace& place) {
    const auto file = module.files.find(place.file);
    if (file == module.files.end()) return std::string();
    const std::string_view name = file->second;
    return std::string(name.starts_with(folder) ? name.substr(folder.size()) : name) + ":" + std::to_string(place.line) +
           (place.column > 0 ? ":" + std::to_string(place.column) : "");
  };
  // kiln's own headers are of no use to who wrote the body: where it was inlined into the text of the user's is.
  std::size_t at = statements[statement]->location;
  std::string innermost = text(module.locations[at].place);
  constexpr int kDeepest = 32;
  for (int depth = 0; depth < kDeepest; ++depth) {
    std::string here = text(module.locations[at].place);
    if (!here.starts_with("kiln/")) return here;
    const SourcePlace caller = module.locations[at].inlined_at;
    if (caller.file == 0) break;
    if (const std::string there = text(caller); !there.starts_with("kiln/")) return there;
    // The caller is inlined itself: the PTX says where, at its own lines.
    std::size_t before = at;
    while (before > 0 && module.locations[before].place != caller) --before;
    if (before == 0) break;
    at = before;
  }
  return innermost;
}

const Code* Program::kernel(std::string_view name) const {
  const auto found = codes.find(name);
  return found == codes.end() || !found->second->function->is_kernel ? nullptr : found->second.get();
}

const Code* Program::function_at(std::uint64_t address) const noexcept {
  const std::uint64_t number = (address & ~kWindowMask) / kFunctionBytes;
  if ((address & kWindowMask) != kFunctionWindow || address % kFunctionBytes != 0 || number >= functions.size()) return nullptr;
  return functions[number]->function->is_kernel ? nullptr : functions[number];
}

std::unique_ptr<Program> decode(Module module, Memory& memory) {
  auto program = std::make_unique<Program>();
  program->module = std::move(module);
  if (program->module.text->starts_with(kNameMark)) {
    program->kernel_name = program->module.text->substr(kNameMark.size(), program->module.text->find('\n') - kNameMark.size());
  }
  check_target(program->module);
  for (const auto& [name, function] : program->module.functions) {
    if (function.is_declared_only && driver_function(function) == nullptr) continue;
    auto code = std::make_unique<Code>();
    code->name = name;
    code->function = &function;
    program->addresses[code->name] = kFunctionWindow | program->functions.size() * kFunctionBytes;
    program->functions.push_back(code.get());
    program->codes.emplace(name, std::move(code));
  }
  for (const auto& [name, function] : program->module.aliases) {
    const auto found = program->addresses.find(function);
    if (found == program->addresses.end())
      throw PtxError("there is no function " + std::string(function) + ", whose alias " + std::string(name) + " is");
    program->addresses[std::string(name)] = found->second;
  }
  place_variables(*program, memory);
  for (const auto& [name, code] : program->codes) Decoder(*program, *code, *code->function).decode();
  return program;
}

}  // namespace kiln::emulator
