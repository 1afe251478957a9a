// CUDA's textures and surfaces, which no kernel of kiln's has.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kiln::codegen {

/// Names of types and functions.
inline constexpr std::string_view kTextures[] = {
    "texture",    "tex1D",      "tex2D",      "tex3D",       "tex1Dfetch",  "tex1DLayered",        "tex2DLayered",
    "tex1DLod",   "tex2DLod",   "tex3DLod",   "tex2Dgather", "texCubemap",  "cudaTextureObject_t", "surface",
    "surf1Dread", "surf2Dread", "surf3Dread", "surf1Dwrite", "surf2Dwrite", "surf3Dwrite",         "cudaSurfaceObject_t"};
inline constexpr std::string_view kNoTextures =
    "kernels have no textures and surfaces; pass the array and its extents, and read its elements by index, clamped or "
    "interpolated in the kernel";

[[nodiscard]] inline bool is_texture(std::string_view name) {
  return std::ranges::find(kTextures, name) != std::end(kTextures);
}

}  // namespace kiln::codegen
