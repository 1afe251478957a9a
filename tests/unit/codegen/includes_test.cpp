// Which files a kernel's includes reach, and in which order places are searched.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "codegen/embedded.hpp"
#include "kiln/error.hpp"
#include "kinds/header_names.hpp"
#include "kinds/spec.hpp"

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
  CHECK(message<kiln::IoError>({{"a.h", "#include <vector>"}}, "#include \"a.h\"", {"/none", "/nor/here"}) ==
        "failed to find the header \"vector\", which a.h:1 includes: it is not among the kernel's headers, nor in the include "
        "folders \"/none\", \"/nor/here\"; give its text in .compile.headers or its folder in .compile.include_dirs");
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
    CHECK(error("#if __has_include(\"" + name + "\")\n#endif", {sub}) == refusal(name, outside, "1:19"));
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

TEST_CASE("what __has_include names is found as if it were included, or is an error") {
  const Texts given{{"a.h", "#if __has_include(<b.h>) && defined(X)\n#endif"}, {"b.h", ""}};
  CHECK(resolve_includes({{"k", "#ifdef __has_include\n#elif __has_include(\"a.h\")\n#endif"}}, given, {}) == given);
  CHECK(resolve_includes({{"k",
                           "#ifndef __has_include\n#define __has_include(x) 0\n#endif\n"
                           "#if defined(__has_include) || defined __has_include\n#endif\n"
                           "#define A __has_include(\"b.h\")\n#include \"b.h\""}},
                         given, {}) == Texts{{"b.h", ""}});
  CHECK(message<kiln::IoError>({}, "#if \\\n__has_\\\ninclude(<no.h>)\n#endif") ==
        "failed to find the header \"no.h\", which k:3 asks for with __has_include: it is not among the kernel's headers, and "
        "there are no include folders; give its text in .compile.headers or its folder in .compile.include_dirs, or ask for a "
        "macro of your "
        "own: whether a compiler finds it is not in the cache's key");
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
    CHECK(name.starts_with("kiln/"));
    CHECK(text.find("#pragma once") != std::string::npos);
    CHECK_NOTHROW(kiln::codegen::check_text(name, text));
    // portable.hpp is the only one that asks for the target.
    const bool asks = text.find("#if KILN_C") != std::string::npos || text.find("__CUDA") != std::string::npos ||
                      text.find("__HIP") != std::string::npos;
    CHECK(asks == (name == "kiln/core/portable.hpp"));
  }
}
