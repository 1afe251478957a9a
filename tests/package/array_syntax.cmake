# Script: a[0, 1] is refused as C++20 and element (0, 1) as C++23, where a[rows, columns] has elements, too. With KILN_NO_ARRAY_TRUTH
# the truth of an array is refused.
#   cmake -DCOMPILER=… -DINCLUDE=… -DLIBRARY=… -DWORK=… -P array_syntax.cmake
set(ENV{LC_ALL} C)
file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/comma.cpp" [[
#include <kiln/array.hpp>
int main() {
  const auto a = kiln::Array::from<int>({0, 1, 2, 3, 4, 5}, kiln::Shape{2, 3});
  const kiln::Array element = a[0, 1], column = a[kiln::all, -1];
  const auto rows = kiln::Array::from<int>({1, 0}), columns = kiln::Array::from<int>({2, -2});
  if (a[rows, columns].to_vector<int>() != std::vector<int>{5, 1}) return 1;
  return element.item<int>() == 1 && column.to_vector<int>() == std::vector<int>{2, 5} && a[1][2].item<int>() == 5 ? 0 : 1;
}
]])
file(WRITE "${WORK}/truth.cpp" [[
#include <kiln/array.hpp>
int main() { return kiln::Array::scalar(0) ? 1 : 0; }
]])
# -isystem, as an installed kiln is included.
set(compile ${COMPILER} -isystem "${INCLUDE}")
macro(expect_error pattern)
  execute_process(COMMAND ${compile} ${ARGN} -fsyntax-only RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0 OR NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN} gives status ${status}, and not an error with \"${pattern}\":\n${output}")
  endif()
endmacro()
macro(expect_success)
  execute_process(COMMAND ${compile} ${ARGN} "${LIBRARY}" -o "${WORK}/program" RESULT_VARIABLE status ERROR_VARIABLE output)
  if(status EQUAL 0)
    get_filename_component(folder "${LIBRARY}" DIRECTORY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${folder}:$ENV{LD_LIBRARY_PATH}" "${WORK}/program" RESULT_VARIABLE status)
  endif()
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} gives status ${status}:\n${output}")
  endif()
endmacro()
expect_error("comma expression in array subscript" -std=c++20 "${WORK}/comma.cpp")
expect_success(-std=c++23 "${WORK}/comma.cpp")
expect_error("(deleted function|operator bool)" -std=c++20 -DKILN_NO_ARRAY_TRUTH "${WORK}/truth.cpp")
expect_success(-std=c++20 "${WORK}/truth.cpp")
