// The end of a signature: "where T: float32, float64, U: int8".
#pragma once

#include <vector>

#include "signature/cursor.hpp"
#include "signature/signature.hpp"

namespace kiln::signature {

/// Reads the clause, if there is one, into the choices of the variables. SignatureError with the place.
void read_restrictions(Cursor& cursor, std::vector<TypeVariable>& variables);

}  // namespace kiln::signature
