#!/usr/bin/env bash
# The C compiler as Go calls it: zig, without the arguments that would defeat its cache. zig caches its results by the
# text and the arguments. Go gives each run another folder, prefix and seed, so zig would compile each file anew, for go
# build and again for go vet. The files of this repository need none of these arguments, nor the debugging information
# that Go requests, which is not linked. Usage: cc.sh ZIG TARGET ARGUMENT...
set -euo pipefail
zig=$1 target=$2
shift 2
# Go asks which compiler this is; zig would compile its standard input into a file.
if [ "${1-}" = "-###" ]; then
  echo "zig version $("$zig" version) for $target" >&2
  exit
fi
case ${*: -1} in
  /* | *_cgo_export.c | *.cgo2.c | -) exec "$zig" cc -target "$target" "$@" ;;
esac
kept=()
while [ $# -gt 0 ]; do
  case $1 in
    -ffile-prefix-map=* | -fdebug-prefix-map=* | -frandom-seed=* | -g) ;;
    -I) case $2 in */go-build*) ;; *) kept+=(-I "$2") ;; esac; shift ;;
    *) kept+=("$1") ;;
  esac
  shift
done
exec "$zig" cc -target "$target" "${kept[@]}"
