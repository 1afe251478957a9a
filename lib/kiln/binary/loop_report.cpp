#include "binary/loop_report.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>

namespace kiln::backend::cpu {
namespace {

using Text = std::string_view;

Text mnemonic_of(Text text) {
  return text.substr(0, text.find(' '));
}

Text operands_of(Text text) {
  const std::size_t space = text.find(' ');
  return space == Text::npos ? Text() : text.substr(space + 1);
}

bool contains(Text text, Text part) {
  return text.find(part) != Text::npos;
}

template <std::size_t count>
bool starts_with_any(Text text, const Text (&prefixes)[count]) {
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](Text each) { return text.starts_with(each); });
}

/// The number after `prefix` (decimal or 0x…); 0 where there is none.
std::int64_t number_after(Text text, Text prefix) {
  const std::size_t at = text.find(prefix);
  if (at == Text::npos) return 0;
  Text digits = text.substr(at + prefix.size());
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;  // random bytes may say anything
  return value < 0 || value > kMostBytes ? 0 : value;
}

std::int64_t register_bits(Text operands) {
  // As registers and as sizes of memory: "zmm3", "zmmword ptr".
  if (contains(operands, "zmm")) return 512;
  if (contains(operands, "ymm")) return 256;
  if (contains(operands, "xmm")) return 128;
  for (const Text lanes : {".16b", ".8h", ".4s", ".2d"}) {
    if (contains(operands, lanes)) return 128;
  }
  for (const Text lanes : {".8b", ".4h", ".2s"}) {
    if (contains(operands, lanes)) return 64;
  }
  return 0;
}

enum class Work : std::uint8_t { none, copy, scalar, packed };

constexpr Text kX86Copies[] = {"mov", "lddqu", "broadcast", "pbroadcast", "maskmov", "pmaskmov"};
constexpr Text kX86Shuffles[] = {"perm",   "punpck",    "unpck",   "shuf",    "pshuf",   "insert",  "pinsr",    "extract",
                                 "pextr",  "blend",     "pblend",  "gather",  "pgather", "scatter", "pscatter", "compress",
                                 "expand", "pcompress", "pexpand", "palignr", "align",   "zero",    "prefetch"};
constexpr Text kArmCopies[] = {"ld1", "ld2", "ld3", "ld4",  "st1", "st2", "st3", "st4",
                               "dup", "mov", "ins", "umov", "zip", "uzp", "trn", "ext"};

/// A register that is made zero by itself.
bool zeroes(Text mnemonic, Text operands) {
  if (!contains(mnemonic, "xor")) return false;
  const std::size_t last = operands.rfind(", ");
  if (last == Text::npos) return false;
  const Text before = operands.substr(0, last);
  const std::size_t comma = before.rfind(", ");
  return before.substr(comma == Text::npos ? 0 : comma + 2) == operands.substr(last + 2);
}

Work work_of(Text text) {
  Text mnemonic = mnemonic_of(text);
  const Text operands = operands_of(text);
  if (mnemonic == "movi" || starts_with_any(mnemonic, kArmCopies)) {
    if (contains(operands, ".")) return Work::copy;
  }
  if (register_bits(operands) == 0) return Work::none;
  if (mnemonic.starts_with("v") && mnemonic.size() > 1) mnemonic.remove_prefix(1);
  const bool scalar = mnemonic.ends_with("ss") || mnemonic.ends_with("sd") || mnemonic.ends_with("sh") ||
                      mnemonic.ends_with("si") || mnemonic.starts_with("cvtsi") || mnemonic.starts_with("cvtusi");
  if (starts_with_any(mnemonic, kX86Copies)) {
    return scalar || mnemonic == "movd" || mnemonic == "movq" || mnemonic.starts_with("movmsk") ? Work::none : Work::copy;
  }
  if (starts_with_any(mnemonic, kX86Shuffles) || zeroes(mnemonic, operands)) return Work::none;
  return scalar ? Work::scalar : Work::packed;
}

bool stores_to_stack(Text text, bool frame_pointer) {
  const Text mnemonic = mnemonic_of(text);
  const Text operands = operands_of(text);
  if (mnemonic.starts_with("mov") || mnemonic.starts_with("vmov") || mnemonic.starts_with("kmov")) {
    const Text destination = operands.substr(0, operands.find(", "));
    return contains(destination, "[rsp") || (frame_pointer && contains(destination, "[rbp"));
  }
  return mnemonic.starts_with("st") && contains(operands, "[sp");
}

/// One function's share of the stack.
class Frame {
 public:
  void see(Text text) {
    const Text operands = operands_of(text);
    if (mnemonic_of(text) == "push") pushed_.insert(std::string(operands));
    if (own_ == 0 && text.starts_with("sub rsp, ")) own_ = number_after(text, "sub rsp, ");
    if (own_ == 0 && text.starts_with("sub sp, sp, #")) own_ = number_after(text, "sub sp, sp, #");
    if (own_ == 0 && contains(operands, "[sp, #-")) own_ = number_after(operands, "[sp, #-");
    red_zone_ = std::max(red_zone_, number_after(operands, "[rsp - "));
    frame_pointer_ = frame_pointer_ || text == "mov rbp, rsp";
  }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(pushed_.size()) * 8 + (own_ != 0 ? own_ : red_zone_);
  }
  [[nodiscard]] bool frame_pointer() const { return frame_pointer_; }

 private:
  std::set<std::string> pushed_;
  std::int64_t own_ = 0;
  std::int64_t red_zone_ = 0;  // what leaf functions use below the stack pointer
  bool frame_pointer_ = false;
};

/// Which instructions are in a loop.
std::vector<bool> looped(const std::vector<Instruction>& instructions) {
  std::vector<int> depth_change(instructions.size() + 1, 0);
  bool any = false;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto& target = instructions[i].target;
    // A call of a function that lies before it is no loop.
    if (!target || *target > instructions[i].address || instructions[i].text.starts_with("call") ||
        instructions[i].text.starts_with("bl ")) {
      continue;
    }
    const auto begin = std::lower_bound(instructions.begin(), instructions.end(), *target,
                                        [](const Instruction& each, std::uint64_t at) { return each.address < at; });
    ++depth_change[static_cast<std::size_t>(begin - instructions.begin())];
    --depth_change[i + 1];
    any = true;
  }
  std::vector<bool> in_loop(instructions.size(), !any);
  int depth = 0;
  for (std::size_t i = 0; any && i < instructions.size(); ++i) {
    depth += depth_change[i];
    in_loop[i] = depth > 0;
  }
  return in_loop;
}

}  // namespace

LoopReport examine(const std::vector<Instruction>& instructions, const std::vector<CodeName>& names) {
  std::set<std::uint64_t> starts;
  for (const CodeName& each : names) starts.insert(each.address);
  const std::vector<bool> in_loop = looped(instructions);
  LoopReport report;
  std::int64_t copied_bits = 0;
  bool computes = false;
  Frame frame;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Text text = instructions[i].text;
    if (starts.contains(instructions[i].address)) frame = {};
    frame.see(text);
    report.frame_bytes = std::max(report.frame_bytes, frame.bytes());
    if (!in_loop[i]) continue;
    report.stack_stores += stores_to_stack(text, frame.frame_pointer()) ? 1 : 0;
    const Work work = work_of(text);
    computes = computes || work == Work::scalar || work == Work::packed;
    std::int64_t& widest = work == Work::packed ? report.vector_bits : copied_bits;
    if (work == Work::packed || work == Work::copy) widest = std::max(widest, register_bits(operands_of(text)));
  }
  if (!computes) report.vector_bits = copied_bits;
  return report;
}

}  // namespace kiln::backend::cpu
