# Shared by the command-line tests: a scratch folder, counters, and assertions that say what they saw.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# expect NAME STATUS LINES PATTERN COMMAND...: the exit status, at most LINES lines of output in all, and a
# pattern (extended, on one line of it).
expect() {
  local name=$1 status=$2 lines=$3 pattern=$4 got
  shift 4
  "$@" >"$scratch/out" 2>&1 </dev/null
  got=$?
  [ "$got" -eq "$status" ] || fail "$name: exit status $got, not $status: $(head -3 "$scratch/out")"
  [ "$(wc -l <"$scratch/out")" -le "$lines" ] || fail "$name: more than $lines lines: $(head -5 "$scratch/out")"
  grep -Eq -- "$pattern" "$scratch/out" || fail "$name: no line like '$pattern': $(head -3 "$scratch/out")"
}

finish() {
  if [ "$failures" -ne 0 ]; then
    echo "$failures failed"
    exit 1
  fi
  echo "all passed"
}

# A python3 that has the modules named, printed; else the test is skipped and says what it lacks.
python_with() {
  local python modules
  modules=$(printf 'import %s;' "$@")
  for python in python3 /usr/bin/python3; do
    "$python" -c "$modules" 2>/dev/null && echo "$python" && return
  done
  echo "SKIP: no python3 with $* (Debian: $(printf 'python3-%s ' "$@"))" >&2
  exit 77
}
