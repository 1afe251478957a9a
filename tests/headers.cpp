// What it includes is in tests/CMakeLists.txt.
