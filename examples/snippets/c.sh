# Snippets of docs/c.md: a program is compiled as its users compile it, where kiln is installed.
# snippet: compile
cc -std=c11 program.c $(pkg-config --cflags --libs kiln)
# end
