// Powers of 2 in steps of 1/16, in two numbers each, of scripts/lane_tables.py; see avx512_cpu.hpp.
#pragma once
#include "kiln/math/avx512_cpu.hpp"

namespace kiln::avx512 {

inline constexpr table<doubles> sixteenths = {
    {0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0,
     0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0},
    {0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0, 0x1.ae89f995ad3adp+0,
     0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0}};
inline constexpr table<doubles> sixteenths_rest = {
    {0x0p+0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54, 0x1.6f46ad23182e4p-55, 0x1.ada0911f09ebcp-55,
     0x1.d4397afec42e2p-56, 0x1.6324c054647adp-54},
    {-0x1.bdd3413b26456p-54, -0x1.41577ee04992fp-55, 0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56, 0x1.7a1cd345dcc81p-54,
     0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54}};

}  // namespace kiln::avx512
