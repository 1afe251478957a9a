// Accesses to memory that a raw kernel on the CPU tells the library of, which finds races among them.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace kiln::clang_module {

/// In a module that has kiln_race (kernels-src/raw/race.hpp), a call of its access() in front of each access of the user's
/// texts to memory that other threads may see, and its tables. Lines are those of the debug info. Before all passes but
/// inlining where it is asked for: what kiln's functions access is reported at the user's line that calls them.
void report_accesses(llvm::PassBuilder& builder);

}  // namespace kiln::clang_module
