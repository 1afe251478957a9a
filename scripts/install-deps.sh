#!/usr/bin/env bash
# Installs the packages that kiln is built and tested with, on Debian 12, Debian 13 and Ubuntu 24.04; does nothing, quickly, where they are all there.
# usage: install-deps.sh [build|test|ci|browser|python]     build: library, tool, examples; test: adds what the tests need; ci: adds the linters; browser: what scripts/site.sh --check needs
#        python: what scripts/free-threaded-python.sh builds with
set -euo pipefail

# KILN_NO_INSTALL=1: go on with what is installed (other distributions, containers without apt).
if [ "${KILN_NO_INSTALL:-0}" = 1 ]; then exit 0; fi

system=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}" || echo unknown)
# A second clang for the host program that links one, AMD's libraries for kernels, and perf.
case "$system" in
  "debian 13") by_system=(libclang-cpp17-dev rocm-device-libs-17 linux-perf) ;;
  "ubuntu 24.04") by_system=(libclang-cpp17-dev rocm-device-libs-17 linux-tools-generic) ;;
  *) by_system=(libclang-cpp14-dev rocm-device-libs linux-perf) ;;
esac

# FFTW is opened at run time; libpng is the example's that blurs a picture.
build=(g++ cmake ninja-build libclang-19-dev llvm-19-dev liblld-19-dev libtbb-dev nlohmann-json3-dev libfmt-dev
       libxxhash-dev zlib1g-dev libcli11-dev python3 libfftw3-single3 libfftw3-double3 libpng-dev)
# hipRTC (compiles with no GPU), pkg-config for kiln.pc, Python environments for packages of PyPI, gdb to see kernels by their names, clang++ for
# the executor of AMD's machine code, the texts of a locale with decimal commas. python3-jsonschema holds the schema of manifests to the cases of their reader.
# python3-yaml reads the configuration of CI and of editors. Eigen is of the example that solves equations.
tests=(doctest-dev libamdhip64-dev pkgconf python3-venv python3-dev gdb clang-19 locales python3-jsonschema python3-yaml libeigen3-dev "${by_system[@]}")
# clang++-19 also builds the plain loops that the benchmarks compare with, and the fuzzers, whose runtime is in libclang-rt-19-dev.
# libfftw3-dev: what kiln::fft is timed against. libc++-19-dev: the public headers are compiled with it, too. ccache: for machines on which .ci/run runs again. qemu-user and the cross compiler:
# scripts/test-aarch64.sh. gfortran and abigail-tools: the C interface from Fortran, and its binary form. Open MPI: kiln/mpi.hpp over real ranks. gmpy2 (MPFR) and NumPy: scripts/same_bits_errors.py.
ci=(ccache libc++-19-dev libclang-rt-19-dev clang-format-19 clang-tidy-19 libbenchmark-dev libfftw3-dev qemu-user g++-aarch64-linux-gnu gfortran abigail-tools libopenmpi-dev openmpi-bin
    python3-gmpy2 python3-numpy)

case "${1:-build}" in
  build) packages=("${build[@]}") ;;
  test) packages=("${build[@]}" "${tests[@]}") ;;
  ci) packages=("${build[@]}" "${tests[@]}" "${ci[@]}") ;;
  browser) packages=(python3 python3-venv chromium chromium-driver) ;;
  python) packages=(gcc make curl xz-utils ca-certificates libssl-dev zlib1g-dev libffi-dev) ;;
  *) echo "usage: $0 [build|test|ci|browser|python]" >&2; exit 2 ;;
esac

case "$system" in
  "debian 12" | "debian 13" | "ubuntu 24.04") ;;
  *)
    {
      echo "kiln's scripts install packages on Debian 12, Debian 13 and Ubuntu 24.04 only; this is ${system}."
      echo "Install the equivalents of these by hand, then run this again with KILN_NO_INSTALL=1:"
      echo "  ${packages[*]}"
    } >&2
    exit 1
    ;;
esac

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | awk '$2 == "installed" {print $1}' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "kiln needs packages that only root can install, and there is no sudo. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing ${#missing[@]} Debian packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
if ! { "${as_root[@]}" "${apt[@]}" update && "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } \
    </dev/null >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "apt-get could not install: ${missing[*]} (its last words are above)" >&2
  exit 1
fi
