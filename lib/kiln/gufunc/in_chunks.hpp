// Calls of generalized ufuncs in chunks, which lib/kiln/chunk provides: ufunc/in_chunks.hpp.
#pragma once

#include <optional>
#include <span>

#include "base/provided.hpp"
#include "device/stop_request.hpp"
#include "kiln/gufunc.hpp"

namespace kiln::gufunc {

inline constinit base::Provided<void(const Gufunc& function, const std::optional<Device>& device, std::span<const Arg> args,
                                     const GufuncOptions& options, const backend::StopRequest* stop, std::span<Array> results)>
    call_in_chunks("chunk");

}  // namespace kiln::gufunc
