#include "ufunc/loops.hpp"

#include <algorithm>

#include "kiln/error.hpp"
#include "signature/cursor.hpp"
#include "types/reason.hpp"

namespace kiln::ufunc {
namespace {

using signature::Parameter;
using signature::TypeSignature;

/// One way to read a signature: a dtype for every restricted variable; unrestricted ones stay open.
using Binding = std::vector<std::optional<DType>>;

std::vector<Binding> bindings_of(const TypeSignature& signature) {
  std::vector<Binding> all{Binding{}};
  for (const auto& variable : signature.variables) {
    std::vector<Binding> longer;
    for (const Binding& start : all) {
      if (variable.choices.empty()) {
        longer.push_back(start);
        longer.back().emplace_back(std::nullopt);
      }
      for (const DType choice : variable.choices) {
        longer.push_back(start);
        longer.back().emplace_back(choice);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::optional<DType> dtype_of(const Parameter& parameter, const Binding& binding) {
  return parameter.type.dtype ? parameter.type.dtype : binding[parameter.type.variable];
}

std::string describe(const TypeSignature& signature, const Binding& binding) {
  const auto one = [&](const Parameter& parameter) {
    std::string text = parameter.constant ? "constant " : parameter.raw ? "raw " : parameter.inout ? "inout " : "";
    text += name(*dtype_of(parameter, binding));
    for (int d = 0; d < parameter.dimensions; ++d) text += d == 0 ? "[:" : ",:";
    if (parameter.dimensions > 0) text += "]";
    if (!parameter.name.empty()) text += " " + parameter.name;
    return text;
  };
  const auto list = [&](const std::vector<Parameter>& parameters) {
    std::string text;
    for (const Parameter& parameter : parameters) text += (text.empty() ? "" : ", ") + one(parameter);
    return text;
  };
  if (signature.outputs_last) return "void(" + list(signature.inputs) + ", " + list(signature.outputs) + ")";
  return (signature.named_outputs ? "(" + list(signature.outputs) + ")" : one(signature.outputs.front())) + "(" +
         list(signature.inputs) + ")";
}

Loop make_loop(const TypeSignature& signature, const Binding& binding) {
  Loop loop;
  for (const Parameter& input : signature.inputs) loop.inputs.push_back(*dtype_of(input, binding));
  for (const Parameter& output : signature.outputs) loop.outputs.push_back(*dtype_of(output, binding));
  for (std::size_t i = 0; i < signature.variables.size(); ++i) {
    loop.variables.emplace_back(signature.variables[i].name, *binding[i]);
  }
  loop.text = describe(signature, binding);
  loop.raw = raw_operands_of(signature);
  loop.inout = inout_of(signature);
  return loop;
}

/// A weak scalar may become any dtype of its kind or a higher one, where the arrays' kind is at least its own.
bool bends(const Argument& argument, DType to, std::optional<Kind> arrays) {
  return argument.weak && arrays && kind(argument.dtype) <= *arrays && kind(argument.dtype) <= kind(to);
}

std::optional<Kind> kind_of_arrays(std::span<const Argument> arguments) {
  std::optional<Kind> highest;
  for (const Argument& argument : arguments) {
    if (!argument.weak) highest = std::max(highest.value_or(Kind::boolean), kind(argument.dtype));
  }
  return highest;
}

[[noreturn]] void fail_open(const LoopRequest& request, const std::string& variable) {
  throw Because<TypeError>(Reason::undecided,
                           std::string(request.name) + ": nothing decides the type variable \"" + variable +
                               "\", which stands in no input; give the array of its output with .out, or .dtype");
}

/// Fixes the open variables by promotion of the arguments bound to them, and those of no argument by the given outputs.
void bind_by_promotion(const TypeSignature& signature, std::span<const DType> dtypes, const LoopRequest& request,
                       Binding& binding) {
  for (std::size_t v = 0; v < binding.size(); ++v) {
    if (binding[v]) continue;
    std::optional<DType> bound;
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
      const auto& type = signature.inputs[i].type;
      if (!type.dtype && type.variable == v) bound = bound ? promote(*bound, dtypes[i]) : dtypes[i];
    }
    for (std::size_t o = 0; o < request.outputs.size() && !bound; ++o) {
      const auto& type = signature.outputs[o].type;
      if (!type.dtype && type.variable == v) bound = request.outputs[o];
    }
    if (!bound) fail_open(request, signature.variables[v].name);
    binding[v] = bound;
  }
}

bool matches_exactly(const TypeSignature& signature, std::span<const DType> dtypes, const Binding& binding) {
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    if (*dtype_of(signature.inputs[i], binding) != dtypes[i]) return false;
  }
  return true;
}

struct Typed {
  std::span<const Argument> arguments;
  std::vector<DType> dtypes;  // effective
  std::optional<Kind> arrays;
};

bool matches_safely(const TypeSignature& signature, const Typed& given, const Binding& binding) {
  for (std::size_t i = 0; i < given.dtypes.size(); ++i) {
    const DType to = *dtype_of(signature.inputs[i], binding);
    if (!can_cast(given.dtypes[i], to, Casting::safe) && !bends(given.arguments[i], to, given.arrays)) return false;
  }
  return true;
}

std::string list_of(std::span<const DType> dtypes) {
  std::string text = "(";
  for (const DType dtype : dtypes) text += (text.size() > 1 ? ", " : "") + std::string(name(dtype));
  return text + ")";
}

/// The strictest rule, from that one on, under which all arguments become the loop's inputs.
Casting casting_to(const Loop& loop, const Typed& given, Casting casting) {
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    if (bends(given.arguments[i], loop.inputs[i], given.arrays)) continue;
    while (!can_cast(given.dtypes[i], loop.inputs[i], casting)) casting = static_cast<Casting>(static_cast<int>(casting) + 1);
  }
  return casting;
}

/// The strictest rule, from the call's own on, under which some loop takes the arguments where it is forced; nothing where no
/// loop can be.
std::optional<Casting> casting_to_force(const LoopRequest& request, const Typed& given) {
  if (request.options.empty()) return std::nullopt;
  Casting least = Casting::unsafe;
  bool uniform = false;
  for (const TypeSignature& signature : request.signatures) {
    for (Binding& binding : bindings_of(signature)) {
      bind_by_promotion(signature, given.dtypes, request, binding);
      const Loop loop = make_loop(signature, binding);
      const DType one = loop.outputs.empty() ? DType::bool_ : loop.outputs.front();
      uniform = uniform || std::all_of(loop.inputs.begin(), loop.inputs.end(), [&](DType input) { return input == one; });
      least = std::min(least, casting_to(loop, given, request.casting));
    }
  }
  if (request.reduces) return uniform ? std::optional(request.casting) : std::nullopt;
  return least;
}

std::string casting_option(Casting casting) {
  return ".casting = Casting::" + std::string(name(casting));
}

/// What a caller can do who has no loop for these arguments.
std::string ways_out(const LoopRequest& request, const Typed& given, std::string_view last = "") {
  std::vector<std::string> ways{"convert an argument with astype()"};
  if (const std::optional<Casting> casting = casting_to_force(request, given)) {
    ways.push_back("force a loop with " + std::string(request.options) +
                   (*casting == request.casting ? "" : " and " + casting_option(*casting)));
  }
  if (!last.empty()) ways.emplace_back(last);
  std::string text;
  for (std::size_t i = 0; i < ways.size(); ++i) text += (i == 0 ? "; " : i + 1 < ways.size() ? ", " : ", or ") + ways[i];
  return text;
}

Loop search(const LoopRequest& request, const Typed& given) {
  const bool safe = request.definition == nullptr || request.definition->bools_are_numbers ||
                    std::any_of(given.dtypes.begin(), given.dtypes.end(), [](DType dtype) { return dtype != DType::bool_; });
  for (const bool exact : {true, false}) {
    if (!exact && !safe) {
      throw Because<TypeError>(Reason::loop, std::string(request.name) + ": bools are no numbers here, and no loop takes " +
                                                 list_of(given.dtypes) + ways_out(request, given, "use a logical function"));
    }
    for (const TypeSignature& signature : request.signatures) {
      for (Binding& binding : bindings_of(signature)) {
        bind_by_promotion(signature, given.dtypes, request, binding);
        if (exact ? matches_exactly(signature, given.dtypes, binding) : matches_safely(signature, given, binding)) {
          return make_loop(signature, binding);
        }
      }
    }
  }
  throw Because<TypeError>(Reason::loop, std::string(request.name) + ": no loop takes " + list_of(given.dtypes) +
                                             " by safe casts; its loops are " + texts_of(request.signatures) +
                                             ways_out(request, given));
}

[[noreturn]] void fail_forced(const LoopRequest& request, const std::string& asked) {
  throw Because<TypeError>(Reason::loop, std::string(request.name) + ": there is no loop " + asked + "; its loops are " +
                                             texts_of(request.signatures));
}

/// An open variable takes what is asked of the first parameter that has it.
void ask(const Parameter& parameter, DType dtype, Binding& binding) {
  if (!parameter.type.dtype && !binding[parameter.type.variable]) binding[parameter.type.variable] = dtype;
}

Loop forced_by_signature(const LoopRequest& request) {
  const std::size_t nin = request.arguments.size();
  const std::vector<DType> wanted = parse_loop(request.forced_signature, nin, request.signatures.front().outputs.size());
  for (const TypeSignature& signature : request.signatures) {
    for (Binding& binding : bindings_of(signature)) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        ask(i < nin ? signature.inputs[i] : signature.outputs[i - nin], wanted[i], binding);
      }
      bool fits = true;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        fits &= dtype_of(i < nin ? signature.inputs[i] : signature.outputs[i - nin], binding) == wanted[i];
      }
      if (fits) return make_loop(signature, binding);
    }
  }
  fail_forced(request, "\"" + std::string(request.forced_signature) + "\"");
}

/// Among the loops with those outputs the one that a search would find, as comparisons have many; else the first.
Loop forced_by_dtype(const LoopRequest& request, const Typed& given) {
  enum class Match : std::uint8_t { none, outputs, safe };
  std::optional<Loop> best;
  Match found = Match::none;
  for (const TypeSignature& signature : request.signatures) {
    for (Binding& binding : bindings_of(signature)) {
      for (const Parameter& output : signature.outputs) ask(output, *request.dtype, binding);
      bind_by_promotion(signature, given.dtypes, request, binding);
      const bool fits = std::all_of(signature.outputs.begin(), signature.outputs.end(),
                                    [&](const Parameter& output) { return dtype_of(output, binding) == *request.dtype; });
      if (!fits) continue;
      if (matches_exactly(signature, given.dtypes, binding)) return make_loop(signature, binding);
      const Match match = matches_safely(signature, given, binding) ? Match::safe : Match::outputs;
      if (match <= found) continue;
      best = make_loop(signature, binding);
      found = match;
    }
  }
  if (best) return *std::move(best);
  fail_forced(request, "with outputs of dtype " + std::string(name(*request.dtype)));
}

}  // namespace

std::string loop_text(const Loop& loop) {
  std::string text;
  for (const DType dtype : loop.inputs) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
  text += " -> ";
  for (std::size_t i = 0; i < loop.outputs.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(name(loop.outputs[i]));
  return text;
}

std::string texts_of(std::span<const TypeSignature> signatures) {
  std::string text;
  for (const TypeSignature& signature : signatures) text += (text.empty() ? "" : "; ") + signature.text;
  return text;
}

std::vector<DType> parse_loop(std::string_view text, std::size_t nin, std::size_t nout) {
  signature::Cursor cursor(text);
  std::vector<DType> dtypes;
  const auto read = [&](std::size_t count, const char* what) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) cursor.expect(',', "between dtypes");
      cursor.skip_blanks();
      const std::size_t at = cursor.position();
      const std::string_view word = cursor.name();
      if (word.empty()) cursor.fail(std::string("expected the dtype of ") + what + cursor.found());
      try {
        dtypes.push_back(dtype_from_name(word));
      } catch (const TypeError& error) {
        cursor.fail_at(at, error.what());
      }
    }
  };
  read(nin, "an input");
  cursor.skip_blanks();
  if (!cursor.rest().starts_with("->")) cursor.fail("expected '->' after the inputs" + cursor.found());
  cursor.advance(2);
  read(nout, "an output");
  cursor.skip_blanks();
  if (!cursor.at_end()) cursor.fail("expected the end of the signature" + cursor.found());
  return dtypes;
}

std::vector<DType> effective_dtypes(std::span<const Argument> arguments) {
  std::vector<DType> dtypes;
  std::optional<DType> of_kind[4];  // promoted dtype of the arrays of each kind
  const std::optional<Kind> highest = kind_of_arrays(arguments);
  for (const Argument& argument : arguments) {
    dtypes.push_back(argument.dtype);
    if (argument.weak) continue;
    auto& slot = of_kind[static_cast<int>(kind(argument.dtype))];
    slot = slot ? promote(*slot, argument.dtype) : argument.dtype;
  }
  if (!highest) return dtypes;  // scalars only: their C++ types decide
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Kind own = kind(arguments[i].dtype);
    if (!arguments[i].weak || own == Kind::boolean) continue;
    if (own > *highest) {
      if (own == Kind::complex && *highest == Kind::floating) {
        dtypes[i] = promote(*of_kind[static_cast<int>(Kind::floating)], DType::complex64);
      } else {
        dtypes[i] = own == Kind::integer ? DType::int64 : own == Kind::floating ? DType::float64 : DType::complex128;
      }
      continue;
    }
    for (int k = static_cast<int>(own); k < 4; ++k) {
      if (of_kind[k]) {
        dtypes[i] = *of_kind[k];
        break;
      }
    }
  }
  return dtypes;
}

Loop choose_loop(const LoopRequest& request) {
  if (!request.forced_signature.empty() && request.dtype) {
    throw TypeError(std::string(request.name) + ": .dtype and .signature both force a loop; give one of them");
  }
  const Typed given{request.arguments, effective_dtypes(request.arguments), kind_of_arrays(request.arguments)};
  Loop loop = !request.forced_signature.empty() ? forced_by_signature(request)
              : request.dtype                   ? forced_by_dtype(request, given)
                                                : search(request, given);
  for (std::size_t i = 0; i < given.dtypes.size(); ++i) {
    if (can_cast(given.dtypes[i], loop.inputs[i], request.casting) || bends(request.arguments[i], loop.inputs[i], given.arrays))
      continue;
    const std::string& input = request.signatures.front().inputs[i].name;
    throw Because<TypeError>(
        Reason::casting, std::string(request.name) + ": cannot cast input " + std::to_string(i) +
                             (input.empty() ? "" : " (" + input + ")") + " from " + std::string(name(given.dtypes[i])) +
                             " to " + std::string(name(loop.inputs[i])) + " under casting \"" +
                             std::string(name(request.casting)) + "\" for the loop " + loop.text +
                             "; convert it with astype(), or give " + casting_option(casting_to(loop, given, request.casting)));
  }
  return loop;
}

std::optional<Loop> find_loop(std::span<const TypeSignature> signatures, std::span<const DType> dtypes) {
  for (const TypeSignature& signature : signatures) {
    Binding binding(signature.variables.size());
    bool fits = signature.inputs.size() + signature.outputs.size() == dtypes.size();
    for (std::size_t i = 0; i < dtypes.size() && fits; ++i) {
      const std::size_t nin = signature.inputs.size();
      const signature::Type& type = (i < nin ? signature.inputs[i] : signature.outputs[i - nin]).type;
      std::optional<DType> known = type.dtype ? type.dtype : binding[type.variable];
      if (!known) {
        const std::vector<DType>& choices = signature.variables[type.variable].choices;
        fits = choices.empty() || std::find(choices.begin(), choices.end(), dtypes[i]) != choices.end();
        binding[type.variable] = dtypes[i];
      } else {
        fits = *known == dtypes[i];
      }
    }
    if (fits) return make_loop(signature, binding);
  }
  return std::nullopt;
}

Loop bind(const TypeSignature& signature, std::span<const DType> variables) {
  return make_loop(signature, Binding(variables.begin(), variables.end()));
}

std::vector<Loop> fixed_loops(std::span<const TypeSignature> signatures) {
  std::vector<Loop> loops;
  for (const TypeSignature& signature : signatures) {
    for (const Binding& binding : bindings_of(signature)) {
      if (std::all_of(binding.begin(), binding.end(), [](const auto& bound) { return bound.has_value(); })) {
        loops.push_back(make_loop(signature, binding));
      }
    }
  }
  return loops;
}

}  // namespace kiln::ufunc
