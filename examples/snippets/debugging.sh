# Snippets of docs/debugging.md, for a machine with gdb.
# snippet: gdb
gdb -ex 'set breakpoint pending on' -ex 'break squash' -ex run --args ./simulation
# end
