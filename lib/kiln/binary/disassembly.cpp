#include "binary/disassembly.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/have_cpu.hpp"
#include "kiln/error.hpp"

namespace kiln::backend {
namespace {

using Labels = std::map<std::uint64_t, std::string>;

/// Names come from files: nothing but what a terminal shows as it is.
std::string printable(std::string name) {
  std::replace_if(name.begin(), name.end(), [](char c) { return c <= ' ' || c > '~'; }, '?');
  return name;
}

/// Where a branch ends at an instruction that has no name.
void add_labels(const std::vector<Instruction>& instructions, Labels& labels) {
  std::set<std::uint64_t> starts;
  for (const Instruction& each : instructions) starts.insert(each.address);
  std::set<std::uint64_t> targets;
  for (const Instruction& each : instructions) {
    if (each.target && starts.contains(*each.target) && !labels.contains(*each.target)) targets.insert(*each.target);
  }
  std::size_t count = 0;
  for (const std::uint64_t target : targets) labels[target] = ".L" + std::to_string(++count);
}

std::string line_of(const Instruction& instruction, const Labels& labels) {
  const auto label = instruction.target ? labels.find(*instruction.target) : labels.end();
  const std::size_t space = instruction.text.rfind(' ');
  // The destination is the last operand, on every processor here.
  if (label == labels.end() || space == std::string::npos) return "  " + instruction.text + "\n";
  return "  " + instruction.text.substr(0, space + 1) + label->second + "\n";
}

}  // namespace

std::string listing(const std::vector<Instruction>& instructions, const std::vector<CodeName>& names) {
  Labels labels;
  for (const CodeName& each : names) labels.emplace(each.address, printable(each.name));
  const std::set<std::uint64_t> functions = [&] {
    std::set<std::uint64_t> all;
    for (const auto& [address, name] : labels) all.insert(address);
    return all;
  }();
  add_labels(instructions, labels);
  const auto write = [&](std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i < to; ++i) {
      const auto label = labels.find(instructions[i].address);
      if (label != labels.end()) text += (functions.contains(label->first) && i > from ? "\n" : "") + label->second + ":\n";
      text += line_of(instructions[i], labels);
    }
    return text;
  };
  const auto index_of = [&](std::uint64_t address) {
    const auto found = std::lower_bound(instructions.begin(), instructions.end(), address,
                                        [](const Instruction& each, std::uint64_t at) { return each.address < at; });
    return static_cast<std::size_t>(found - instructions.begin());
  };
  if (names.empty()) return write(0, instructions.size());
  const std::size_t first = index_of(names.front().address);
  const auto next = functions.upper_bound(names.front().address);
  const std::size_t last = next == functions.end() ? instructions.size() : index_of(*next);
  std::string text = write(first, last);
  for (const auto& [from, to] : {std::pair(std::size_t{0}, first), std::pair(last, instructions.size())}) {
    if (from < to) text += (text.empty() ? "" : "\n") + write(from, to);
  }
  return text;
}

#if !KILN_HAVE_CPU
std::vector<Instruction> disassemble(const MachineCode&) {
  throw DeviceError(
      "this build of kiln has no disassembler (it was configured with KILN_CPU=OFF, which leaves LLVM out): configure it with "
      "-DKILN_CPU=ON");
}
#else
std::vector<Instruction> disassemble(const MachineCode& code) {
  return cpu::disassemble(code);
}
#endif

}  // namespace kiln::backend
