# kiln_keep_static_objects(<target>): a shared library's static objects live as long as the process.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH kiln_root)
set(KILN_STATIC_LIFETIME ${kiln_root}/lib/shared/static_lifetime.cpp CACHE INTERNAL "")
function(kiln_keep_static_objects target)
  target_sources(${target} PRIVATE ${KILN_STATIC_LIFETIME})
  target_link_options(${target} PRIVATE LINKER:--wrap=__cxa_atexit)
endfunction()
