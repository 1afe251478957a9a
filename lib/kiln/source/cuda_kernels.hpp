// The kernels that a text in CUDA's language defines, by its tokens: their names, and what kiln can tell of their parameters.
// The compiler has the last word: it converts each argument to the parameter's type, and says where it cannot. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "source/scanner.hpp"
#include "source/user_text.hpp"

namespace kiln::codegen {

using CudaTokens = std::vector<Token>;

/// A function declared __global__.
struct CudaKernel {
  std::string name;                    ///< with its namespaces: "ns::scale"
  std::vector<std::string> types;      ///< names of its template's parameters, in order
  std::vector<CudaTokens> parameters;  ///< declarations
  std::string bounds;                  ///< of __launch_bounds__, where they are numbers: "256, 2"
  Place place;                         ///< of the name
  std::size_t begin = 0;               ///< of the definition in the text, in bytes
  std::size_t end = 0;
  bool alone = false;  ///< nothing else needs the definition
  bool is_template = false;
};

/// A text with kernels.
class CudaSource {
 public:
  /// CompileError for a text that does not scan, for two kernels of one name, and for what no kernel of kiln's can have
  /// (textures and surfaces), with the place. `file` is the name shown.
  CudaSource(const std::string& file, const std::string& text);

  [[nodiscard]] const std::vector<CudaKernel>& kernels() const noexcept { return kernels_; }
  /// Returns the kernel that a name, or a name with template arguments ("axpy<float, 3>"), means; null if there is none.
  [[nodiscard]] const CudaKernel* find(std::string_view expression) const;
  /// "copy, axpy (a template)": for messages.
  [[nodiscard]] std::string names() const;
  /// Returns the __constant__ variables that have no initializer, with their namespaces: the host gives them their values.
  [[nodiscard]] const std::vector<std::string>& constants() const noexcept { return constants_; }
  /// Returns the text with blanks in the place of other kernels: what they use is not this one's.
  [[nodiscard]] std::string text_for(const CudaKernel& kernel, std::string text) const;
  /// Returns the signature of a raw kernel with these parameters: "void(const float32* x, int32 n)". A type that the text does
  /// not tell is a type variable, so that the argument decides.
  [[nodiscard]] std::string signature_of(const CudaKernel& kernel, std::string_view expression) const;

  /// Returns the numbers of the parameters that are structures by value.
  [[nodiscard]] std::vector<std::size_t> structures_of(const CudaKernel& kernel, std::string_view expression) const;

  /// ScanError for a __device__ variable that one kernel writes and another uses: kernels are compiled one by one.
  /// `expressions`: the instances of templates that are wanted.
  void check_variables(std::string_view text, const std::vector<std::string>& expressions) const;

 private:
  struct Type {
    std::string dtype;           ///< empty: not known
    bool by_bytes = false;       ///< a structure
    bool read_only = false;      ///< the elements of an mdspan
    std::size_t dimensions = 0;  ///< of an mdspan
  };

  struct Parameter {
    Type type = {};
    std::string name = {};
    int pointers = 0;
    bool read_only = false;
  };

  [[nodiscard]] std::vector<Parameter> parameters_of(const CudaKernel& kernel, std::string_view expression) const;
  void note_types(const CudaTokens& tokens);
  void find_kernels(const std::string& file, const std::string& text, const CudaTokens& tokens);
  [[nodiscard]] Type type_of(const CudaTokens& tokens, const std::map<std::string, CudaTokens>& arguments, int depth) const;

  /// "mdspan<const T, extents<int, …>, layout>", whose first "<" is at `open`.
  [[nodiscard]] Type type_of_mdspan(const CudaTokens& tokens, std::size_t open,
                                    const std::map<std::string, CudaTokens>& arguments, int depth) const;

  std::vector<CudaKernel> kernels_;
  std::vector<std::string> constants_;
  std::map<std::string, CudaTokens, std::less<>> aliases_;  ///< typedef and using
  std::vector<std::string> structures_;
};

/// The tokens of all branches, without directives. The text scans.
[[nodiscard]] CudaTokens tokens_without_directives(std::string_view text);
/// What commas separate of [begin, end), outside of brackets of any kind.
[[nodiscard]] std::vector<CudaTokens> separated(const CudaTokens& tokens, std::size_t begin, std::size_t end);
/// The arguments of "axpy<float, 3>" as tokens; none of a name alone.
[[nodiscard]] std::vector<CudaTokens> template_arguments(std::string_view expression);
/// "axpy" of "axpy<float, 3>", without blanks.
[[nodiscard]] std::string name_of_expression(std::string_view expression);

/// Whether a __constant__ at t is that of a variable of the module without an initializer; then its name, else empty.
[[nodiscard]] std::string constant_at(const CudaTokens& tokens, std::size_t t);

/// CompileError, with its place, for assembly that no directive leaves out: `device` runs no PTX.
void check_no_assembly(const std::string& file, const std::string& text, std::string_view device);
/// The same for all texts of a kernel, which are compiled for that kind.
void check_no_assembly(const UserText& text, DeviceKind kind);
/// CompileError, with its place, for words of threads that no directive leaves out.
void check_no_threads(const UserText& text);

}  // namespace kiln::codegen
