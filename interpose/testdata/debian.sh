#!/bin/sh
# Puts into a folder what this Debian does not have, from the packages of its next release, with the C library that goes with it:
#
#   interpose/testdata/debian.sh python3.14 /tmp/python && PATH=/tmp/python/bin:$PATH go test ./interpose -run Python
#   interpose/testdata/debian.sh dispatch /tmp/dispatch && MTRACE_TEST_DISPATCH=/tmp/dispatch go test ./interpose -run Queues
#
# Rule: nothing is installed, and apt's own lists stay as they are. Needs apt-get, dpkg and a network.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 python3.14|dispatch FOLDER" >&2; exit 2; }
what=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# packages FOLDER NAME...: unpacks packages of the next release.
packages() {
  folder=$1
  shift
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/deb"
  : >"$work/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$work/sources.list"
  cat >"$work/apt.conf" <<EOF
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
EOF
  APT_CONFIG="$work/apt.conf" apt-get update -qq
  (cd "$work/deb" && APT_CONFIG="$work/apt.conf" apt-get download -qq "$@")
  for package in "$work"/deb/*.deb; do dpkg -x "$package" "$folder"; done
}

case $what in
  python3.*)
    packages "$out" "$what" "$what-minimal" "lib$what-stdlib" "lib$what-minimal" "lib$what-dev" \
      libc6 libgcc-s1 zlib1g libexpat1 libffi8 libssl3t64 liblzma5 libbz2-1.0 libuuid1 libzstd1
    mkdir -p "$work/tools" "$out/bin"
    (cd "$work/tools" && apt-get download -qq patchelf && dpkg -x patchelf_*.deb .)
    libraries=$(dirname "$(find "$out/usr/lib" -name 'ld-linux-*.so.*' | head -1)")
    program="$out/usr/bin/$what"
    "$work/tools/usr/bin/patchelf" --set-interpreter "$(echo "$libraries"/ld-linux-*.so.*)" --force-rpath --set-rpath "$libraries" "$program"
    ln -sf "$program" "$out/bin/$what"
    "$out/bin/$what" -c 'import ctypes, sys; print(sys.version)'
    ;;
  dispatch)
    packages "$work/root" libswiftlang libc6 libgcc-s1 libstdc++6
    libraries=$(dirname "$(find "$work/root/usr/lib" -name 'ld-linux-*.so.*' | head -1)")
    cp -a "$libraries"/*.so* "$out"
    find "$work/root" \( -name libdispatch.so -o -name libBlocksRuntime.so \) -exec cp {} "$out" \;
    ls "$out"/libdispatch.so
    ;;
  *)
    echo "$0: $what is not known: python3.14 or dispatch" >&2
    exit 2
    ;;
esac
