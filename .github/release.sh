#!/usr/bin/env bash
# Packs the files that ./build.sh release has built: an archive for each of four platforms with its bill of materials,
# Python wheels for the platforms that have the library, SHA256SUMS, and the Homebrew formula with the checksums of the
# archives for macOS. Equal files and an equal tag give equal archives. An archive of 15 MB or more is refused.
# An archive's tool is for one processor. Its library for macOS is for both processors, because it is loaded into
# programs, and Rosetta runs programs for the other processor. On Linux there is only the software Metal, which is built
# on the machine where it runs: the archive for the other processor holds the tool alone, to read and collect traces.
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

# pack PLATFORM PATH...: makes the platform's archive of the files and folders, README, LICENSE, the man pages, the
# kernels of mtrace bench and the header for marks, all under one folder with the archive's name.
pack() {
  local name=mtrace-$version-$1 path
  shift
  mkdir "$stage/$name"
  for path in "$@"; do
    [ -e "$path" ] || die "$path is not built: run ./build.sh release"
    cp -RL "$path" "$stage/$name/${path##*/}"
  done
  rm -rf "$stage/$name/softmetal/obj" "$stage/$name/softmetal/.lock"
  cp -R README.md LICENSE docs/man shaders interpose/marks.h "$stage/$name/"
  tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$moment" -cf - "$name" |
    xz -9 -T1 > "$out/$name.tar.xz"
  local bytes
  bytes=$(wc -c < "$out/$name.tar.xz")
  [ "$bytes" -lt 15000000 ] || die "$name.tar.xz has $bytes bytes: more than the 15 MB that are wanted"
  local bill=bin/sbom/${name#"mtrace-$version-"}.cdx.json
  [ -e "$bill" ] || die "$bill is not made: run ./build.sh release"
  cp "$bill" "$out/$name.cdx.json"
  if compgen -G "$stage/$name/libmtrace.*" >/dev/null; then
    python3 cmd/python/pack.py "$stage/$name" "$out" "$version" >/dev/null
  fi
}

# sum PLATFORM: prints the checksum of the platform's archive.
sum() { sed -n "s/ .*-$1\.tar\.xz\$//p" "$out/SHA256SUMS"; }

here=$(go env GOARCH) other=arm64
[ "$here" = amd64 ] || other=amd64
pack "linux-$here" bin/mtrace bin/libmtrace.so bin/mtrace-selftest bin/rawmetal bin/softmetal
pack "linux-$other" "bin/linux-$other/mtrace"
for processor in arm64 amd64; do
  pack "darwin-$processor" "bin/darwin/$processor/mtrace" bin/darwin/libmtrace.dylib bin/darwin/mtrace-selftest \
    bin/darwin/rawmetal
done
(cd "$out" && sha256sum ./*.tar.xz ./*.cdx.json ./*.whl | sed 's|\./||' > SHA256SUMS)
sed -e "s|@VERSION@|$version|g" -e "s|@HOMEPAGE@|$homepage|g" -e "s|@ARM64@|$(sum darwin-arm64)|g" \
  -e "s|@AMD64@|$(sum darwin-amd64)|g" \
  .github/mtrace.rb.in > "$out/mtrace.rb"
(cd "$out" && wc -c -- *.tar.xz *.whl) >&2
cat "$out/SHA256SUMS"
