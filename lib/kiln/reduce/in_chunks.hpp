// Reductions in chunks, which lib/kiln/chunk provides: ufunc/in_chunks.hpp.
#pragma once

#include <optional>
#include <span>

#include "base/provided.hpp"
#include "device/stop_request.hpp"
#include "kiln/reduction.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::reduce {

inline constinit base::Provided<void(const Reduction& function, const std::optional<Device>& device, std::span<const Arg> args,
                                     const ReductionOptions& options, const backend::StopRequest* stop,
                                     std::span<Array> results)>
    call_in_chunks("chunk");
inline constinit base::Provided<Array(const Ufunc& function, const std::optional<Device>& device, const Array& a,
                                      const ReduceOptions& options, const backend::StopRequest* stop)>
    reduce_in_chunks("chunk");

}  // namespace kiln::reduce
