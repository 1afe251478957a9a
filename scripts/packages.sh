#!/usr/bin/env bash
# Builds kiln's packages for a release of Debian, and tests them as a user has them. As root; the roots are made by debootstrap.
# usage: packages.sh debian [bookworm|trixie] [--arch ARCH] [--debs FOLDER] [--older FOLDER] [--no-upgrade]
#   Builds the committed tree by dpkg-buildpackage in a fresh root, runs lintian, and installs the packages in another fresh root, where debian/tests run.
#   The time to a first result is taken in further roots: by C++, C, Python and the tool; not of another architecture.
#   Then the packages of an older version, made from the same tree, are installed in a third, used, and upgraded.
#   --arch: the packages of another architecture, such as arm64. They are cross-built, and QEMU runs their tests (qemu-user-static).
#   --debs: takes the packages of a finished run, and builds none; --older: likewise the older ones; --no-upgrade: leaves the third root out.
# The packages lie in build/packages/debian-SUITE or debian-SUITE-ARCH. KILN_PACKAGES_WORK (/var/tmp/kiln-packages) keeps roots' archives and compiled objects from run to run.
# KILN_DEBIAN_MIRROR: where packages come from. KILN_PACKAGES_TREE: another tree of Git's than HEAD. DEB_BUILD_OPTIONS goes to the build.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
usage() { sed -n '3,10p' "$0" >&2; exit 2; }
if [ "${1:-}" != debian ]; then usage; fi
shift
suite=bookworm debs="" older="" upgrade=1
here=$(dpkg --print-architecture) arch=""
while [ $# -gt 0 ]; do
  case $1 in
    bookworm | trixie) suite=$1 ;;
    --arch) arch=${2:-}; shift ;;
    --debs) debs=$(cd "$2" && pwd); shift ;;
    --older) older=$(cd "$2" && pwd); shift ;;
    --no-upgrade) upgrade=0 ;;
    *) usage ;;
  esac
  shift
done
if [ "$(id -u)" -ne 0 ]; then echo "packages.sh makes roots, which only root can: run it as root" >&2; exit 1; fi
arch=${arch:-$here} other=""
if [ "$arch" != "$here" ]; then other=-$arch; fi
work=${KILN_PACKAGES_WORK:-/var/tmp/kiln-packages} mirror=${KILN_DEBIAN_MIRROR:-http://deb.debian.org/debian} out=$project/build/packages/debian-$suite$other
tree=${KILN_PACKAGES_TREE:-HEAD}
mkdir -p "$work/ccache" "$out"
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
older_version=$(sed -n '/^kiln (/s/.*(\(.*\)).*/\1/p' debian/changelog | sed -n 2p)

roots=() registered=""
leave() {
  local root
  for root in "${roots[@]}"; do
    umount -R -l "$root" 2>/dev/null || true
    if ! grep -q " $root[ /]" /proc/mounts; then rm -rf "$root"; fi
  done
  if [ -n "$registered" ]; then echo -1 >"$registered"; fi
}
trap leave EXIT
say() { printf '\n== %s\n' "$*"; }

need() { if ! command -v "$1" >/dev/null; then apt-get -qq update && apt-get install -qq -y --no-install-recommends "$2" >/dev/null; fi; }
# run_foreign: the kernel runs the programs of $arch by QEMU, which it opens now and needs in no root.
run_foreign() {
  local machine
  case $arch in
    arm64) machine=aarch64 ;;
    *) echo "packages.sh: $arch: arm64 alone is known beside this machine's $here" >&2; exit 1 ;;
  esac
  need qemu-$machine-static qemu-user-static
  mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  if [ -e /proc/sys/fs/binfmt_misc/qemu-$machine ]; then return; fi
  # The head of an ELF file for AArch64 (machine 183), an executable or a shared object.
  printf '%s' ":qemu-$machine:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$(command -v qemu-$machine-static):F" \
    >/proc/sys/fs/binfmt_misc/register
  registered=/proc/sys/fs/binfmt_misc/qemu-$machine
}

# make_base ARCH: an archive of the smallest Debian, whose apt is told what this machine's is about proxies and dates.
make_base() {
  local suite_of=$suite
  if [ "$1" != "$here" ]; then suite_of=$suite-$1; fi
  if [ -e "$work/$suite_of.tar" ]; then return; fi
  say "a base of $suite for $1"
  need debootstrap debootstrap
  rm -rf "${work:?}/$suite_of"
  debootstrap --arch="$1" --variant=minbase --include=ca-certificates "$suite" "$work/$suite_of" "$mirror" >"$work/$suite_of.log" 2>&1 || { tail "$work/$suite_of.log" >&2; exit 1; }
  cat >"$work/$suite_of/etc/apt/sources.list" <<LIST
deb $mirror $suite main
deb $mirror $suite-updates main
deb ${mirror%/debian}/debian-security $suite-security main
LIST
  { apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-)' || true; echo 'APT::Install-Recommends "false";'; } >"$work/$suite_of/etc/apt/apt.conf.d/90kiln"
  tar -C "$work/$suite_of" -cf "$work/$suite_of.tar.new" . && mv "$work/$suite_of.tar.new" "$work/$suite_of.tar"
  rm -rf "${work:?}/$suite_of"
}

# new_root NAME ARCHIVE: sets $root.
new_root() {
  root=$(mktemp -d "$work/$1.XXXXXX")
  roots+=("$root")
  # A mount of its own, where a test may make others.
  mount --bind "$root" "$root"
  mount --make-private "$root"
  tar -C "$root" -xf "$work/$2.tar"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir -p "$root/ccache" "$root/debs"
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mkdir -p "$root/dev/shm"
  mount --bind "$work/ccache" "$root/ccache"
}
# inside COMMAND…: in $root, with nothing of this machine's environment but proxies.
inside() {
  # shellcheck disable=SC2046
  env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/ccache \
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1 DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} parallel=$(nproc)" \
    $(env | grep -iE '^(https?_proxy|no_proxy)=' | tr '\n' ' ') chroot "$root" "$@"
}
quietly() { "$@" >"$root.log" 2>&1 || { tail -n 60 "$root.log" >&2; echo "failed: $*" >&2; exit 1; }; rm -f "$root.log"; }
install() { quietly inside apt-get install -y -q "$@"; }
# offer FOLDER: its packages are found by apt, before those of the archive.
offer() {
  rm -rf "$root/debs"
  mkdir "$root/debs"
  cp "$1"/*.deb "$root/debs/"
  cp "$1/Packages" "$root/debs/"
  echo "deb [trusted=yes] file:/debs ./" >"$root/etc/apt/sources.list.d/kiln.list"
  quietly inside apt-get update -q
}

# build FOLDER [VERSION]: the committed tree's packages, of another version where one is given.
build() {
  local into=$1 number=${2:-}
  new_root build "$suite"
  if [ -n "$other" ]; then inside dpkg --add-architecture "$arch"; fi
  quietly inside apt-get update -q
  install build-essential ccache fakeroot lintian ${other:+"crossbuild-essential-$arch"}
  mkdir "$root/build"
  git archive --prefix=build/kiln/ "$tree" | tar -x -C "$root"
  if [ -n "$number" ]; then
    scripts/version.py --root "$root/build/kiln" --write "$number" >/dev/null
    # Of its C functions none is newer.
    sed -i "s/ $version$/ $number/" "$root/build/kiln/debian/libkiln0.symbols"
  fi
  quietly inside apt-get build-dep -y -q ${other:+"-a$arch"} /build/kiln
  inside bash -c "cd /build/kiln && dpkg-buildpackage -us -uc ${other:+-a$arch}" >"$into/build.log" 2>&1 || { tail -n 60 "$into/build.log" >&2; echo "dpkg-buildpackage failed: $into/build.log" >&2; exit 1; }
  inside bash -c 'cd /build && dpkg-scanpackages --multiversion . >Packages' 2>/dev/null
  find "$into" -maxdepth 1 -type f ! -name build.log -delete
  find "$root/build" -maxdepth 1 -type f -exec cp {} "$into/" \;
  if [ -z "$number" ]; then
    say lintian
    inside bash -c 'cd /build && lintian --allow-root --fail-on error,warning *.changes'
  fi
}

# listed_tests: name|depends|restrictions of each in debian/tests/control, in the order there.
listed_tests() {
  awk -v RS= '{name = depends = restrictions = ""
    n = split($0, lines, "\n")
    for (i = 1; i <= n; ++i) {
      split(lines[i], f, ": ")
      if (f[1] == "Tests") name = f[2]
      if (f[1] == "Depends") { depends = f[2]; gsub(",", "", depends) }
      if (f[1] == "Restrictions") { restrictions = f[2]; gsub(",", "", restrictions) }
    }
    print name "|" depends "|" restrictions}' debian/tests/control
}
# fresh_root NAME DEBS: with the packages on offer, and the tests.
fresh_root() {
  new_root "$1" "$suite$other"
  offer "$2"
  mkdir "$root/source"
  git archive "$tree" debian | tar -x -C "$root/source"
}
run_test() { inside bash -c "cd /source && AUTOPKGTEST_TMP=\$(mktemp -d) debian/tests/$1" >"$out/test-$1.log" 2>&1; }
failed_test() { cat "$out/test-$1.log" >&2; echo "debian/tests/$1 failed" >&2; exit 1; }

# run_tests DEBS: as autopkgtest does. Counts them.
ran=0
run_tests() {
  local name depends restrictions status
  while IFS='|' read -r name depends restrictions; do
    case " $restrictions " in *" breaks-testbed "*) fresh_root tests "$1" ;; esac
    # shellcheck disable=SC2086
    install $depends
    status=0
    run_test "$name" || status=$?
    if [ "$status" -eq 77 ] && [[ " $restrictions " == *" skippable "* ]]; then echo "skipped $name: $(tail -n 1 "$out/test-$name.log")"; continue; fi
    if [ "$status" -ne 0 ]; then failed_test "$name"; fi
    ran=$((ran + 1))
    echo "passed $name"
  done < <(listed_tests)
}

# first_results DEBS: the time from a fresh root to a result of a formula of one's own, each way: packages are installed, a program is built and run.
first_results() {
  local name depends begin
  while IFS='|' read -r name depends _; do
    case $name in cpp-pkg-config | c-program | python | tool) ;; *) continue ;; esac
    fresh_root first "$1"
    begin=$(date +%s%N)
    # shellcheck disable=SC2086
    install $depends
    run_test "$name" || failed_test "$name"
    printf '%-16s %4d s\n' "$name" $((($(date +%s%N) - begin) / 1000000000))
  done < <(listed_tests)
}

upgrade_test() {
  fresh_root upgrade "$older"
  install libkiln-dev kiln python3-kiln libkiln-clang19 g++ gcc libc6-dev pkgconf
  inside bash -euc 'cd /source/debian/tests/programs && g++ -std=c++20 disc.cpp $(pkg-config --cflags --libs kiln) -o /root/disc && gcc disc.c $(pkg-config --cflags --libs kiln) -o /root/disc-c
    /root/disc && /root/disc-c && kiln --version'
  offer "$1"
  quietly inside apt-get dist-upgrade -y -q
  # Programs of the older version run. Its kernels are not those of this one, and are compiled again: the cache has both, whole.
  inside bash -euc '[ "$(kiln --version | head -n 1)" = "kiln '"$version"'" ]
    /root/disc && [ "$(/root/disc-c)" = "1 17 41" ] && kiln cache verify
    kernels() { kiln cache list --json | grep "\"id\"" | sort; }
    kernels >/root/warm && /root/disc >/dev/null && kernels | cmp - /root/warm && [ -s /root/warm ]'
  ran=$((ran + 1))
  echo "passed the upgrade from $older_version"
}

if [ -n "$other" ]; then run_foreign; fi
make_base "$here"
if [ -n "$other" ]; then make_base "$arch"; fi
if [ -z "$debs" ]; then say "packages of $suite for $arch"; build "$out"; debs=$out; fi
ls -l "$debs"/*.deb | awk '{printf "%10d %s\n", $5, $9}' | sed "s|$debs/||"
say "debian/tests on $suite"
fresh_root tests "$debs"
run_tests "$debs"
if [ -z "$other" ]; then
  say "from a fresh $suite to a first result"
  first_results "$debs"
fi
if [ "$upgrade" -eq 1 ]; then
  if [ -z "$older" ]; then say "packages of version $older_version, for the upgrade"; older=$out/older; mkdir -p "$older"; build "$older" "$older_version"; fi
  say "the upgrade"
  upgrade_test "$debs"
fi
printf '\n%s passed, 0 failed\n' "$ran"
