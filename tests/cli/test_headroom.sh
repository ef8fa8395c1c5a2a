#!/usr/bin/env bash
# `roofline headroom` as a program: profiles found by themselves, exit statuses, nothing half-written.
# What the report says is tests/unit/test_headroom_cli.c's subject.
set -eu

answers=$SHARED_DIR/expected/headroom
if [ ! -r "$answers/profile_topN.json" ]; then
  echo "skipped: no $answers"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAIL: $1"
  exit 1
}
# status WANT COMMAND...
status() {
  local want=$1 got=0
  shift
  "$@" >"$work/stdout" 2>"$work/stderr" || got=$?
  [ "$got" = "$want" ] || fail "exit status $got, not $want: $*"
}
run=("$ROOFLINE" headroom --top-n "$answers/profile_topN.json" --env "$answers/env_report.json"
  --model "$answers/config.json")

status 0 "${run[@]}" -o "$work/out"
grep -q '"ranking_by_expected_gain": \["kernel_paged_attention_2d", "fused_moe_kernel", ' \
  "$work/out/profile_roofline.json" || fail "attention does not lead by expected gain"
grep -q '"ranking_by_pct": \["fused_moe_kernel", "kernel_paged_attention_2d", ' \
  "$work/out/profile_roofline.json" || fail "the fused moe does not lead by GPU time"
grep -q '^| fused_moe_kernel | 26.45 |' "$work/out/profile_roofline.md" || fail "no table row for the fused moe"
[ "$(ls "$work/out" | wc -l)" = 2 ] || fail "more than the two files"

# The same bytes in a locale with a decimal comma, and from a relative path.
cp -r "$work/out" "$work/first"
(cd "$work" && LC_ALL=de_DE.UTF-8 status 0 "${run[@]}" -o out)
diff -r "$work/first" "$work/out" || fail "the report changed"

# Broken inputs are advice lost, not a failed run.
status 0 "$ROOFLINE" headroom --top-n /dev/null --env "$work/no-such-file" -o "$work/broken"
grep -q 'no-such-file' "$work/broken/profile_roofline.json" || fail "the missing file is not recorded"

# Only the output's place is an error, and then nothing is left behind.
status 2 "${run[@]}" -o "$work/no/such/place"
[ ! -e "$work/no" ] || fail "a place was made"
echo text >"$work/file"
status 2 "${run[@]}" -o "$work/file"
[ "$(cat "$work/file")" = text ] || fail "the file in the way was changed"
mkdir -p "$work/half/profile_roofline.md"
status 2 "${run[@]}" -o "$work/half"
[ "$(ls "$work/half")" = profile_roofline.md ] || fail "half of the report was written"

status 0 "$ROOFLINE" headroom --help
grep -q 'Examples:' "$work/stdout" || fail "help has no examples"
