#!/usr/bin/env bash
# Runs a command where no vendor's compiler is to be found, in a mount namespace of its own (util-linux; as root, or where users may make namespaces).
# usage: without-vendors.sh COMMAND…
set -euo pipefail
if [ "${1:-}" != --inside ]; then
  own=(--mount)
  if [ "$(id -u)" -ne 0 ]; then own=(--map-root-user --mount); fi
  exec unshare "${own[@]}" "$0" --inside "$@"
fi
shift
unset CUDA_PATH CUDA_HOME ROCM_PATH HIP_PATH KILN_NVRTC KILN_HIPRTC KILN_NVJITLINK KILN_REQUIRE_COMPILERS
for folder in /usr/local/cuda /opt/rocm; do
  if [ -d "$folder" ]; then mount -t tmpfs none "$(realpath "$folder")"; fi
done
ldconfig -p | sed -n 's/.*\(libnvrtc\|libnvJitLink\|libamdhip64\|libhiprtc\).* => //p' | sort -u | while read -r library; do
  if [ -e "$library" ]; then mount --bind /dev/null "$(realpath "$library")"; fi
done
# nvcc may also be a link or a script elsewhere on PATH: bound to what is not executable, it is not found.
if nvcc=$(command -v nvcc); then mount --bind /dev/null "$(realpath "$nvcc")"; fi
exec "$@"
