# Snippets of docs/adding-a-kind.md. tests/architecture/adding_a_kind_test.py applies the patch, and with --run builds it.
# snippet: look
git apply docs/adding-a-kind.patch   # look at it in your editor
cmake --preset release -DKILN_TESTS=OFF && cmake --build build/release --target kiln index_table
build/release/bin/examples/index_table                              # on this machine
KILN_DEVICE=emulated:sm_90 build/release/bin/examples/index_table   # on an emulated GPU
git apply -R docs/adding-a-kind.patch
# end

# snippet: renew
git apply --3way docs/adding-a-kind.patch   # resolve what conflicts
git add -A && git diff --cached -U1 >/tmp/adding-a-kind.patch
git reset --hard && mv /tmp/adding-a-kind.patch docs/
tests/architecture/adding_a_kind_test.py . --run build/adding-a-kind
# end
