# An entry over an algebraic data type: its rows' numbers, worked out by hand from layout.yaml, its binds, and
# everything a bind refuses.
. "$(dirname "$0")/generated.sh"
"$ROOFLINEC" emit --rows-main -o "$work/out" "$SOURCE_DIR/tests/conformance/layout" >"$work/log" || {
  cat "$work/log"
  fail "not emitted"
}
compile "$work/out" "$work/rows" "$work/out/rows_main.c"
# x 4*5*2, y 5*2*2, ids 4*4, out 3*2; slabs: x 4*3*5*2, y 5*2*4, scale and shift 4*4 each; none: out 3*4.
cat >"$work/expected" <<'ROWS'
tight-float16-float16	1100	82	76
loose-float16-float16	2090	82	76
slabs-float16-float32	3	214	208
none-float16-float16-float32	7	88	76
ROWS
"$work/rows" | cut -f2-4,6 | diff "$work/expected" - || fail "a number differs"
compile "$work/out" "$work/bind_rows" "$SOURCE_DIR/tests/conformance/bind_rows.c"
"$work/bind_rows" || fail "a row does not bind"
compile "$work/out" "$work/bind_errors" "$SOURCE_DIR/tests/conformance/bind_errors.c"
"$work/bind_errors" || fail "a bind says something else"
