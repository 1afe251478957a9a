#include "base/dynamic_library.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "temporary_directory.hpp"

using kiln::base::DynamicLibrary;
using kiln::base::Unload;

TEST_CASE("the first candidate that opens is taken and every attempt is told") {
  const std::vector<std::string> candidates{"libkiln-there-is-none.so.9", "", "libm.so.6", "libc.so.6"};
  auto [library, attempts] = DynamicLibrary::open_first(candidates, Unload::never);
  REQUIRE(library);
  CHECK(library.name() == "libm.so.6");
  CHECK(library.path().find("/libm.so.6") != std::string::npos);
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].reason == "cannot open shared object file: No such file or directory");
  CHECK(attempts[1].reason == "empty name");
  CHECK(attempts[2].reason.empty());
  CHECK(kiln::base::describe(attempts) ==
        "libkiln-there-is-none.so.9 (cannot open shared object file: No such file or directory),  (empty name), libm.so.6 "
        "(opened)");
}

TEST_CASE("symbols are found by name and absent ones are null") {
  const std::vector<std::string> candidates{"libm.so.6"};
  auto library = DynamicLibrary::open_first(candidates, Unload::when_destroyed).library;
  const auto cbrt = library.function<double (*)(double)>("cbrt");
  REQUIRE(static_cast<bool>(cbrt));
  CHECK(cbrt(27.0) == doctest::Approx(3.0));
  CHECK(library.symbol("kiln_there_is_none") == nullptr);

  DynamicLibrary other = std::move(library);
  CHECK_FALSE(library);                      // NOLINT(bugprone-use-after-move): what a moved-from library is, is the question
  CHECK(library.symbol("cbrt") == nullptr);  // NOLINT(clang-analyzer-cplusplus.Move): likewise
  CHECK(other.symbol("cbrt") == reinterpret_cast<void*>(cbrt));
}

TEST_CASE("no candidate opens: an empty library and all reasons") {
  const kiln::test::TemporaryDirectory folder;
  kiln::test::write_text(folder / "text.so", "this is no shared object, but it is longer than an ELF header has to be......");
  const std::vector<std::string> candidates{folder / "text.so", folder / "absent.so"};
  const auto [library, attempts] = DynamicLibrary::open_first(candidates, Unload::never);
  CHECK_FALSE(library);
  CHECK(library.path().empty());
  CHECK(library.symbol("main") == nullptr);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].name == folder / "text.so");
  CHECK(attempts[0].reason == "invalid ELF header");
  CHECK(attempts[1].reason == "cannot open shared object file: No such file or directory");
}
