# Each folder of lib/kiln is a static library of its own, kiln-<folder>; kiln-device-cpu and kiln-device-gpu are those of device's. Linking it brings the libraries that it uses, so a program that
# links it alone fails where the folder needs a symbol of one above it. libkiln.so is made of the objects of all of them.
#
# kiln_layer(<folder> [USES <folder>...]): called by the folder's CMakeLists.txt, before its target_sources().
# tests/architecture/includes_test.py reads these lines and holds each #include to them.
function(kiln_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "USES")
  string(REPLACE "/" "-" name ${name})
  add_library(kiln-${name} STATIC)
  list(TRANSFORM layer_USES REPLACE "/" "-")
  list(TRANSFORM layer_USES PREPEND kiln-)
  target_link_libraries(kiln-${name} PUBLIC kiln_internal ${layer_USES} PRIVATE kiln_warnings kiln_sanitizers)
  # In the library a test of an array is one of its handle, which valid() names.
  target_compile_definitions(kiln-${name} PRIVATE KILN_NO_ARRAY_TRUTH)
  set_target_properties(kiln-${name} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/layers)
  set_property(GLOBAL APPEND PROPERTY KILN_LAYERS ${name})
endfunction()
