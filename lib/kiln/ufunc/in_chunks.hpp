// Calls of ufuncs in chunks, which lib/kiln/chunk provides. Arrays are host arrays; options name neither stream nor device.
#pragma once

#include <optional>
#include <span>

#include "base/provided.hpp"
#include "device/stop_request.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::ufunc {

/// `device`: where chunks are computed; none: where a call would run.
inline constinit base::Provided<void(const Ufunc& function, const std::optional<Device>& device, std::span<const Arg> args,
                                     const CallOptions& options, const backend::StopRequest* stop, std::span<Array> results)>
    call_in_chunks("chunk");
inline constinit base::Provided<Array(const Ufunc& function, const std::optional<Device>& device, const Array& a,
                                      const AccumulateOptions& options, const backend::StopRequest* stop)>
    accumulate_in_chunks("chunk");

}  // namespace kiln::ufunc
