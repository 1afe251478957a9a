#!/usr/bin/env bash
# Makes a release in build/release-VERSION: the source archive, an SPDX list of what is inside the binaries, and SHA256SUMS of all files there.
# usage: release.sh VERSION [--wheels] [--packages SUITE]… [--tag]
#        release.sh VERSION --check
#        release.sh VERSION --check-library [argument of CMake]…
#   The tree must be committed, every place must name VERSION, and CHANGELOG.md and debian/changelog must have its section.
#   --wheels: also the Python wheels; --packages: also those for a release of Debian; --tag: also the tag vVERSION, which nothing else makes.
#   --check: makes the archive from this tree and from a clone elsewhere, compares the bytes, and keeps neither.
#   --check-library: builds the libraries in two folders, without a cache of objects, and compares the bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '3,9p' "$0" >&2; exit 2; }
fail() { echo "release.sh: $*" >&2; exit 1; }
[[ ${1:-} =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || usage
version=$1; shift
mode=release tag=0 wheels=0 suites=() arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --check) mode=check ;;
    --check-library) mode=library; shift; arguments=("$@"); break ;;
    --wheels) wheels=1 ;;
    --packages) [ $# -gt 1 ] || usage; suites+=("$2"); shift ;;
    --tag) tag=1 ;;
    *) usage ;;
  esac
  shift
done
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# archive FOLDER FILE: the committed tree of the repository in FOLDER. Its times are the commit's.
archive() {
  (cd "$1" && git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="kiln-$version/" HEAD) | gzip -n -9 >"$2"
}

check_names() {
  local named
  named=$(sed -n 's/^project(kiln VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  [ "$named" = "$version" ] || fail "CMakeLists.txt names version $named, not $version: run scripts/version.py --write $version first"
  local differing
  differing=$(scripts/version.py) || { echo "$differing" >&2; fail "not every place names $version: scripts/version.py --write $version does it"; }
  grep -q "^## \[$version\] - [0-9-]*$" CHANGELOG.md || fail "CHANGELOG.md has no section '## [$version] - DATE'"
  sed -n 1p debian/changelog | grep -q "^kiln ($version)" || fail "debian/changelog does not begin with version $version"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check_names
if [ "$mode" = check ]; then
  archive . "$work/first.tar.gz"
  git clone -q . "$work/elsewhere"
  git -C "$work/elsewhere" checkout -q --detach "$(git rev-parse HEAD)"
  (umask 077; export TZ=Asia/Tokyo LC_ALL=C; archive "$work/elsewhere" "$work/second.tar.gz")
  cmp "$work/first.tar.gz" "$work/second.tar.gz" || fail "two archives of one commit differ"
  echo "two archives of $(git rev-parse --short HEAD) are the same: $(sha256sum <"$work/first.tar.gz" | cut -c1-64)"
  exit 0
fi
if [ "$mode" = library ]; then
  # Names of files, in messages and debug information, without the folder.
  for folder in first second/folder; do
    mkdir -p "$work/$folder"
    git archive HEAD | tar -x -C "$work/$folder"
    map="-ffile-prefix-map=$work/$folder=/kiln"
    (cd "$work/$folder" && env -u CMAKE_C_COMPILER_LAUNCHER -u CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DISABLE=1 CXXFLAGS="${CXXFLAGS:-} $map" cmake --preset release -DKILN_TESTS=OFF \
      -DKILN_EXAMPLES=OFF "${arguments[@]}" && CCACHE_DISABLE=1 cmake --build build/release --target kiln kiln_emulator $([ -e build/release/lib/clang ] && echo kiln_clang kiln_clang_program)) \
      >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "the build in $folder failed"; }
  done
  same=0
  for file in "$work"/first/build/release/lib/{libkiln.so.*.*.*,libkiln-*.so,kiln-clang}; do
    [ -f "$file" ] || continue
    cmp "$file" "${file/first/second\/folder}" || fail "$(basename "$file") differs between two folders"
    same=$((same + 1))
  done
  [ "$same" -ge 2 ] || fail "no libraries were compared"
  echo "$same files of two folders are the same"
  exit 0
fi

[ -z "$(git status --porcelain)" ] || fail "the tree has changes that are not committed: commit them first"
if sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep -q '^- '; then
  fail "CHANGELOG.md has changes under [Unreleased]: move them to the section of $version"
fi
if [ "$tag" -eq 1 ] && git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then fail "the tag v$version is there already"; fi
out=build/release-$version
rm -rf "$out"
mkdir -p "$out"
archive . "$out/kiln-$version.tar.gz"
scripts/sbom.py "$out/kiln-$version.spdx.json"
if [ "$wheels" -eq 1 ]; then scripts/build-wheels.py --check; cp build/wheels/dist/*.whl "$out/"; fi
for suite in ${suites[@]+"${suites[@]}"}; do
  scripts/packages.sh debian "$suite"
  mkdir "$out/debian-$suite"
  find "build/packages/debian-$suite" -maxdepth 1 -name 'kiln_*' -o -maxdepth 1 -name '*.deb' | xargs cp -t "$out/debian-$suite"
done
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS && sha256sum --quiet -c SHA256SUMS)
if [ "$tag" -eq 1 ]; then git tag -a "v$version" -m "kiln $version"; fi
echo "$out: $(wc -l <"$out/SHA256SUMS") files"
