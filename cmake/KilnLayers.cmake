# Each folder of lib/kiln is a layer: a static library of its own, kiln-<folder> (kiln-device-cpu of device/cpu), which uses only the
# layers that it names. libkiln.so is made of the objects of all layers, and each layer's test program of those of the layer and what it uses.
#
# kiln_layer(<folder> [USES <folder>...]) is called by the folder's CMakeLists.txt, before its target_sources().
# tests/architecture reads these lines.

# What most files of the layers include is compiled once for all, where they are compiled one by one.
function(kiln_compile_layer_headers)
  if(CMAKE_UNITY_BUILD)
    return()
  endif()
  add_library(kiln_layer_headers OBJECT headers.cpp)
  target_link_libraries(kiln_layer_headers PRIVATE kiln_internal kiln_warnings kiln_sanitizers)
  target_compile_definitions(kiln_layer_headers PRIVATE KILN_NO_ARRAY_TRUTH)
  target_precompile_headers(kiln_layer_headers PRIVATE <algorithm> <array> <atomic> <filesystem> <functional> <map> <memory> <mutex> <optional>
    <set> <span> <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)
endfunction()

function(kiln_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "USES")
  set_property(GLOBAL PROPERTY KILN_USES_${name} ${layer_USES})
  set_property(GLOBAL APPEND PROPERTY KILN_LAYERS ${name})
  string(REPLACE "/" "-" name ${name})
  add_library(kiln-${name} STATIC)
  list(TRANSFORM layer_USES REPLACE "/" "-")
  list(TRANSFORM layer_USES PREPEND kiln-)
  target_link_libraries(kiln-${name} PUBLIC kiln_internal ${layer_USES} PRIVATE kiln_warnings kiln_sanitizers)
  # In the library a test of an array is one of its handle, which valid() names.
  target_compile_definitions(kiln-${name} PRIVATE KILN_NO_ARRAY_TRUTH)
  if(TARGET kiln_layer_headers)
    target_precompile_headers(kiln-${name} REUSE_FROM kiln_layer_headers)
  endif()
  set_target_properties(kiln-${name} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/layers)
endfunction()

# Adds to the target the objects of the layers named and of those that they use: all of them, not only what the target needs.
function(kiln_link_layers target)
  set(seen "")
  set(todo ${ARGN})
  while(todo)
    list(POP_FRONT todo layer)
    if(NOT layer IN_LIST seen)
      list(APPEND seen ${layer})
      get_property(uses GLOBAL PROPERTY KILN_USES_${layer})
      list(APPEND todo ${uses})
      string(REPLACE "/" "-" library ${layer})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:kiln-${library}>)
    endif()
  endwhile()
endfunction()
