#include "signature/kernel_signature.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "kiln/error.hpp"
#include "signature/cursor.hpp"
#include "signature/qualifiers.hpp"
#include "signature/reserved.hpp"
#include "signature/restrictions.hpp"

namespace kiln::signature {
namespace {

constexpr std::size_t kMaxParameters = 32;

// What the body has already (kernels-src/raw/).
constexpr std::array<std::string_view, 5> kOwnNames{"item", "thread", "block", "block_size", "grid_size"};

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : cursor_(text) {}

  KernelSignature signature() {
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    if (cursor_.name() != "void") {
      cursor_.fail_at(at, "a raw kernel gives nothing back: its signature begins with \"void\", and it writes to arrays");
    }
    Cursor behind_name = cursor_;
    static_cast<void>(behind_name.name());
    if (behind_name.accept('(')) refuse_name(cursor_);
    cursor_.expect('(', "before the parameters");
    parameters();
    read_restrictions(cursor_, result_.variables);
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail("expected the end of the signature" + cursor_.found());
    check();
    result_.text = std::string(cursor_.text());
    return std::move(result_);
  }

 private:
  void parameters() {
    if (cursor_.accept(')')) return;
    do {
      cursor_.skip_blanks();
      if (cursor_.peek() == ')') cursor_.fail("expected a parameter, as \"float32[:] x\"" + cursor_.found());
      if (result_.parameters.size() == kMaxParameters) cursor_.fail("a raw kernel has at most 32 parameters");
      result_.parameters.push_back(parameter());
    } while (cursor_.accept(','));
    cursor_.expect(')', "or ',' after a parameter");
  }

  KernelParameter parameter() {
    KernelParameter parameter;
    Cursor ahead = cursor_;
    if (ahead.name() == "const") {
      parameter.read_only = true;
      cursor_ = ahead;
    } else {
      parameter.constant = accept_qualifier(cursor_, kConstant);
    }
    cursor_.skip_blanks();
    const std::size_t type_at = cursor_.position();
    parameter.type = type();
    if (cursor_.accept('*')) {
      parameter.array = true;
    } else if (cursor_.accept('[')) {
      parameter.array = true;
      do {
        cursor_.expect(':', "for each dimension, as in \"float32[:,:]\"");
        ++parameter.dimensions;
      } while (cursor_.accept(','));
      cursor_.expect(']', "or ',' after ':'");
      dimensions_ += parameter.dimensions;
      if (dimensions_ > kMaxViewDimensions) {
        cursor_.fail_at(type_at,
                        "the arrays of a raw kernel have at most 64 dimensions together; a pointer has none: \"float32* x\"");
      }
    }
    if (parameter.constant && parameter.array) fail_constant_array(cursor_, type_at);
    if (parameter.read_only && !parameter.array) {
      cursor_.fail_at(
          type_at,
          "a scalar is a copy of the argument: leave \"const\" out, write \"[:]\" for an array, or \"constant\" for a "
          "scalar whose value the kernel is compiled for");
    }
    cursor_.skip_blanks();
    parameter.position = cursor_.position();
    parameter.name = std::string(cursor_.name());
    if (parameter.name.empty()) cursor_.fail("expected the parameter's name, by which the body knows it" + cursor_.found());
    if (const char* why = why_reserved(parameter.name)) fail_name(parameter, why);
    if (std::find(kOwnNames.begin(), kOwnNames.end(), parameter.name) != kOwnNames.end()) {
      fail_name(parameter, "what the body of a raw kernel has of its own");
    }
    return parameter;
  }

  [[noreturn]] void fail_name(const KernelParameter& parameter, const char* why) const {
    cursor_.fail_at(parameter.position, "\"" + parameter.name + "\" cannot be a parameter's name: it is " + why);
  }

  Type type() {
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    const std::string_view name = cursor_.name();
    if (name.empty()) cursor_.fail("expected the type of a parameter" + cursor_.found());
    if (name[0] < 'A' || name[0] > 'Z') return {dtype(name, at), 0};
    for (std::size_t i = 0; i < result_.variables.size(); ++i) {
      if (result_.variables[i].name == name) return {std::nullopt, i};
    }
    if (const char* why = why_reserved(name)) {
      cursor_.fail_at(at, "\"" + std::string(name) + "\" cannot be a type variable's name: it is " + why);
    }
    result_.variables.push_back({std::string(name), {}});
    positions_.push_back(at);
    return {std::nullopt, result_.variables.size() - 1};
  }

  DType dtype(std::string_view name, std::size_t at) {
    try {
      return dtype_from_name(name);
    } catch (const TypeError& error) {
      cursor_.fail_at(at, error.what());
    }
  }

  void check() {
    std::set<std::string_view> seen;
    for (const KernelParameter& parameter : result_.parameters) {
      if (!seen.insert(parameter.name).second) {
        cursor_.fail_at(parameter.position, "the name \"" + parameter.name + "\" is used twice");
      }
    }
    for (std::size_t i = 0; i < result_.variables.size(); ++i) {
      const std::string& name = result_.variables[i].name;
      if (seen.contains(name)) {
        cursor_.fail_at(positions_[i], "the name \"" + name + "\" is used twice: as a type and as a parameter");
      }
    }
  }

  Cursor cursor_;
  KernelSignature result_;
  std::vector<std::size_t> positions_;  // where each type variable first stands
  int dimensions_ = 0;                  // of all arrays
};

}  // namespace

KernelSignature parse_raw(std::string_view text) {
  return KernelParser(text).signature();
}

std::string bound_text(const KernelSignature& signature, std::span<const DType> variables) {
  std::string text = "void(";
  for (const KernelParameter& parameter : signature.parameters) {
    if (&parameter != &signature.parameters.front()) text += ", ";
    if (parameter.read_only) text += "const ";
    if (parameter.constant) text += "constant ";
    text += name(parameter.type.dtype ? *parameter.type.dtype : variables[parameter.type.variable]);
    if (parameter.dimensions > 0) {
      text += "[:";
      for (int i = 1; i < parameter.dimensions; ++i) text += ",:";
      text += "]";
    } else if (parameter.array) {
      text += "*";
    }
    text += " " + parameter.name;
  }
  return text + ")";
}

std::string type_text(const KernelSignature& signature, const KernelParameter& parameter) {
  if (parameter.type.dtype) return std::string(name(*parameter.type.dtype));
  return signature.variables[parameter.type.variable].name;
}

}  // namespace kiln::signature
