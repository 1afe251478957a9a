// Which files a kernel's includes reach, and in which order places are searched.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/header_names.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "source/embedded.hpp"

using kiln::codegen::embedded_headers;
using kiln::codegen::resolve_includes;

namespace {

using Texts = std::map<std::string, std::string>;

// A folder of its own with files, removed at the end.
struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("kiln-includes-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path / "sub");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  std::filesystem::path path;
};

template <class Error>
std::string message(const Texts& given, const std::string& text, const std::vector<std::string>& folders = {}) {
  try {
    resolve_includes({{"k", text}}, given, folders);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("includes are followed through given texts, cycles included") {
  const Texts given{{"a.h", "#include <b.h>\n"},
                    {"b.h", "# /* here */ include \"a.h\" // again\n#in\\\nclude \"sub/c.h\""},
                    {"sub/c.h", "int c;"},
                    {"unused.h", "int u;"}};
  const Texts found = resolve_includes({{"k", "  #  include \"a.h\"\n"}}, given, {});
  CHECK(found == Texts{{"a.h", given.at("a.h")}, {"b.h", given.at("b.h")}, {"sub/c.h", "int c;"}});
}

TEST_CASE("a byte order mark in front of a header is none of it") {
  const Folder folder;
  folder.write("a.h", "\xEF\xBB\xBF#include \"b.h\"");
  CHECK(resolve_includes({{"k", "#include \"a.h\""}}, {{"b.h", "\xEF\xBB\xBF#include <c.h>"}, {"c.h", "c"}},
                         {folder.path.string()}) ==
        Texts{{"a.h", "#include \"b.h\""}, {"b.h", "#include <c.h>"}, {"c.h", "c"}});
}

TEST_CASE("comments and strings include nothing") {
  CHECK(resolve_includes({{"k", "// #include \"x.h\"\n/*\n#include \"y.h\"\n*/ auto s = R\"(\n#include \"z.h\"\n)\";"}}, {}, {})
            .empty());
}

TEST_CASE("given texts come before folders, folders before kiln's own headers") {
  const Folder folder;
  folder.write("a.h", "from the folder");
  folder.write("b.h", "from the folder");
  folder.write("sub/d.h", "deep");
  const Texts given{{"a.h", "given"}, {"kiln/math/math.hpp", "mine"}};
  const Texts found = resolve_includes({{"k",
                                         "#include \"a.h\"\n#include \"b.h\"\n#include \"sub/d.h\"\n#include "
                                         "\"kiln/math/math.hpp\"\n#include \"kiln/core/types.hpp\""}},
                                       given, {"/nonexistent", folder.path.string()});
  CHECK(found.at("a.h") == "given");
  CHECK(found.at("b.h") == "from the folder");
  CHECK(found.at("sub/d.h") == "deep");
  CHECK(found.at("kiln/math/math.hpp") == "mine");
  CHECK(found.at("kiln/core/types.hpp") == embedded_headers().at("kiln/core/types.hpp"));
  CHECK(found.contains("kiln/core/portable.hpp"));  // through types.hpp
  CHECK_FALSE(found.contains("kiln/core/half.hpp"));
}

TEST_CASE("a file that is not there is named, with where it was looked for") {
  CHECK(
      message<kiln::IoError>({}, "int x;\n#include \"no.h\"\n") ==
      "failed to find the header \"no.h\", which k:2 includes: it is not among the kernel's headers, and there are no include "
      "folders; give its text in .compile.headers or its folder in .compile.include_dirs");
  CHECK(
      message<kiln::IoError>({{"a.h", "#include <vector.h>"}}, "#include \"a.h\"", {"/none", "/nor/here"}) ==
      "failed to find the header \"vector.h\", which a.h:1 includes: it is not among the kernel's headers, nor in the include "
      "folders \"/none\", \"/nor/here\"; give its text in .compile.headers or its folder in .compile.include_dirs");
}

TEST_CASE("a header of the standard library that kernels do not have is told with those that they have") {
  for (const std::string name : {"vector", "cstdio", "stdio.h"}) {
    CHECK(message<kiln::IoError>({}, "#include <" + name + ">", {"/none"}) ==
          "failed to find the header <" + name +
              ">, which k:1 includes: kernels have no such header of the standard library; there are <algorithm>, <array>, "
              "<assert.h>, <bit>, <cassert>, <cfloat>, <climits>, <cmath>, <complex>, <cstddef>, <cstdint>, <cstdlib>, "
              "<float.h>, <initializer_list>, <limits>, <limits.h>, <math.h>, <stddef.h>, <stdint.h>, <stdlib.h>, "
              "<type_traits>, <utility>");
  }
}

TEST_CASE("an absolute name is read where an include folder has it") {
  const Folder folder;
  folder.write("a.h", "absolute");
  folder.write("sub/b.h", "deep");
  const std::string a = (folder.path / "a.h").string();
  const std::string b = (folder.path / "sub/../sub/b.h").string();
  const std::string text = "#include \"" + a + "\"\n#if __has_include(<" + b + ">)\n#endif";
  const Texts expected{{a, "absolute"}, {b, "deep"}};
  for (const std::string& given : {folder.path.string(), folder.path.string() + "/", (folder.path / "sub/..").string(),
                                   std::filesystem::relative(folder.path).string()}) {
    CAPTURE(given);
    CHECK(resolve_includes({{"k", text}}, {}, {"/nowhere", given}) == expected);
  }
  // A text that is given under such a name opens no file.
  CHECK(resolve_includes({{"k", "#include \"/etc/passwd\"\n#include \"../b.h\""}}, {{"/etc/passwd", "mine"}, {"../b.h", "b"}},
                         {}) == Texts{{"/etc/passwd", "mine"}, {"../b.h", "b"}});
}

TEST_CASE("a name that leads out of the include folders is refused by itself") {
  const Folder folder;
  folder.write("secret.h", "a secret");
  const std::string sub = (folder.path / "sub").string();
  const auto refusal = [](const std::string& name, const std::string& why, const std::string& place) {
    return "k:" + place + ": error: the header \"" + name + "\" is not read: " + why +
           "; give its folder in .compile.include_dirs or its text in .compile.headers\n";
  };
  const auto error = [](const std::string& text, const std::vector<std::string>& folders) {
    const std::string found = message<kiln::CompileError>({}, text, folders);
    CHECK(found.find("a secret") == std::string::npos);
    return found.substr(0, found.find('\n') + 1);
  };
  const std::string secret = (folder.path / "secret.h").string();
  const std::string outside = "it is outside the include folders \"" + sub + "\"";
  // Whether the file is there makes no difference.
  for (const std::string& name : {secret, std::string("/no/such/file"), std::string("/"), std::string("../secret.h"),
                                  sub + "/../secret.h", std::string("x/../../secret.h"), sub + "stance.h"}) {
    CAPTURE(name);
    CHECK(error("int x;\n  #include \"" + name + "\"", {sub}) == refusal(name, outside, "2:12"));
    // What is not read is not there.
    CHECK(resolve_includes({{"k", "#if __has_include(\"" + name + "\")\n#endif"}}, {}, {sub}).empty());
  }
  CHECK(error("#include <" + secret + ">", {}) == refusal(secret, "there are no include folders", "1:10"));
  CHECK(error("#include \"../secret.h\"", {}) == refusal("../secret.h", "there are no include folders", "1:10"));
  // The place is in the header that names it.
  CHECK(message<kiln::CompileError>({{"a.h", "\n#include \"/x\""}}, "#include \"a.h\"").find("a.h:2:10: error: the header") ==
        0);
}

TEST_CASE("a name with .. may lead within the include folders, from one to another, and through links") {
  const Folder folder;
  folder.write("a.h", "a");
  folder.write("sub/b.h", "b");
  std::filesystem::create_symlink(folder.path / "a.h", folder.path / "sub/link.h");
  const std::string top = folder.path.string();
  const std::string sub = (folder.path / "sub").string();
  CHECK(resolve_includes({{"k", "#include \"none/../b.h\"\n#include \"link.h\""}}, {}, {sub}) ==
        Texts{{"none/../b.h", "b"}, {"link.h", "a"}});
  CHECK(resolve_includes({{"k", "#include \"../a.h\""}}, {}, {sub, top}) == Texts{{"../a.h", "a"}});
  CHECK(message<kiln::IoError>({}, "#include \"../no.h\"", {sub, top}) ==
        "failed to find the header \"../no.h\", which k:1 includes: it is not among the kernel's headers, nor in the include "
        "folders \"" +
            sub + "\", \"" + top + "\"; give its text in .compile.headers or its folder in .compile.include_dirs");
}

TEST_CASE("a name in quotes is looked for beside the file that includes it first") {
  const Folder folder;
  std::filesystem::create_directories(folder.path / "other");
  folder.write("detail.h", "top");
  folder.write("sub/detail.h", "sub");
  folder.write("sub/a.h", "#include \"detail.h\"\n#include <detail.h>\n#include \"../detail.h\"");
  folder.write("other/detail.h", "other");
  folder.write("other/b.h", "int b;\n#include \"detail.h\" // here\n#include \"../sub/detail.h\"");
  const std::string top = folder.path.string();
  // Compilers get other names only where theirs would lead elsewhere.
  CHECK(resolve_includes({{"k", "#include <sub/a.h>\n#include \"detail.h\""}}, {}, {top}) ==
        Texts{{"detail.h", "top"},
              {"sub/detail.h", "sub"},
              {"sub/a.h", "#include <sub/detail.h>\n#include <detail.h>\n#include <detail.h>"}});
  // The same name in two folders, and a file that is reached by two names.
  const std::string other = (folder.path / "other").string();
  CHECK(resolve_includes({{"k", "#include \"detail.h\"\n#include \"b.h\""}}, {}, {top, other}) ==
        Texts{{"detail.h", "top"},
              {"1/detail.h", "other"},
              {"b.h", "int b;\n#include <1/detail.h> // here\n#include \"../sub/detail.h\""},
              {"../sub/detail.h", "sub"}});
  // Texts that are given have folders, too, and come first.
  CHECK(resolve_includes({{"k", "#include \"x/a.h\"\n#include \"sub/a.h\""}},
                         {{"x/a.h", "#include \"y/b.h\""},
                          {"x/y/b.h", "#include \"../c.h\""},
                          {"x/c.h", "c"},
                          {"y/b.h", "wrong"},
                          {"sub/detail.h", "given"}},
                         {top}) == Texts{{"x/a.h", "#include <x/y/b.h>"},
                                         {"x/y/b.h", "#include <x/c.h>"},
                                         {"x/c.h", "c"},
                                         {"detail.h", "top"},
                                         {"sub/detail.h", "given"},
                                         {"sub/a.h", "#include <sub/detail.h>\n#include <detail.h>\n#include <detail.h>"}});
  // A compiler would take one beside the file, which C++ does not.
  CHECK(resolve_includes({{"k", "#include \"x/a.h\"\n#include \"x/detail.h\""}},
                         {{"x/a.h", "#include <detail.h>"}, {"x/detail.h", "x"}},
                         {top}) == Texts{{"x/a.h", "#include <detail.h>"}, {"x/detail.h", "x"}, {"detail.h", "top"}});
  CHECK(message<kiln::CompileError>({}, "#include \"b.h\"", {other})
            .find("b.h:3:10: error: the header \"../sub/detail.h\" is "
                  "not read: it is outside the include folders") == 0);
}

TEST_CASE("a file in a branch of #if need not be there") {
  const std::string absent =
      "#line 2 \"k\"\n#error \"failed to find the header no/such.h: it is not among the headers of the kernel, nor in its "
      "include folders\"\n";
  for (const char* text : {"#ifdef X\n#include <no/such.h>\n#endif", "#if 0\n#include \"no/such.h\"\n#endif",
                           "#ifndef X\n#include <no/such.h>\n#define X\n#endif"}) {
    CAPTURE(text);
    CHECK(resolve_includes({{"k", text}}, {}, {}) == Texts{{"kiln/absent/no_such_h", absent}});
  }
  CHECK(resolve_includes({{"k", "#include \"a.h\""}}, {{"a.h", "#if A\n#else\n#include </x>\n#endif"}}, {}).at("a.h") ==
        "#if A\n#else\n#include <kiln/absent/_x>\n#endif");
  // What stands in a guard is read.
  const std::string guard = "#ifndef A_H\n#define A_H\n";
  CHECK(message<kiln::IoError>({{"a.h", guard + "#include <no.h>\n#endif"}}, "#include \"a.h\"").find("which a.h:3 includes") !=
        std::string::npos);
  CHECK(resolve_includes({{"k", guard + "#ifdef B\n#include <no.h>\n#endif\n#endif"}}, {}, {}).size() == 1);

  // Compilers look for a text that says so, and find none where it is asked for.
  std::string source = "#if __has_include(<no.h>)\n#include <no.h>\n#elif __has_include(\"b.h\")\n#endif";
  Texts headers = resolve_includes({{"k", source}}, {{"b.h", "b"}}, {});
  kiln::kinds::rename_headers(source, headers);
  CHECK(source == "#if __has_include(\"kiln/absent\")\n#include \"kiln/absent/no_h\"\n#elif __has_include(\"b.h\")\n#endif");
  CHECK(headers.contains("b.h"));
  CHECK(headers.contains("kiln/absent/no_h"));
}

TEST_CASE("headers of the standard library are kiln's own, unless the user has some") {
  const Texts found =
      resolve_includes({{"k", "#include <cmath>\n#include <limits.h>\n#include <limits>"}}, {{"limits", "mine"}}, {});
  CHECK(found.at("cmath") == embedded_headers().at("cmath"));
  CHECK(found.at("limits") == "mine");
  CHECK(found.contains("climits"));  // through limits.h
}

TEST_CASE("compilers are given no name that leads elsewhere") {
  std::string source =
      "#include \"plain.h\"\n  #include </abs/a.h> // here\n#if __has_\\\ninclude(\"../b\\\n.h\")\n#endif\nend\n";
  Texts headers{{"plain.h", "#include \"/abs/a.h\""}, {"/abs/a.h", "#pragma once\n#include \"../b.h\""}, {"../b.h", "int b;"}};
  kiln::kinds::rename_headers(source, headers);
  CHECK(source ==
        "#include \"plain.h\"\n  #include \"kiln/renamed/1.hpp\" // here\n#if "
        "__has_\\\ninclude(\"kiln/renamed/0.hpp\"\\\n)\n#endif\n"
        "end\n");
  CHECK(headers == Texts{{"plain.h", "#include \"kiln/renamed/1.hpp\""},
                         {"kiln/renamed/0.hpp", "#line 1 \"../b.h\"\nint b;"},
                         {"kiln/renamed/1.hpp", "#line 1 \"/abs/a.h\"\n#pragma once\n#include \"kiln/renamed/0.hpp\""}});

  std::string same = "#include \"a..h\"\n#include \"..b/c.h\"";
  Texts plain{{"a..h", "1"}, {"..b/c.h", "2"}};
  const Texts before = plain;
  kiln::kinds::rename_headers(same, plain);
  CHECK(same == "#include \"a..h\"\n#include \"..b/c.h\"");
  CHECK(plain == before);
}

TEST_CASE("includes that cannot be followed are errors") {
  const std::string computed = message<kiln::CompileError>({}, "#define F \"a.h\"\n#include F\n");
  CHECK(computed.find("k:2:10: error: a computed #include cannot be followed") != std::string::npos);
  CHECK(message<kiln::CompileError>({}, "#include_next <a.h>").find("#include_next is not supported") != std::string::npos);
  CHECK(message<kiln::CompileError>({}, "#include \"a.h\n").find("a header name that begins here does not end on its line") !=
        std::string::npos);
  const std::string time = message<kiln::CompileError>({{"a.h", "\nauto t = __TIME__;"}}, "#include \"a.h\"");
  CHECK(time.find("a.h:2:10: error: __TIME__ may not be used") != std::string::npos);
}

TEST_CASE("what __has_include names is found as if it were included, where it is there") {
  const Texts given{{"a.h", "#if __has_include(<b.h>) && defined(X)\n#endif"}, {"b.h", ""}};
  CHECK(resolve_includes({{"k", "#ifdef __has_include\n#elif __has_include(\"a.h\")\n#endif"}}, given, {}) == given);
  CHECK(resolve_includes({{"k",
                           "#ifndef __has_include\n#define __has_include(x) 0\n#endif\n"
                           "#if defined(__has_include) || defined __has_include\n#endif\n"
                           "#define A __has_include(\"b.h\")\n#include \"b.h\""}},
                         given, {}) == Texts{{"b.h", ""}});
  CHECK(resolve_includes({{"k", "#if \\\n__has_\\\ninclude(<no.h>)\n#endif"}}, {}, {}).empty());
  CHECK(message<kiln::CompileError>({}, "#define F \"a.h\"\n#if __has_include(F)\n#endif")
            .find("k:2:19: error: a computed __has_include cannot be followed; write the name of the file in quotes or angle "
                  "brackets") != std::string::npos);
  for (const std::string name : {"__has_embed", "__has_include_next"}) {
    CHECK(message<kiln::CompileError>({}, "#if " + name + "(\"a\")\n#endif")
              .find("k:1:5: error: " + name +
                    " is not supported: what it says would depend on files that are not in the cache's key") !=
          std::string::npos);
    CHECK(message<kiln::CompileError>({}, "#ifdef " + name + "\n#endif").empty());
  }
}

TEST_CASE("assembly reads no file") {
  CHECK(message<kiln::CompileError>({}, "int x;\nasm(\".rodata\\n.incbin \\\"/tmp/x\\\"\");")
            .find("k:2:5: error: the assembler's .incbin may not be used: the file that it reads would not be in the cache's "
                  "key; write its bytes as an array") != std::string::npos);
  for (const char* text : {"asm(R\"(\n.INCBIN \"x\")\");", "__asm__(\"nop;.include\" \" \\\"x\\\"\");",
                           "#define EMBED(file) asm(\".incbin\\t\" #file)"}) {
    CHECK(message<kiln::CompileError>({}, text).find("the assembler's .inc") != std::string::npos);
  }
  CHECK(message<kiln::CompileError>({}, "asm(\"nop // .included\"); auto s = \"give .include_dirs\"; // \".incbin\"").empty());
}

TEST_CASE("what the build noted as included by kiln's own headers is what scanning them finds") {
  for (const auto& header : kiln::codegen::embedded_texts()) {
    CAPTURE(header.name);
    // A text of the user's is scanned, whatever it holds.
    Texts given;
    for (const auto& other : kiln::codegen::embedded_texts()) given.emplace(other.name, "");
    given.erase(std::string(header.name));
    const Texts scanned = resolve_includes({{"k", std::string(header.text)}}, given, {});
    std::vector<std::string> names;
    for (const auto& [name, text] : scanned) names.push_back(name);
    std::vector<std::string> noted(header.includes.begin(), header.includes.end());
    std::sort(noted.begin(), noted.end());
    CHECK(noted == names);
  }
  CHECK(std::is_sorted(kiln::codegen::embedded_texts().begin(), kiln::codegen::embedded_texts().end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST_CASE("needed headers are followed like included ones, and the user's own of that name come first") {
  const Texts found = resolve_includes({}, {{"kiln/core/types.hpp", "#include \"mine.h\""}, {"mine.h", "int m;"}}, {},
                                       {"kiln/core/types.hpp", "kiln/math/math.hpp"});
  CHECK(found.at("kiln/core/types.hpp") == "#include \"mine.h\"");
  CHECK(found.at("mine.h") == "int m;");
  CHECK(found.at("kiln/math/math.hpp") == embedded_headers().at("kiln/math/math.hpp"));
  CHECK(found.size() == 3);
}

TEST_CASE("the embedded headers are those of kernels-src") {
  CHECK(embedded_headers().size() >= 10);
  for (const auto& [name, text] : embedded_headers()) {
    CAPTURE(name);
    const bool of_cuda = name.starts_with("cupy/") || name.starts_with("thrust/") || name.starts_with("hip/") ||
                         name.starts_with("cuda/") || name.starts_with("cooperative_groups/");
    CHECK(name.starts_with("kiln/") == (!of_cuda && name.find('/') != std::string::npos));  // the others are the standard's
    const bool for_each_type = name == "kiln/core/cuda_half_functions.hpp";
    CHECK((text.find("#pragma once") != std::string::npos) == !for_each_type);
    CHECK_NOTHROW(kiln::codegen::check_text(name, text));
    // These alone ask for the target.
    const bool asks = text.find("#if KILN_C") != std::string::npos || text.find("__CUDA") != std::string::npos ||
                      text.find("__HIP") != std::string::npos;
    CHECK(asks == (name == "kiln/core/portable.hpp" || name == "kiln/core/portable_words.hpp"));
  }
}
