#!/usr/bin/env bash
# Prints the folder of NVIDIA's compilers, for CUDA_PATH: NVRTC, nvJitLink, ptxas, libdevice and cuda.h. It is the toolkit's where one is installed; else
# the folder that PyPI's packages make in FOLDER, which are fetched once. Prints nothing with KILN_NO_INSTALL=1, or where they cannot be fetched.
# usage: cuda-packages.sh FOLDER
set -euo pipefail
folder=${1:?usage: cuda-packages.sh FOLDER}
for home in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
  if [ -n "$home" ] && compgen -G "$home/lib*/libnvrtc.so.1[23]" >/dev/null; then echo "$home"; exit 0; fi
done
version=13.0
stamp=$folder/packages-$version
if [ ! -e "$stamp" ]; then
  if [ "${KILN_NO_INSTALL:-0}" = 1 ]; then exit 0; fi
  if ! { python3 -m venv "$folder" && "$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
      "nvidia-cuda-nvrtc==$version.*" "nvidia-nvjitlink==$version.*" "nvidia-cuda-nvcc==$version.*" "nvidia-nvvm==$version.*" "nvidia-cuda-runtime==$version.*"; } >&2; then
    echo "NVIDIA's compilers could not be fetched from PyPI: the tests go on without them" >&2
    exit 0
  fi
  touch "$stamp"
fi
echo "$folder"/lib/python3*/site-packages/nvidia/cu13
