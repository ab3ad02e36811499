#!/usr/bin/env bash
# Builds libmtrace.dylib and mtrace for macOS, arm64 and x86_64 in one file each, on any machine, and checks the
# results. mtrace is there for each processor alone, too, in arm64/ and amd64/: a release's archive needs one. The
# library goes into programs of either. Usage: interpose/darwin/cross.sh [OUTDIR]     (OUTDIR: bin/darwin) zig from
# PyPI is the C cross-compiler; sdk/ holds stubs of the libraries that zig does not bring. Once zig is in .cache it
# works offline; without zig and without a network it says so and succeeds, having built nothing. MTRACE_RELEASE is
# what the tool says as its version; with it, the compiler also gets the profile that build.sh uses, which takes longer.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-bin/darwin}
zig_version=0.17.0
minimum=13.0 # macOS
# dyld applies the rules of the SDK that a library names. zig itself would name an SDK that is not released yet.
sdk_version=13.0
root=$PWD
here=interpose/darwin
sdk=$root/$here/sdk
cache=$root/.cache/zig
zig=$cache/$zig_version/ziglang/zig

say() { printf '%s\n' "$*" >&2; }

# The wheel is an archive whose files carry no mode: only zig itself must be made executable.
fetch_zig() {
  [ -x "$zig" ] && return 0
  local python=python3 partial=$cache/$zig_version.partial
  command -v $python >/dev/null || { say "cross: skipped: no python3, which fetches zig from PyPI"; return 1; }
  $python -m pip --version >/dev/null 2>&1 || {
    say "cross: skipped: python3 has no pip, which fetches zig from PyPI"
    return 1
  }
  rm -rf "$partial" && mkdir -p "$partial"
  say "fetching zig $zig_version from PyPI (once, 100 MB)"
  $python -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$partial" \
    "ziglang==$zig_version" >&2 || {
    say "cross: skipped: zig $zig_version is not in $cache and PyPI cannot be reached"
    return 1
  }
  $python -m zipfile -e "$partial"/ziglang-*.whl "$partial"
  rm -f "$partial"/ziglang-*.whl
  chmod +x "$partial/ziglang/zig"
  rm -rf "${cache:?}/$zig_version" && mv "$partial" "$cache/$zig_version"
}

# for_mac GOARCH COMMAND...: runs it with Go and C compilers set for macOS on that processor.
for_mac() {
  local arch=$1
  shift
  CGO_ENABLED=1 GOOS=darwin GOARCH=$arch CC="$root/$here/cc.sh $zig $(target "$arch")" CGO_CFLAGS="-O2 -g0" \
    CGO_LDFLAGS="-L$sdk/usr/lib -F$sdk/System/Library/Frameworks" "$@"
}

target() {
  case $1 in
    arm64) echo "aarch64-macos.$minimum" ;;
    amd64) echo "x86_64-macos.$minimum" ;;
  esac
}

# thin GOARCH: the library, the tool and the Metal programs it runs, for one processor.
thin() {
  local arch=$1 cc
  say "building for darwin/$arch"
  for_mac "$arch" go build -trimpath -buildmode=c-shared \
    -ldflags="-w -extldflags=-Wl,-install_name,@rpath/libmtrace.dylib" -o "$work/libmtrace.$arch" ./interpose
  CGO_ENABLED=0 GOOS=darwin GOARCH=$arch go build -trimpath ${MTRACE_RELEASE:+-pgo=cmd/mtrace/mtrace.pgo} \
    -ldflags="-s -w${MTRACE_RELEASE:+ -X main.release=$MTRACE_RELEASE}" -o "$work/mtrace.$arch" ./cmd/mtrace
  cc=("$zig" cc -target "$(target "$arch")" -std=gnu11 -O2 -g0 -s -fno-omit-frame-pointer -Wall -Wextra -Werror)
  "${cc[@]}" -o "$work/mtrace-selftest.$arch" interpose/selftest/selftest.c
  "${cc[@]}" -o "$work/rawmetal.$arch" fixtures/rawmetal/*.c -L"$sdk/usr/lib" -F"$sdk/System/Library/Frameworks" \
    -lobjc -framework Metal -framework CoreGraphics
}

# signed IDENTIFIER OUTPUT THIN...: a signed file of the thin ones, universal where they are two.
signed() { "$work/universal" -minimum "$minimum" -sdk "$sdk_version" "$@"; }

# join FILE IDENTIFIER: one universal, signed file of the two thin ones.
join() { signed "$2" "$out/$1" "$work/${1%.dylib}.arm64" "$work/${1%.dylib}.amd64"; }

# vet runs go vet on the code that only a Mac compiles, tests included. It uses the flag with which the packages were
# built: otherwise Go would compile all of them again. Only interpose has C, and files for a single processor.
vet() {
  say "vetting for darwin"
  CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet -trimpath ./...
  for_mac arm64 go vet -trimpath ./interpose
  for_mac amd64 go vet -trimpath ./interpose
}

# both COMMAND: runs it for the two processors at once, and fails when one fails.
both() {
  local arm amd failed=0
  "$1" arm64 & arm=$!
  "$1" amd64 & amd=$!
  wait $arm || failed=1
  wait $amd || failed=1
  return $failed
}

fetch_zig || exit 0
export ZIG_GLOBAL_CACHE_DIR=$cache/global ZIG_LOCAL_CACHE_DIR=$cache/local
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/arm64" "$out/amd64"
go build -o "$work/universal" ./$here/universal
both thin
join libmtrace.dylib libmtrace
join mtrace mtrace
signed mtrace "$out/arm64/mtrace" "$work/mtrace.arm64"
signed mtrace "$out/amd64/mtrace" "$work/mtrace.amd64"
join mtrace-selftest mtrace-selftest
join rawmetal mtrace-rawmetal
vet
MTRACE_DARWIN=$(cd "$out" && pwd) go test -count=1 ./$here/...
ls -l "$out" >&2
