# Script: cmake -DOUT=<file.cpp> -DHEADERS=<a.hpp|b.hpp|…> -P EmbedHeaders.cmake
# Writes a C++ source with the texts of the device-side headers as raw strings.
string(REPLACE "|" ";" headers "${HEADERS}")
set(text "// Generated from kernels-src/ by cmake/EmbedHeaders.cmake.\n#include \"codegen/embedded.hpp\"\n\nnamespace kiln::codegen {\n\n")
string(APPEND text "const std::vector<EmbeddedHeader>& embedded_texts() {\n  static const std::vector<EmbeddedHeader> texts{\n")
foreach(header IN LISTS headers)
  get_filename_component(name "${header}" NAME)
  file(READ "${header}" content)
  string(APPEND text "      {\"kiln/${name}\", R\"kiln_text(${content})kiln_text\"},\n")
endforeach()
string(APPEND text "  };\n  return texts;\n}\n\n}  // namespace kiln::codegen\n")
file(WRITE "${OUT}" "${text}")
