# An overlay port: vcpkg install kiln --overlay-ports=packaging/vcpkg. The source is the repository that this file is in.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES cpu KILN_CPU tools KILN_TOOLS)
set(LLVM_OPTIONS "")
if(DEFINED ENV{KILN_LLVM_CONFIG})
  set(LLVM_OPTIONS "-DKILN_LLVM_CONFIG=$ENV{KILN_LLVM_CONFIG}")
endif()
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS} ${LLVM_OPTIONS} -DKILN_TESTS=OFF -DKILN_EXAMPLES=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
  MAYBE_UNUSED_VARIABLES KILN_LLVM_CONFIG)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/kiln)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES kiln AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD-PARTY-NOTICES.txt")
