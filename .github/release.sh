#!/usr/bin/env bash
# Packs what ./build.sh build and ./build.sh cross have made, for a release: an archive for Linux and one for macOS, SHA256SUMS,
# and the Homebrew formula with the macOS archive's checksum. Equal files and tag give equal archives. One of 15 MB or more is refused.
# Usage: .github/release.sh vX.Y.Z OUTDIR HOMEPAGE
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 3 ] || { echo "usage: $0 vX.Y.Z OUTDIR HOMEPAGE" >&2; exit 2; }
tag=$1 out=$2 homepage=$3
case $tag in
  v[0-9]*.[0-9]*.[0-9]*) version=${tag#v} ;;
  *) echo "release: $tag is not of the form vX.Y.Z" >&2; exit 2 ;;
esac
die() { echo "release: $*" >&2; exit 1; }
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
moment=@$(git log -1 --format=%ct)

# pack NAME FOLDER FILE...: NAME.tar.xz with FILEs of FOLDER, README, LICENSE, the pages for man, the kernels of mtrace bench and the
# header of marks under NAME/.
pack() {
  local name=$1 folder=$2 file
  shift 2
  mkdir "$stage/$name"
  for file in "$@"; do
    [ -e "$folder/$file" ] || die "$folder/$file is not built: run ./build.sh build and ./build.sh cross"
    cp -RL "$folder/$file" "$stage/$name/$file"
  done
  rm -rf "$stage/$name/softmetal/obj" "$stage/$name/softmetal/.lock"
  cp -R README.md LICENSE docs/man shaders interpose/marks.h "$stage/$name/"
  tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$moment" -cf - "$name" | xz -9 -T1 > "$out/$name.tar.xz"
  local bytes
  bytes=$(wc -c < "$out/$name.tar.xz")
  [ "$bytes" -lt 15000000 ] || die "$name.tar.xz has $bytes bytes: more than the 15 MB that are wanted"
}

linux=mtrace-$version-linux-$(go env GOARCH)
darwin=mtrace-$version-darwin-universal
pack "$linux" bin mtrace libmtrace.so mtrace-selftest rawmetal softmetal
pack "$darwin" bin/darwin mtrace libmtrace.dylib mtrace-selftest rawmetal
(cd "$out" && sha256sum ./*.tar.xz | sed 's|\./||' > SHA256SUMS)
checksum=$(sed -n "s/ .*$darwin.tar.xz\$//p" "$out/SHA256SUMS")
sed -e "s|@VERSION@|$version|g" -e "s|@HOMEPAGE@|$homepage|g" -e "s|@SHA256@|$checksum|g" .github/mtrace.rb.in > "$out/mtrace.rb"
cat "$out/SHA256SUMS"
