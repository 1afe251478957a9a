#include "binary/archive.hpp"

#include <doctest/doctest.h>

#include <string>

using kiln::base::archive_members;

namespace {

std::string header(std::string name, std::size_t size) {
  name.resize(16, ' ');
  std::string number = std::to_string(size);
  number.resize(10, ' ');
  return name + "0           0     0     644     " + number + "`\n";
}
std::string member(const std::string& name, const std::string& bytes) {
  return header(name, bytes.size()) + bytes + (bytes.size() % 2 == 0 ? "" : "\n");
}
const std::string kMagic = "!<arch>\n";

}  // namespace

TEST_CASE("archive: members in order, tables left out, names of both kinds") {
  std::string why;
  const std::string table = "a_name_that_is_longer_than_16.o/\nsecond_of_such_a_length.o/\n";
  const std::string bytes = kMagic + member("/", "symbols") + member("//", table) + member("a.o/", "one") +
                            member("/33", "two!") + member("#1/8", std::string("bsd.o\0\0\0", 8) + "three");
  const auto members = archive_members(bytes, &why);
  CHECK(why.empty());
  REQUIRE(members.size() == 3);
  CHECK(members[0].name == "a.o");
  CHECK(members[0].bytes == "one");
  CHECK(members[1].name == "second_of_such_a_length.o");
  CHECK(members[1].bytes == "two!");
  CHECK(members[2].name == "bsd.o");
  CHECK(members[2].bytes == "three");
}

TEST_CASE("archive: what is none, and what is damaged") {
  const auto refusal = [](const std::string& bytes) {
    std::string why;
    CHECK(archive_members(bytes, &why).empty());
    return why;
  };
  CHECK(refusal("") == "it is no archive");
  CHECK(refusal("!<thin>\n") == "it is no archive");
  CHECK(refusal(kMagic + "a.o") == "its last header is cut off");
  CHECK(refusal(kMagic + header("a.o/", 5) + "four") == "a member reaches beyond its end");
  CHECK(refusal(kMagic + member("/7", "x")) == "a member's name lies outside the table of names");
  CHECK(refusal(kMagic + member("#1/9", "x")) == "a member's name reaches beyond its end");
  std::string odd = kMagic + member("a.o/", "x");
  odd[kMagic.size() + 48] = 'x';
  CHECK(refusal(odd) == "a header of it is damaged");
  std::string huge = kMagic + header("a.o/", 0);
  huge.replace(kMagic.size() + 48, 10, "9999999999");
  CHECK(refusal(huge) == "a member reaches beyond its end");
}
