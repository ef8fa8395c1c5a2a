# Every inline row of the corpus costs what an independent evaluator says (shared/expected/rows.tsv), and
# rows come in manifest order.
. "$(dirname "$0")/generated.sh"
need_corpus
"$ROOFLINEC" emit --rows-main --missing-formulas=unavailable -o "$work/out" "$SHARED_DIR/corpus" >"$work/log" || {
  cat "$work/log"
  fail "the corpus is not emitted"
}
compile "$work/out" "$work/rows" "$work/out/rows_main.c"
"$work/rows" >"$work/rows.tsv"
awk -F'\t' 'NR > 1 {print $2 "\t" $3 "\t" ($4 == "-" ? "!NOT_AVAILABLE" : $4) "\t" ($5 == "-" ? "!NOT_AVAILABLE" : $5)}' \
  "$SHARED_DIR/expected/rows.tsv" >"$work/expected"
cut -f1-4 "$work/rows.tsv" >"$work/found"
diff "$work/expected" "$work/found" || fail "rows differ from shared/expected/rows.tsv"
[ "$(wc -l <"$work/found")" -gt 1000 ] || fail "too few rows"

# The read half of an op whose bytes are derived: GEMM reads a and b, which are 2 * 2 * 1024 * 1024 bytes.
grep -P '^GemmFwdOp\tsquare-1k-float16\t.*\tcuda_core.fp32\t4194304$' "$work/rows.tsv" >/dev/null || fail "read half"
# Filters, and what is refused.
[ "$("$work/rows" --op GemmFwdOp | wc -l)" -eq 16 ] || fail "--op"
[ "$("$work/rows" --family fft | cut -f1 | sort -u)" = FFTC2CFwdOp ] || fail "--family"
cmp <("$work/rows" --op AddFwdOp --repeat 100 2>/dev/null) <("$work/rows" --op AddFwdOp) || fail "--repeat changes the output"
for wrong in "--op Nothing" "--family nothing" "--repeat 0" "--repeat" "--what x"; do
  status=0
  # shellcheck disable=SC2086
  "$work/rows" $wrong >/dev/null 2>&1 || status=$?
  [ "$status" -eq 2 ] || fail "rows $wrong gives status $status"
done
status=0
"$work/rows" >/dev/full 2>/dev/null || status=$?
[ "$status" -eq 2 ] || fail "a full disk is not noticed"
