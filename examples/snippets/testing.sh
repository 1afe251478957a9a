# Snippets of docs/testing.md, which is for a build folder with all tests.
# snippet: passes
cmake --build build/release --target kiln_passes
tests/passes/run.sh lib/clang/spmd/tiles.emptied.ll build/release/lib/libkiln_passes.so /usr/lib/llvm-19/bin
/usr/lib/llvm-19/bin/opt -load-pass-plugin=build/release/lib/libkiln_passes.so -passes=kiln-spmd -S lib/clang/spmd/tiles.emptied.ll
# end

# snippet: aarch64
KILN_TEST_DEVICES=cpu build/release/bin/kiln-clang-server build/release/lib/libkiln-clang-aarch64.so qemu-aarch64 -cpu cortex-a57 -L /usr/aarch64-linux-gnu \
  build/aarch64/bin/kiln-conformance-tests --test-case='blocks*'
# end

# snippet: ptx
KILN_CUDA=build/release/lib/libkiln-emulator.so KILN_TEST_DEVICES=cuda KILN_REQUIRE_DEVICE=cuda build/release/bin/kiln-conformance-tests \
  --test-case-exclude='large*,big:*,reduce: 1e8*,streams: a call returns before its work is done,process: a warm start takes kernels from the disk and loads no compiler'
# end
