# In a unity build, one file is made of each folder of the target's sources, whatever other folders there are: names that two files of a
# folder have show always. The folders are those below `base`, by default the current one. Call it where the target was made, after
# all of its sources.
function(kiln_unite_folders target)
  set(base ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARGC GREATER 1)
    set(base ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
    if(path MATCHES "^${base}/(.*)/[^/]*[.]cpp$")
      string(REPLACE "/" "_" folder ${CMAKE_MATCH_1})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
endfunction()
