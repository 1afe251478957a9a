#include <doctest/doctest.h>

#include <string>

#include "kiln/device_code.hpp"
#include "support/message.hpp"

using kiln::declare_device;
using kiln::DeviceAbi;
using kiln::test::message_of;

TEST_CASE("declare_device: C functions") {
  CHECK(declare_device("bar", "int32(int32 a, int32 b)") == "extern \"C\" int32 bar(int32 a, int32 b);\n");
  CHECK(declare_device("bar", "int32(int32,int32)") == "extern \"C\" int32 bar(int32 p0, int32 p1);\n");
  CHECK(declare_device("store", "void(float32* to, const complex64 *from, bool always)") ==
        "extern \"C\" void store(float32* to, const complex64* from, bool always);\n");
  CHECK(declare_device("now", "uint64()") == "extern \"C\" uint64 now();\n");
}

TEST_CASE("declare_device: Numba's convention") {
  CHECK(declare_device("bar", "int32(int32 a, int32 b)", {.abi = DeviceAbi::numba}) ==
        "namespace kiln_linked { extern \"C\" int32 bar(int32* kiln_result, int32 a, int32 b); }\n"
        "inline int32 bar(int32 a, int32 b) { int32 kiln_result{}; const int32 kiln_status = kiln_linked::bar(&kiln_result, a, "
        "b); "
        "if (kiln_status != 0) ::kiln::fail_status(\"bar\", kiln_status); return kiln_result; }\n");
  CHECK(declare_device("put", "void(float32* to)", {.abi = DeviceAbi::numba}).find("inline void put(float32* to) { int64") !=
        std::string::npos);
}

TEST_CASE("declare_device: what is wrong has its place") {
  const auto refusal = [](const char* name, const char* signature) {
    return message_of([&] { static_cast<void>(declare_device(name, signature)); });
  };
  CHECK(
      refusal("b r", "int32()").starts_with("\"b r\" cannot be the name of a device function: it has to be a C++ identifier"));
  CHECK(refusal("while", "int32()").starts_with("\"while\" cannot be the name of a device function"));
  CHECK(refusal("f", "int(int32 a)").find("int(int32 a)\n") != std::string::npos);
  CHECK(refusal("f", "int32(const int32 a)").starts_with("a scalar is a copy of the argument"));
  CHECK(refusal("f", "complex64(int32 a)").starts_with("complex64 is passed in another way by each compiler"));
  CHECK(refusal("f", "int32(float16 a)").starts_with("float16 is passed in another way by each compiler"));
  CHECK(refusal("f", "int32(int32 a").starts_with("expected ')' or ',' after a parameter, found the end of the text"));
  CHECK(refusal("f", "int32(int32 a) x").starts_with("expected the end of the signature, found 'x'"));
}
