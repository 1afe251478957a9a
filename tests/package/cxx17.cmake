# Script: each public header, compiled as C++17, gives one error that says what to do, and nothing behind it.
#   cmake -DCOMPILER=… -DINCLUDE=… -DHEADERS=all|kiln.hpp -DWORK=… -P cxx17.cmake
set(ENV{LC_ALL} C)
set(headers ${HEADERS})
if(HEADERS STREQUAL "all")
  file(GLOB headers RELATIVE ${INCLUDE}/kiln ${INCLUDE}/kiln/*.hpp)
  list(REMOVE_ITEM headers version.hpp)  # macros alone, for any language
endif()
file(MAKE_DIRECTORY "${WORK}")
foreach(header ${headers})
  file(WRITE "${WORK}/old.cpp" "#include <kiln/${header}>\n")
  execute_process(COMMAND ${COMPILER} -std=c++17 -fsyntax-only "-I${INCLUDE}" "${WORK}/old.cpp"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX MATCHALL "error:" errors "${output}")
  string(REGEX MATCHALL "\n" lines "${output}")
  list(LENGTH errors errors)
  list(LENGTH lines lines)
  # The message takes four lines; the others say who included whom.
  if(status EQUAL 0 OR NOT errors EQUAL 1 OR lines GREATER 9 OR NOT output MATCHES "kiln needs C\\+\\+20: compile with -std=c\\+\\+20")
    message(FATAL_ERROR "kiln/${header} as C++17 gives status ${status}, ${errors} errors and ${lines} lines:\n${output}")
  endif()
endforeach()
list(LENGTH headers count)
message(STATUS "${count} headers")
