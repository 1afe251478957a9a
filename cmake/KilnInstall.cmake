# cmake --install: the libraries side by side, the public headers, and what find_package(kiln) and pkg-config read.
include(CMakePackageConfigHelpers)
option(KILN_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT KILN_INSTALL)
  return()
endif()

install(TARGETS kiln EXPORT kiln-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Opened by libkiln at the first compile for a CPU, from its own folder or from this one; nothing links it.
if(TARGET kiln_clang)
  install(TARGETS kiln_clang LIBRARY DESTINATION ${KILN_MODULE_DIR})
  install(TARGETS kiln_clang_program RUNTIME DESTINATION ${KILN_MODULE_DIR})
endif()
install(TARGETS kiln_emulator LIBRARY DESTINATION ${KILN_MODULE_DIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kiln DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.f90" PATTERN "*.rs" PATTERN "*.py")

set(kiln_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kiln)
install(EXPORT kiln-targets NAMESPACE kiln:: DESTINATION ${kiln_config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kilnConfig.cmake.in ${PROJECT_BINARY_DIR}/kilnConfig.cmake
  INSTALL_DESTINATION ${kiln_config_dir})
# Before 1.0 a minor version may break.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kilnConfig.cmake ${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake DESTINATION ${kiln_config_dir})

# Relative to the file itself, so that the installed tree can be moved.
file(RELATIVE_PATH kiln_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" kiln_prefix_from_pc "${kiln_prefix_from_pc}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/kiln.pc.in ${PROJECT_BINARY_DIR}/kiln.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kiln.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/docs/manifest.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/kiln)

# README.md, docs/ and examples/ lie as in the repository; what stays there is named without a link.
file(GLOB_RECURSE kiln_pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/*.md)
list(APPEND kiln_pages README.md)
foreach(page ${kiln_pages})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
  file(READ ${PROJECT_SOURCE_DIR}/${page} text)
  string(REGEX REPLACE "\\[([^]]+)\\]\\((\\.\\./)*((ARCHITECTURE|CONTRIBUTING|CHANGELOG|SECURITY|CODE_OF_CONDUCT)\\.md|python/README\\.md|packaging/README\\.md|bench[^)]*|include/[^)]*|adding-a-kind\\.patch)\\)" "\\1" text "${text}")
  file(WRITE ${PROJECT_BINARY_DIR}/installed_docs/${page} "${text}")
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed_docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/docs/manifest.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/pictures DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD-PARTY-NOTICES.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
