#!/usr/bin/env bash
# Compiles and runs the kernels of CuPy and Chainer, their texts unchanged, and compares with g++'s results: tests/real_kernels/README.md.
# usage: test-real-kernels.sh [--sample N] [--target native|sm_90-clang|sm_90-nvrtc|gfx942]… [--only REGEX]
#   --sample N: of N kernels, chosen by a hash of their names. --only: of those whose project, file and name have the expression.
#   build/release is configured with -DKILN_TESTS=ON. The sources come from PyPI, once, into build/real-kernels. Without NVRTC name the other targets.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(
  "cupy 14.2.0 cfed725e612178cfbdbf62f4a3a598b60edecbbca718c0d4580c21a16ae4a62c"
  "chainer 7.8.1 179f06176f8d7a42385bc7811956db04e68213cfe30f5081491b9e2b6ff70de8"
)
folder=build/real-kernels
mkdir -p "$folder"
echo 'setuptools<80' >"$folder/constraints.txt"  # what Chainer's setup.py takes
files=()
for package in "${packages[@]}"; do
  read -r name version sum <<<"$package"
  source=$folder/$name-$version
  if [ ! -f "$source.tar.gz" ]; then
    # Only the package itself by its sources: what its build needs may come as wheels.
    PIP_CONSTRAINT=$folder/constraints.txt python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "$name" \
      --dest "$folder" "$name==$version" || { echo "$0: $name $version could not be fetched from PyPI, so its kernels are not tested" >&2; exit 1; }
  fi
  echo "$sum  $source.tar.gz" | sha256sum --check --quiet
  [ -d "$source" ] || tar -xzf "$source.tar.gz" -C "$folder"
  json=$source-$(sha256sum tests/real_kernels/extract.py | cut -c1-16).json
  if [ ! -f "$json" ]; then
    rm -f "$source"-*.json
    python3 tests/real_kernels/extract.py "$name" "$source" >"$json.new"
    mv "$json.new" "$json"
  fi
  files+=("$json")
done
cuda=$(scripts/cuda-packages.sh build/cuda)
if [ -n "$cuda" ]; then export CUDA_PATH=$(realpath "$cuda"); fi
cmake --build build/release --target kiln kiln_clang kiln_emulator kiln-real-kernels
python3 tests/real_kernels/run.py --build "$folder" --driver build/release/bin/kiln-real-kernels "$@" "${files[@]}"
