# CMake's toolchain for scripts/test-aarch64.sh: Debian's cross compiler, and QEMU with the oldest processor of AArch64, which has
# no instructions but those that kiln's kernels are compiled for.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
set(CMAKE_CROSSCOMPILING_EMULATOR ${root}build/release/bin/kiln-clang-server ${root}build/release/lib/libkiln-clang-aarch64.so
    qemu-aarch64 -cpu cortex-a57 -L /usr/aarch64-linux-gnu)
