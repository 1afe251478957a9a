# Script: builds and runs saxpy.cpp with what `pkg-config kiln` says.
#   cmake -DPKG_CONFIG=… -DCOMPILER=… -DPREFIX=… -DLIBDIR=… -DSOURCE=… -DWORK=… -P pkg_config.cmake
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs kiln OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND ${COMPILER} -std=c++20 "${SOURCE}" ${flags} "-Wl,-rpath,${PREFIX}/${LIBDIR}" -o "${WORK}/saxpy"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/saxpy" COMMAND_ERROR_IS_FATAL ANY)
