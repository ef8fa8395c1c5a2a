#!/usr/bin/env bash
# The shipped manifest is a library: at least 150 operators, two workload rows each, every row evaluates; and the
# shipped records carry exactly what the evaluators give today, with the times of their public source.
set -euo pipefail
export LC_ALL=C
rows=$BUILD_DIR/bin/rows
records=$SOURCE_DIR/manifest/records/h200.jsonl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "$1"
  failed=1
}

"$rows" >"$work/rows.tsv"
ops=$(cut -f1 "$work/rows.tsv" | sort -u | wc -l)
[ "$ops" -ge 150 ] || fail "only $ops operators have rows"
# Cases of one row differ by dtype alone; a label stands for a row.
few=$(awk -F'\t' '{sub(/-(bool|int|uint|float|bfloat|complex).*/, "", $2); if (!seen[$1 FS $2]++) n[$1]++}
                  END {for (op in n) if (n[op] < 2) print op}' "$work/rows.tsv")
[ -z "$few" ] || fail "fewer than two workload rows: $few"
broken=$(awk -F'\t' '$3 ~ /^!/ || $4 ~ /^!/ || $4 == 0 {print $1, $2, $3, $4}' "$work/rows.tsv")
[ -z "$broken" ] || fail "rows without a price: $broken"

# The newest GPU has every roof that a row prices on: four-bit ones too.
awk -F'\t' '{printf "{\"op\": \"%s\", \"case\": \"%s\", \"device\": \"NVIDIA B200\", \"timing\": \"cupti\", \"device_busy_ms\": 1000, \"flops\": %s, \"bytes\": %s, \"roof_key\": \"%s\"}\n", $1, $2, $3, $4, $5}' \
  "$work/rows.tsv" >"$work/b200.jsonl"
"$ROOFLINE" price --theoretical --profiles "$SOURCE_DIR/manifest/profiles" "$work/b200.jsonl" >"$work/priced.jsonl" || fail "pricing every row"
[ "$(wc -l <"$work/priced.jsonl")" -eq "$(wc -l <"$work/rows.tsv")" ] || fail "rows got lost in pricing"
blank=$(grep '"verdict": "blank"' "$work/priced.jsonl" | sed 's/"verdict.*//' || true)
[ -z "$blank" ] || fail "rows that a B200 cannot price: $blank"

# op, case, flops, bytes, roof key, read bytes of each record, as the rows program prints them.
sed -E 's/.*"op": "([^"]*)", "case": "([^"]*)".*"flops": ([0-9]+), "bytes": ([0-9]+), "roof_key": "([^"]*)", "read_bytes": ([0-9]+).*/\1\t\2\t\3\t\4\t\5\t\6/' \
  "$records" | sort -u >"$work/recorded.tsv"
[ "$(wc -l <"$records")" -ge 20 ] || fail "fewer than 20 records"
unknown=$(sort -u "$work/rows.tsv" | comm -23 "$work/recorded.tsv" -)
[ -z "$unknown" ] || fail "records that no evaluator gives: $unknown"

public=$SHARED_DIR/expected/records_h200.jsonl
if [ -e "$public" ]; then
  sed -E 's/"case": "[^"]*", "tag"/"tag"/' "$records" |
    sed -E 's/.*"op": "([^"]*)".*"tag": "([^"]*)".*"device_busy_ms": ([0-9.e-]+).*"case": "([^"]*)".*/\1 \4 \2 \3/' |
    sort -u >"$work/times"
  sed -E 's/.*"op": "([^"]*)", "case": "([^"]*)", "tag": "([^"]*)".*"device_busy_ms": ([0-9.e-]+).*/\1 \2 \3 \4/' \
    "$public" | sort -u >"$work/public"
  invented=$(comm -23 "$work/times" "$work/public")
  [ -z "$invented" ] || fail "times that the public run does not have: $invented"
fi
exit $failed
