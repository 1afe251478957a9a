# The interface targets that every kiln target uses: warnings and sanitizers.
add_library(kiln_warnings INTERFACE)
target_compile_options(kiln_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ (GCC bug 105651).
  target_compile_options(kiln_warnings INTERFACE -Wno-restrict)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Meant for headers, and every file but the first is one here.
  target_compile_options(kiln_warnings INTERFACE -Wno-subobject-linkage)
endif()
if(KILN_WERROR)
  target_compile_options(kiln_warnings INTERFACE -Werror)
endif()

add_library(kiln_sanitizers INTERFACE)
if(KILN_SANITIZE)
  # Drivers are called by pointers of kiln's own types, which are not those of the emulator's definitions.
  target_compile_options(kiln_sanitizers INTERFACE -fsanitize=${KILN_SANITIZE} $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(kiln_sanitizers INTERFACE -fsanitize=${KILN_SANITIZE})
endif()
if(KILN_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "KILN_FUZZ needs clang++ with its fuzzer runtime: configure with cmake --preset fuzz")
  endif()
  # libFuzzer follows what the library does by counters in it.
  target_compile_options(kiln_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
# For stand-ins of the vendors' libraries: their functions have the vendors' types, and kiln's declarations of them its own.
add_library(kiln_other_types INTERFACE)
if(KILN_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(kiln_other_types INTERFACE -fno-sanitize=function)
endif()
