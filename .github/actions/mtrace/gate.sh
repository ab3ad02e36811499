#!/usr/bin/env bash
# Records both sides of a change alternately, so that other load on the machine affects both, compares them, and checks
# claims. Its inputs are the variables of action.yml. Exit status: 0 (passed), 1 (failed) or 2 (undecided, which fails
# the step too).
set -euo pipefail

markdown=${RUNNER_TEMP:?}/mtrace-gate.md
: >"$markdown"
worst=0

finish() {
  local words=(pass fail undecided)
  echo "outcome=${words[$worst]}" >>"${GITHUB_OUTPUT:-/dev/null}"
  echo "markdown=$markdown" >>"${GITHUB_OUTPUT:-/dev/null}"
  cat "$markdown" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  exit "$worst"
}

# undecided TEXT: reports TEXT and ends the gate as undecided.
undecided() {
  echo "::error title=mtrace gate::$1"
  printf '### mtrace gate: UNDECIDED\n\n%s\n' "$1" >>"$markdown"
  worst=2
  finish
}

# judge NAME COMMAND ARG...: adds a decision; undecided outranks failed.
judge() {
  local name=$1 status=0
  shift
  if [ -n "$GATE_JUNIT" ]; then
    set -- "$@" --force --junit "$GATE_JUNIT/$name.xml"
  fi
  "$@" --markdown --github >>"$markdown" || status=$?
  [ "$status" -le 2 ] || status=2
  [ "$status" -le "$worst" ] || worst=$status
  echo >>"$markdown"
}

# record FOLDER TRACE: records the command in FOLDER.
record() {
  local status=0
  (cd "$1" && "$mtrace" run --no-report --keep-empty=false -o "$2" -- sh -c "$GATE_COMMAND") || status=$?
  [ "$status" = 0 ] || undecided "the command ended with status $status in $1"
  [ -e "$2" ] ||
    undecided "the command made no Metal call in $1, or could not be traced: mtrace doctor -- COMMAND says why"
}

mtrace=$(command -v "$GATE_MTRACE") ||
  undecided "$GATE_MTRACE is not there: install mtrace on this runner, or give the input mtrace"
case $mtrace in
  /*) ;;
  *) mtrace=$PWD/$mtrace ;;
esac
mkdir -p "$GATE_BEFORE" "$GATE_AFTER" ${GATE_JUNIT:+"$GATE_JUNIT"}
before=$(cd "$GATE_BEFORE" && pwd) after=$(cd "$GATE_AFTER" && pwd)

if [ -n "$GATE_COMMAND" ]; then
  [ -d "$GATE_BASE" ] ||
    undecided "the input base is the folder of the base branch's checkout, and ${GATE_BASE:-nothing} is none"
  [[ $GATE_RUNS =~ ^[1-9][0-9]{0,2}$ ]] || undecided "the input runs is a number from 1 to 999, not $GATE_RUNS"
  for ((run = 1; run <= GATE_RUNS; run++)); do
    record "$GATE_BASE" "$before/$run.mtrace"
    record . "$after/$run.mtrace"
  done
fi

for side in "$before" "$after"; do
  [ -n "$(ls -A "$side")" ] || undecided "no traces are in $side"
done
judge diff "$mtrace" diff --fail-over "$GATE_FAIL_OVER" "$before" "$after"
if [ -n "$GATE_CLAIMS" ]; then
  for trace in "$after"/*.mtrace; do
    judge "check-$(basename "$trace" .mtrace)" "$mtrace" check "$trace" --claims "$GATE_CLAIMS"
  done
fi
finish
