#include "emulator/status.hpp"

#include <algorithm>
#include <array>

namespace kiln::emulator {
namespace {

struct Named {
  int status;
  const char* name;
  const char* text;
};
constexpr std::array kStatuses = std::to_array<Named>({
    {success, "CUDA_SUCCESS", "no error"},
    {invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {invalid_device, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {invalid_ptx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {not_ready, "CUDA_ERROR_NOT_READY", "device not ready"},
    {already_page_locked, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {out_of_resources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {capture_unsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {static_cast<int>(Fault::illegal_address), "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {static_cast<int>(Fault::timeout), "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {static_cast<int>(Fault::assertion), "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {static_cast<int>(Fault::illegal_instruction), "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {static_cast<int>(Fault::misaligned), "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {static_cast<int>(Fault::launch_failed), "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
});

const Named* find(int status) noexcept {
  const auto* const found =
      std::find_if(kStatuses.begin(), kStatuses.end(), [&](const Named& each) { return each.status == status; });
  return found == kStatuses.end() ? nullptr : found;
}

}  // namespace

const char* name_of(int status) noexcept {
  const Named* const found = find(status);
  return found == nullptr ? nullptr : found->name;
}

const char* text_of(int status) noexcept {
  const Named* const found = find(status);
  return found == nullptr ? nullptr : found->text;
}

}  // namespace kiln::emulator
