// A reduction on the CPU: where elements come from and results go to, and a description for the driver.
#include <fmt/format.h>

#include "codegen/kernel_text.hpp"
#include "codegen/reduction_text.hpp"

namespace kiln::codegen {

std::string reduction_cpu(const ReductionSpec& spec) {
  const std::string input = stored_name(spec.inputs.front().storage);
  const std::string output = stored_name(spec.outputs.front().storage);
  const char* const mask = spec.masked ? "const uint8* mask; " : "";
  const char* const mask_place = spec.masked ? ", mask(static_cast<const uint8*>(p[step + row]))" : "";
  return fmt::format(
      "struct reduction {{\n{}"
      "  struct source {{\n    const {}* x; {}\n"
      "    KILN_FN source(void* const* p, int64 step, int64 row) : x(static_cast<const {}*>(p[row])){} {{}}\n"
      "    KILN_FN accumulator at(int64 i) const {{ return mapped(x[i]); }}\n"
      "    KILN_FN bool counts(int64 i) const {{ return {}; }}\n  }};\n"
      "  struct sink {{\n    {}* y;\n"
      "    KILN_FN sink(void* const* p) : y(static_cast<{}*>(p[0])) {{}}\n"
      "    KILN_FN void put(int64 i, const accumulator& a) const {{ post(a, y[i]); }}\n  }};\n}};\n"
      "static const uint8 itemsize[] = {{sizeof({}), {}sizeof({})}};\n"
      "static const cpu_reduction kernel = describe<reduction, {}>({}, 1, itemsize);\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) const cpu_reduction* kiln_kernel() {{ return &kernel; }}\n",
      reduction_members(spec), input, mask, input, mask_place, spec.masked ? "mask[i] != 0" : "true", output, output, input,
      spec.masked ? "1, " : "", output, spec.ordered, spec.masked ? 2 : 1);
}

}  // namespace kiln::codegen
