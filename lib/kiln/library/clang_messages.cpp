// Messages between libkiln and kiln-clang's process: one source for both sides, compiled in each.
#include "clang/driver/messages.cpp"  // NOLINT(bugprone-suspicious-include)
