# Shared by tests of changed calls. Sourced; sources generated.sh.
. "$(dirname "$0")/generated.sh"
export PYTHONDONTWRITEBYTECODE=1

need_yaml() {
  if ! python3 -c 'import yaml' 2>/dev/null; then
    echo "skipped: no python3 with yaml (Debian: python3-yaml)"
    exit 77
  fi
}

# judge NAME MANIFEST.yaml...: runs $work/NAME, which is bind_changes.c, then another program's judgement of it.
judge() {
  local name=$1
  shift
  "$work/$name" >"$work/$name.tsv" || fail "$name: a bind contradicts itself"
  need_yaml
  python3 "$SOURCE_DIR/tests/oracle/judge.py" "$work/$name.tsv" "$@" || fail "$name"
}
