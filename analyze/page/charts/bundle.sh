#!/usr/bin/env bash
# bundle.sh [FOLDER]: makes uplot.js and uplot.css, which the report's page has in it, of the version of uPlot that
# package-lock.json names, and puts them into FOLDER, by default this one. It needs npm and its registry; building
# mtrace needs neither.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:-$here}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/package-lock.json" "$work/"
cd "$work"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
library=node_modules/uplot
# The licence stays with each file. It has no end of a comment in it.
licensed() {
  printf '/*\nuPlot, https://github.com/leeoniya/uPlot\n\n'
  tr -d '\r' <"$library/LICENSE"
  printf '\n*/\n'
  tr -d '\r' <"$library/dist/$1"
  printf '\n'
}
licensed uPlot.iife.min.js >"$out/uplot.js"
licensed uPlot.min.css >"$out/uplot.css"
