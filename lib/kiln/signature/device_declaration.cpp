// kiln::declare_device(): a signature to C++ declarations.
#include <algorithm>
#include <string>
#include <vector>

#include "kiln/device_code.hpp"
#include "kiln/dtype.hpp"
#include "kiln/error.hpp"
#include "signature/cursor.hpp"
#include "signature/reserved.hpp"
#include "types/each_dtype.hpp"

namespace kiln {
namespace {

using signature::Cursor;

struct Parameter {
  std::string type;
  std::string name;
};

struct Declaration {
  std::string result;  ///< empty: void
  std::vector<Parameter> parameters;
};

/// The C++ type of a dtype name, which bodies know by the same name. `what` is for messages.
std::string type_at(Cursor& cursor, const char* what) {
  cursor.skip_blanks();
  const std::size_t at = cursor.position();
  const std::string name(cursor.name());
  if (name.empty()) cursor.fail(std::string("expected ") + what + ", as int32 or float64" + cursor.found());
  try {
    static_cast<void>(dtype_from_name(name));
  } catch (const TypeError& error) {
    cursor.fail_at(at, error.what());
  }
  return name;
}

/// Passed in registers by every compiler alike.
bool is_plain(const std::string& type) {
  const DType dtype = dtype_from_name(type);
  return kind(dtype) != Kind::complex && !is_half(dtype);
}

void require_plain(const Cursor& cursor, std::size_t at, const std::string& type) {
  if (is_plain(type)) return;
  cursor.fail_at(at, type + " is passed in another way by each compiler: declare a pointer to it");
}

Parameter parameter_at(Cursor& cursor, std::size_t number) {
  Parameter parameter;
  Cursor ahead = cursor;
  const bool constant = ahead.name() == "const";
  if (constant) cursor = ahead;
  cursor.skip_blanks();
  const std::size_t at = cursor.position();
  const std::string type = type_at(cursor, "a parameter's type");
  const bool pointer = cursor.accept('*');
  if (!pointer) require_plain(cursor, at, type);
  if (constant && !pointer) cursor.fail_at(at, "a scalar is a copy of the argument: leave \"const\" out, or write a pointer");
  parameter.type = (constant ? "const " : "") + type + (pointer ? "*" : "");
  cursor.skip_blanks();
  const std::size_t name_at = cursor.position();
  parameter.name = cursor.name();
  if (parameter.name.empty()) parameter.name = "p" + std::to_string(number);
  if (const char* const why = signature::why_reserved(parameter.name)) {
    cursor.fail_at(name_at, "\"" + parameter.name + "\" cannot be a parameter's name: it is " + why);
  }
  return parameter;
}

Declaration parse(std::string_view text) {
  Cursor cursor(text);
  Declaration made;
  Cursor ahead = cursor;
  if (ahead.name() == "void") {
    cursor = ahead;
  } else {
    cursor.skip_blanks();
    const std::size_t at = cursor.position();
    made.result = type_at(cursor, "the type of the result, or void");
    require_plain(cursor, at, made.result);
  }
  cursor.expect('(', "before the parameters");
  if (!cursor.accept(')')) {
    do {
      made.parameters.push_back(parameter_at(cursor, made.parameters.size()));
    } while (cursor.accept(','));
    cursor.expect(')', "or ',' after a parameter");
  }
  cursor.skip_blanks();
  if (!cursor.at_end()) cursor.fail("expected the end of the signature" + cursor.found());
  return made;
}

/// "int32 a, int32 b", or the names alone.
std::string listed(const std::vector<Parameter>& parameters, bool with_types) {
  std::string text;
  for (const Parameter& each : parameters) {
    text += (text.empty() ? "" : ", ") + (with_types ? each.type + " " + each.name : each.name);
  }
  return text;
}

std::string joined(const std::string& first, const std::string& rest) {
  return rest.empty() ? first : first + ", " + rest;
}

}  // namespace

std::string declare_device(std::string_view name, std::string_view signature, DeviceDeclarationOptions options) {
  if (name.empty() || signature::identifier_length(name) != name.size() || signature::why_reserved(name) != nullptr) {
    throw SignatureError("\"" + std::string(name) + "\" cannot be the name of a device function: it has to be a C++ identifier",
                         name, 0);
  }
  const Declaration declared = parse(signature);
  const std::string function(name);
  const std::string result = declared.result.empty() ? "void" : declared.result;
  const std::string parameters = listed(declared.parameters, true);
  if (options.abi == DeviceAbi::c) return "extern \"C\" " + result + " " + function + "(" + parameters + ");\n";
  // A function without a result has the pointer all the same.
  const std::string room = declared.result.empty() ? "int64" : declared.result;
  return "namespace kiln_linked { extern \"C\" int32 " + function + "(" + joined(room + "* kiln_result", parameters) +
         "); }\n" + "inline " + result + " " + function + "(" + parameters + ") { " + room +
         " kiln_result{}; const int32 kiln_status = kiln_linked::" + function + "(" +
         joined("&kiln_result", listed(declared.parameters, false)) + "); if (kiln_status != 0) ::kiln::fail_status(\"" +
         function + "\", kiln_status); " + (declared.result.empty() ? "" : "return kiln_result; ") + "}\n";
}

}  // namespace kiln
