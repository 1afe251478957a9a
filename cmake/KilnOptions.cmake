# The third parties' headers. CMake leaves out the folders that the compiler searches anyway.
add_library(kiln_headers INTERFACE)
target_compile_definitions(kiln_headers INTERFACE XXH_INLINE_ALL)
list(REMOVE_DUPLICATES kiln_include_dirs)
target_include_directories(kiln_headers SYSTEM INTERFACE ${kiln_include_dirs})

# {fmt}'s functions, of the version whose sources lib/kiln/base/fmt.cpp knows; of others, in every object that uses them.
set(fmt_version "")
if(KILN_FMT_INCLUDE_DIR)
  file(STRINGS ${KILN_FMT_INCLUDE_DIR}/fmt/core.h fmt_version REGEX "#define FMT_VERSION 9")
endif()
if(fmt_version)
  add_library(kiln_fmt STATIC ${PROJECT_SOURCE_DIR}/lib/kiln/base/fmt.cpp)
  target_include_directories(kiln_fmt SYSTEM PRIVATE ${KILN_FMT_INCLUDE_DIR})
  target_link_libraries(kiln_fmt PRIVATE kiln_sanitizers)
  target_link_libraries(kiln_headers INTERFACE kiln_fmt)
else()
  target_compile_definitions(kiln_headers INTERFACE FMT_HEADER_ONLY)
endif()
