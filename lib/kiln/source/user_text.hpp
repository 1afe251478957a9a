// The user's side of a kernel, and what is checked of its texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/debug.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "source/operand.hpp"

namespace kiln::codegen {

/// What stands around the body of a reduction of stages, which combines two accumulators `a` and `b` to one.
struct Stages {
  /// What a text asks of one of the two sets of axes, those of the elements and those of the outputs.
  enum class Axes : std::uint8_t { none, size, place };
  /// What a text in CuPy's notation asks of where it is.
  struct Places {
    bool i = false;             ///< `_i`: the number of the output
    bool j = false;             ///< `_j`: that of the element among all
    bool of_reduced = false;    ///< `_J`: that of the element among those of its output
    Axes in_ind = Axes::none;   ///< `_in_ind`
    Axes out_ind = Axes::none;  ///< `_out_ind`
    [[nodiscard]] bool any_axes() const noexcept { return in_ind != Axes::none || out_ind != Axes::none; }
    [[nodiscard]] bool outputs() const noexcept { return i || out_ind == Axes::place; }
  };

  std::string accumulator = {};           ///< members of a struct; empty: the type of the first output
  std::string type = {};                  ///< of accumulators, instead of a struct
  std::vector<std::string> members = {};  ///< their names, where they are known
  std::string map = {};                   ///< from the inputs, and the index `i`, to an accumulator; empty: the one input
  std::string post = {};           ///< from an accumulator `a` to the outputs; empty: itself, or its members of their names
  bool prepends_identity = false;  ///< the identity stands in front of the elements, as a ufunc's does
  bool cupy = false;               ///< map, body and identity are expressions of CuPy's notation
  Places map_places = {};
  Places post_places = {};
  /// A bit for each input that post, or the identity, takes: arrays that are not broadcast, and one number for all elements.
  std::uint64_t post_inputs = 0;
  std::uint64_t identity_inputs = 0;
  std::uint64_t read_outputs = 0;  ///< a bit for each output that post reads before it assigns it

  /// Returns true if elements are counted over all outputs, and not for each from 0.
  [[nodiscard]] bool counts_all() const noexcept {
    return map_places.j || map_places.outputs() || map_places.in_ind == Axes::place || post_places.outputs();
  }
  /// Returns true if some text asks how many elements, or outputs, there are.
  [[nodiscard]] bool asks_sizes() const noexcept { return counts_all() || map_places.any_axes() || post_places.any_axes(); }
  [[nodiscard]] bool asks_place(Axes Places::* axes) const noexcept {
    return map_places.*axes == Axes::place || post_places.*axes == Axes::place;
  }
  /// The ends of its texts' names in messages.
  struct Files {
    const char* accumulator;
    const char* map;
    const char* reduce;
    const char* post;
  };
  [[nodiscard]] Files files() const noexcept {
    return cupy ? Files{".reduce_type", ".map_expr", ".reduce_expr", ".post_map_expr"}
                : Files{".accumulator", ".map", ".reduce", ".post"};
  }
};

/// What stands around the body of a kernel in CuPy's notation. The body is the inside of a loop over elements: `continue` ends
/// it, and its outputs are those elements themselves.
struct CupyLoop {
  std::string loop_prep = {};   ///< before the body
  std::string after_loop = {};  ///< behind it
};

/// The user's side of a kernel.
struct UserText {
  std::string name = {};  ///< of the kernel
  std::string body = {};
  std::optional<Stages> stages = std::nullopt;
  std::optional<CupyLoop> cupy = std::nullopt;
  bool expression = false;    ///< body is an expression (kiln eval), not statements
  std::string identity = {};  ///< an expression; only for kernels that use it
  std::string preamble = {};
  std::string functions = {};
  std::vector<std::string> defines = {};      ///< "NAME" or "NAME=VALUE"
  std::vector<std::string> input_names = {};  ///< empty string: unnamed
  /// Values that stand for inputs, as C++ text; empty text, or a vector that ends before: the input itself.
  std::vector<std::string> constants = {};
  std::vector<std::string> output_names = {};  ///< empty vector: one unnamed output, returned
  std::vector<std::pair<std::string, DType>> type_variables = {};
  std::vector<std::string> headers = {};  ///< of kernels-src, behind that of the kernel's kind
  Debug debug = {};                       ///< what the kernel checks
  Operands operands = nullptr;            ///< for messages

  /// What the body gets for an input: its constant, else that expression.
  [[nodiscard]] std::string argument(std::size_t input, const std::string& given) const {
    return input < constants.size() && !constants[input].empty() ? constants[input] : given;
  }
};

/// The texts that are shown under names of their own in diagnostics: "name.defines", "name.preamble" and the like, with the
/// body as the last.
std::vector<std::pair<std::string, std::string>> texts_of(const UserText& text);

/// The device-side headers by the name in #include ("kiln/core/portable.hpp", "cmath"), embedded at build time.
const std::map<std::string, std::string>& embedded_headers();

/// Throws CompileError where brackets, quotes or comments in a text do not close, where it closes more than it opens, ends in a
/// backslash, or holds control characters: such a text could change the code around it. `file` is the name shown.
void check_text(const std::string& file, const std::string& text);

/// Whether the text has one of these names, in code that no directive leaves out or not. False for a text that does not scan.
bool names_any(std::string_view text, std::span<const std::string_view> names);
/// Whether a kernel of these texts can fail by the status of a function that it calls (kiln::declare_device).
[[nodiscard]] bool reports_status(const UserText& text);

/// check_text for UserText::expression: no ';' outside brackets, no preprocessor directive, not empty.
void check_expression(const std::string& file, const std::string& text);

/// Every file that an #include in `roots`, or one of the names in `needed`, can reach, by the name that it is included under. A
/// name in quotes is looked for beside the file that includes it first. Then come names in `given`, include_dirs, and
/// embedded_headers(). In the text of a header, a name by which a compiler would find another file is replaced by the one here.
/// IoError for a file not found (with the folders searched); CompileError for a computed include, and for an absolute name or
/// one with ".." that leads out of all include_dirs, whose file is not opened. A file that stands in a branch of #if need not
/// be there: a text that is an #error stands for it, under absent_header(). A name in __has_include counts as included where it
/// is there; what else would let a file take part unseen (#embed, __has_embed, an assembler's .incbin) is a CompileError. Only
/// the embedded headers reached are returned, too.
std::map<std::string, std::string> resolve_includes(const std::vector<std::pair<std::string, std::string>>& roots,
                                                    const std::map<std::string, std::string>& given,
                                                    const std::vector<std::string>& include_dirs,
                                                    const std::vector<std::string>& needed = {});

/// The same for a text that may be anyone's: no file is read. Nothing where a name is neither given nor embedded; `missing` is
/// that name then.
std::optional<std::map<std::string, std::string>> included_texts(const std::string& file, const std::string& text,
                                                                 const std::map<std::string, std::string>& given,
                                                                 std::string* missing);

}  // namespace kiln::codegen
