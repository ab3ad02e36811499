#!/bin/sh
# Puts a CPython that this Debian does not have into a folder, from the packages of Debian's next release, with the C library they need:
#
#   interpose/testdata/python_debian.sh 3.14 /tmp/python3.14 && PATH=/tmp/python3.14/bin:$PATH go test ./interpose -run Python
#
# Rule: nothing is installed, and apt's own lists stay as they are. Needs apt-get, dpkg, a network and patchelf, which is fetched too.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 VERSION FOLDER" >&2; exit 2; }
version=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/deb" "$work/tools"
: >"$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$work/sources.list"
cat >"$work/apt.conf" <<EOF
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
EOF
(cd "$work/tools" && apt-get download -qq patchelf && dpkg -x patchelf_*.deb .)
export APT_CONFIG="$work/apt.conf"
apt-get update -qq
cd "$work/deb"
apt-get download -qq "python$version" "python$version-minimal" "libpython$version-stdlib" "libpython$version-minimal" "libpython$version-dev" \
  libc6 libgcc-s1 zlib1g libexpat1 libffi8 libssl3t64 liblzma5 libbz2-1.0 libuuid1 libzstd1
for package in *.deb; do dpkg -x "$package" "$out"; done
libraries=$(dirname "$(find "$out/usr/lib" -name 'ld-linux-*.so.*' | head -1)")
program="$out/usr/bin/python$version"
"$work/tools/usr/bin/patchelf" --set-interpreter "$(echo "$libraries"/ld-linux-*.so.*)" --force-rpath --set-rpath "$libraries" "$program"
mkdir -p "$out/bin"
ln -sf "$program" "$out/bin/python$version"
"$out/bin/python$version" -c 'import ctypes, sys; print(sys.version)'
