#!/usr/bin/env bash
# Makes the files of compiled device code that the tests link kernels with. Needs nvcc 13 (sm_80 and sm_90), Clang 19 for AMD's
# GPUs and x86-64, and binutils.
set -euo pipefail
cd "$(dirname "$0")"
cuda() { nvcc -dc -O2 "$@"; }
cuda -arch=sm_90 functions.cu -o nvcc.o
cuda -gencode arch=compute_90,code=lto_90 functions.cu -o nvcc_lto.o
cuda -dlto -ltoir -arch=sm_90 functions.cu -o nvcc.ltoir
cuda -fatbin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 functions.cu -o nvcc.fatbin
cuda -cubin -arch=sm_80 functions.cu -o nvcc_80.cubin
cuda -cubin -arch=sm_90 functions.cu -o nvcc_90.cubin
cuda -ptx -arch=compute_80 functions.cu -o nvcc.ptx
rm -f libnvcc.a && ar rcsD libnvcc.a nvcc.o

hip() { clang-19 -x hip -nogpulib -nogpuinc -O2 -fgpu-rdc -D__device__='__attribute__((device))' -fdebug-prefix-map="$PWD"=. "$@" -c functions.cu; }
hip --offload-device-only --offload-arch=gfx90a -o amd.bc
hip --no-offload-new-driver --offload-arch=gfx90a --offload-arch=gfx1030 -o amd_bundle.o
hip --offload-new-driver --offload-arch=gfx90a --offload-arch=gfx1030 -o amd_packed.o
clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O2 -c amd.bc -o amd_gfx90a.o
rm -f libamd.a && ar rcsD libamd.a amd.bc

cpu() { clang-19 --target=x86_64-linux-gnu -O2 -fPIC -ffile-prefix-map="$PWD"=. "$@" functions.cpp; }
cpu -c -emit-llvm -o x86_64.bc
cpu -c -o x86_64.o
clang-19 --target=x86_64-linux-gnu -O2 -fPIC -ffile-prefix-map="$PWD"=. -c throws.cpp -o x86_64_throws.o
clang-19 --target=x86_64-linux-gnu -O2 -fno-pic -mcmodel=large -c functions.cpp -o x86_64_not_pic.o
cpu -shared -nostdlib -Wl,-soname,libx86_64.so -Wl,-z,max-page-size=4096 -s -o libx86_64.so
rm -f libx86_64.a && ar rcsD libx86_64.a x86_64.o
