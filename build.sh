#!/usr/bin/env bash
# Builds and tests mtrace. Targets: build (default), packages, demo, test, again, cross, release, bench, overhead,
# scenarios, structures, lab, torture, soak, wheel, clean. Works from a clean clone, twice in a row, and offline once
# Go's modules and the system's packages are installed.
set -euo pipefail
cd "$(dirname "$0")"
system=$(uname -s)

# Linker flags of the tool. A release adds its version; any other build reports its commit.
tool_flags="-s -w"
# A profile of mtrace report --html, with which the compiler optimises mtrace: it saves a tenth of the processor time.
# After large changes: go run ./fixtures/stages --runs 10 --merge cmd/mtrace/mtrace.pgo -- bin/mtrace report --html FILE
tool_profile=cmd/mtrace/mtrace.pgo

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }

# Packages that the C parts need on Debian and Ubuntu: the compilers, Objective-C with GNUstep's Foundation, blocks,
# make, and Python for the workload.
packages=(gcc g++ make gobjc libgnustep-base-dev libblocksruntime-dev python3)

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
  done
}

need_linux() {
  command -v dpkg-query >/dev/null || {
    command -v gcc >/dev/null && command -v gnustep-config >/dev/null ||
      die "this system is neither Debian nor Ubuntu: install by hand gcc and g++ with Objective-C, GNUstep base," \
        "the blocks runtime and python3 (Debian's packages: ${packages[*]})"
    return 0
  }
  local missing sudo=()
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null ||
      die "packages are missing and this user may not install them; run: sudo apt-get install -y $missing"
    sudo=(sudo -n)
  fi
  say "installing $missing"
  # A machine with old or absent package lists needs an update first; one without a network may have the packages.
  local install=(${sudo[@]+"${sudo[@]}"} env DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq -o DPkg::Lock::Timeout=120)
  # shellcheck disable=SC2086
  "${install[@]}" $missing >/dev/null 2>&1 || {
    ${sudo[@]+"${sudo[@]}"} apt-get update -qq >/dev/null 2>&1 || true
    # shellcheck disable=SC2086
    "${install[@]}" $missing >/dev/null
  } || die "apt-get could not install: $missing"
}

need() {
  command -v go >/dev/null || die "Go is not installed: see https://go.dev/dl (go.mod names the version)"
  case $system in
    Linux) need_linux ;;
    Darwin) xcode-select -p >/dev/null 2>&1 ||
      die "the Xcode command line tools are missing; run: xcode-select --install" ;;
    *) die "$system is neither macOS nor Linux" ;;
  esac
}

# Prints a hash of everything from which the library is built: its sources, the compilers and the commit that it names.
library_state() {
  { go version
    go env CC CGO_CFLAGS CGO_LDFLAGS GOFLAGS GOARCH
    ${CC:-cc} --version
    git rev-parse HEAD && git status --porcelain | wc -l
    printf '%s\n' "$@"
    find go.mod go.sum interpose -type f ! -name '*_test.go' ! -path '*/testdata/*' -exec cksum {} + | sort
  } 2>/dev/null | cksum
}

# library PATH FLAGS: builds the library if what it is built from has changed. The go command compiles the C half anew
# for each build with -buildmode=c-shared, which takes 25 seconds of processor time.
library() {
  local path=$1 state
  shift
  state=$(library_state "$@")
  [ ! -s "$path" ] || [ "$state" != "$(cat bin/.library 2>/dev/null)" ] || return 0
  rm -f bin/.library
  CGO_ENABLED=1 go build "$@" -buildmode=c-shared -o "$path" ./interpose
  [ "$system" != Darwin ] || go run ./interpose/darwin/universal libmtrace "$path" "$path"
  rm -f bin/libmtrace.h
  printf '%s\n' "$state" >bin/.library
}

build() {
  need
  # Also downloads the tests' modules, so that the tests run without a network after a build.
  go mod download || say "some of Go's modules are missing and cannot be downloaded: tests may not build"
  mkdir -p bin
  local library=bin/libmtrace.so strip=-s
  # On a Mac the step that makes the library universal needs one symbol, so not all are stripped.
  [ "$system" = Darwin ] && library=bin/libmtrace.dylib strip=-w
  CGO_ENABLED=0 go build -trimpath -pgo="$tool_profile" -ldflags="$tool_flags" -o bin/mtrace ./cmd/mtrace
  library "$library" -trimpath -ldflags=$strip
  ${CC:-cc} -O2 -fno-omit-frame-pointer -Wall -Wextra -Werror -o bin/mtrace-selftest interpose/selftest/selftest.c \
    -ldl -lpthread
  fixtures/rawmetal/build.sh bin
  [ "$system" = Linux ] && fixtures/softmetal/build.sh bin/softmetal
  return 0
}

demo() {
  build
  rm -rf demo && mkdir -p demo
  local mode python=python3 workload=(fixtures/workload.py --op matmul --size 64 --dtype float32 --threads 8 --iters 60)
  for mode in event device; do
    say ""
    say "== 8 threads, $mode synchronisation: mtrace run -- python3 ${workload[*]} --sync-mode $mode"
    bin/mtrace run -o "demo/$mode.mtrace" -- "$python" "${workload[@]}" --sync-mode "$mode"
  done
  mv demo/device.mtrace demo/demo.mtrace
  bin/mtrace report --html demo/report.html demo/demo.mtrace
  bin/mtrace pprof demo/demo.mtrace -o demo
  local profile
  for profile in demo/*.pb.gz; do
    go tool pprof -top "$profile" >/dev/null || die "go tool pprof cannot read $profile"
  done
  say ""
  say "left in demo/: $(cd demo && ls | tr '\n' ' ')"
  say "try: bin/mtrace report demo/demo.mtrace; go tool pprof -top demo/wait.pb.gz; open demo/report.html in a browser"
}

# Makes one archive for measurements on another machine, such as one with many processors: fixtures/lab/README.md.
lab() {
  [ "$system" = Linux ] || die "the lab's archive is made on Linux"
  build
  local sources=interpose/testdata
  mkdir -p bin/lab
  gcc -O2 -std=gnu11 -w -fPIC -shared -Wl,-soname,libshapes.so -o bin/lab/libshapes.so $sources/shapes.m \
    -lobjc -lBlocksRuntime
  gcc -O2 -std=gnu11 -w -fobjc-exceptions -rdynamic -o bin/lab/client $sources/client.m bin/lab/libshapes.so \
    -Wl,-rpath,'$ORIGIN' -lobjc -lpthread
  gcc -O1 -std=gnu11 -w -pthread -isystem /usr/include/GNUstep -fconstant-string-class=NSConstantString -DGNUSTEP \
    -DGNUSTEP_BASE_LIBRARY=1 -DGNU_RUNTIME=1 -fexceptions -fobjc-exceptions -D_NATIVE_OBJC_EXCEPTIONS \
    -x objective-c fixtures/softmetal/testdata/*.m fixtures/softmetal/testdata/shaders/shaders.m \
    -o bin/lab/softmetal-client -Lbin/softmetal -lsoftmetal -lgnustep-base -lobjc -lm -Wl,-rpath,'$ORIGIN/softmetal'
  fixtures/scenarios/programs/build.sh bin/lab
  CGO_ENABLED=0 go build -o bin/lab/matrix ./fixtures/scenarios/matrix
  CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o bin/lab/experiments ./fixtures/scenarios/experiments
  fixtures/structures/program/build.sh bin/lab
  CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o bin/lab/structures ./fixtures/structures
  local version
  version=$(sed -n 's/^const TinygradVersion = "\(.*\)".*/\1/p' fixtures/softmetal/tinygrad.go)
  [ -d bin/lab/site ] ||
    python3 -m pip install --quiet --no-deps --no-compile --target bin/lab/site "tinygrad==$version" ||
    say "no tinygrad: the lab's part f is left out"
  # The reference results are tinygrad's own, computed here so that the GPU machine spends no time on them.
  local script=fixtures/softmetal/testdata/tinygrad
  [ -s bin/lab/tinygrad.txt ] || [ ! -d bin/lab/site ] ||
    { DEV=PYTHON TRAINING=1 PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=bin/lab/cache \
        PYTHONPATH=$script/platform:bin/lab/site python3 $script/script.py >bin/lab/tinygrad.new &&
      mv bin/lab/tinygrad.new bin/lab/tinygrad.txt; } ||
    say "tinygrad has no reference"
  local more=() # ggml's own test, for any machine of the last ten years
  if [ -n "${SOFTMETAL_GGML:-}" ]; then
    MARCH=x86-64-v3 fixtures/softmetal/testdata/ggml/build.sh "$SOFTMETAL_GGML" "$PWD/bin/softmetal" \
      "$PWD/bin/lab/ggml" && more=(bin/lab/ggml/test-backend-ops) ||
      say "ggml does not build: the lab's part g is left out"
  fi
  fixtures/lab/pack.sh bin/lab.tar.gz "${more[@]}" bin/lab/client bin/lab/libshapes.so bin/lab/softmetal-client \
    bin/lab/scenario bin/lab/matrix bin/lab/experiments bin/lab/structure bin/lab/structures
  say "made bin/lab.tar.gz; there: tar xzf lab.tar.gz &&" \
    "lab/fixtures/lab/enter.sh python3 lab/fixtures/lab/visit.py --out visit.json (fixtures/lab/README.md)"
}

# Builds a release and its archives: .github/release.sh. bin/linux-* has the tool for Linux on the other processor.
release() {
  [ "$system" = Linux ] || die "a release is made on Linux, where everything is cross-built"
  [ $# = 3 ] || die "usage: ./build.sh release vX.Y.Z OUTDIR HOMEPAGE"
  local here other=arm64
  export MTRACE_RELEASE=$1
  tool_flags+=" -X main.release=$1"
  build
  here=$(go env GOARCH)
  [ "$here" = amd64 ] || other=amd64
  CGO_ENABLED=0 GOARCH=$other go build -trimpath -pgo="$tool_profile" -ldflags="$tool_flags" \
    -o "bin/linux-$other/mtrace" ./cmd/mtrace
  interpose/darwin/cross.sh bin/darwin
  rm -rf bin/sbom && mkdir -p bin/sbom
  bill "$1" bin/mtrace "linux-$here"
  bill "$1" "bin/linux-$other/mtrace" "linux-$other"
  bill "$1" bin/darwin/arm64/mtrace darwin-arm64
  bill "$1" bin/darwin/amd64/mtrace darwin-amd64
  .github/release.sh "$@"
}

# bill VERSION PROGRAM PLATFORM: the bill of materials of a release's tool.
bill() {
  (cd cmd/sbom && go run . "$1" "$OLDPWD/$2" "$OLDPWD/bin/sbom/$3.cdx.json")
}

# Builds the Python package for this machine's system: docs/python.md.
wheel() {
  [ -z "${1:-}" ] || tool_flags+=" -X main.release=v${1#v}"
  build
  python3 cmd/python/pack.py bin dist "${1:-0.0.0}"
}

# Removes -trimpath from Go's flags: tests and benchmarks find sources by the paths that they were compiled from.
keep_paths() {
  GOFLAGS=" $(go env GOFLAGS | tr ' ' '\n' | { grep -vxE -- '--?trimpath(=true)?' || true; } | tr '\n' ' ')"
  export GOFLAGS
}

# The packages whose tests take longest. They start first: the run would end with one package alone on the machine if
# a long one started late.
longest=(./cmd/mtrace ./cmd/python ./interpose ./fixtures/softmetal ./interpose/mac ./analyze/page ./analyze/report)

# The file with the tests that failed in the last run.
failed=${FAILED:-.cache/failed}

# tests FLAGS: runs the tests. The last lines report how many passed and failed, and which were skipped, with the
# reason. On a busy machine a package may take longer than go test's ten minutes.
tests() {
  build
  keep_paths
  mkdir -p .cache
  go build -o .cache/testreport ./cmd/testreport
  rm -f "$failed"
  go test -json -timeout 40m "$@" "${longest[@]}" ./... | .cache/testreport -failed "$failed"
}

# again FLAGS: runs each test that failed in the last run alone and ten times. A failure by chance is a bug too, and is
# reported.
again() {
  keep_paths
  [ -s "$failed" ] || die "there is nothing to run again: no test failed, or more than chance explains"
  local package pattern
  while read -r package pattern; do
    say "again, ten times: $package $pattern"
    go test "$@" -timeout 40m -count 10 -run "$pattern" "$package" </dev/null || die "$package $pattern fails again"
  done <"$failed"
  say "UNSTEADY: these failed once and then passed ten times; find out why:"
  cat "$failed" >&2
}

case ${1:-build} in
  build) build ;;
  packages) need ;;
  demo) demo ;;
  test) shift; tests "$@" ;;
  again) shift; again "$@" ;;
  cross) need; shift; interpose/darwin/cross.sh "${1:-bin/darwin}" ;;
  release) shift; release "$@" ;;
  bench) build; keep_paths; shift
    bin/mtrace bench all $([ "$system" = Darwin ] || echo --quick) --claims fixtures/claims/field-reports.json
    [ "$system" = Darwin ] || { fixtures/benchmarks/peers.sh .cache/peers; go run ./fixtures/benchmarks "$@"; } ;;
  overhead) [ "$system" = Linux ] || die "overhead is measured on Linux; here: bin/mtrace bench overhead"
    need; keep_paths
    go test -run xxx -bench 'Benchmark(Call|CommandBuffer|Commit|Lock|Stack|Memory)$' -benchtime 1x ./interpose
    go test -run xxx -bench 'BenchmarkWhole' -benchtime 1x ./cmd/mtrace ;;
  lab) lab ;;
  scenarios) build; shift; fixtures/scenarios/programs/build.sh bin
    [ $# -gt 0 ] || set -- --seeds "${SEEDS:-20}" --what-if
    go run ./fixtures/scenarios/matrix "$@" ;;
  structures) [ "$system" = Linux ] || die "drawn programs need the software Metal, which is for Linux"
    build; shift; fixtures/structures/program/build.sh bin; go run ./fixtures/structures exam "$@" ;;
  torture) [ "$system" = Linux ] || die "the torture needs the software Metal, which is for Linux"
    build; shift; fixtures/torture/program/build.sh bin; go run ./fixtures/torture "$@" ;;
  wheel) shift; wheel "$@" ;;
  soak) need; keep_paths; MTRACE_SOAK="${2:-10m}" go test -timeout 0 -count 1 -v -run 'TestSoak$' ./cmd/mtrace ;;
  clean) rm -rf bin demo dist .cache ;;
  -h|--help|help) sed -n '2,4s/^# //p' "$0" ;;
  *) die "no target '$1': build, packages, demo, test, again, cross, release, bench, overhead, scenarios, structures," \
    "lab, torture, soak, wheel or clean" ;;
esac
