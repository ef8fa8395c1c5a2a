# Bodies folded at discriminant points: the numbers, worked out by hand from points.yaml, and how many bodies
# stand for how many points.
. "$(dirname "$0")/generated.sh"
"$ROOFLINEC" emit --rows-main -o "$work/out" "$SOURCE_DIR/tests/conformance/points" >"$work/log" || {
  cat "$work/log"
  fail "not emitted"
}
compile "$work/out" "$work/rows" "$work/out/rows_main.c"
cat >"$work/expected" <<'ROWS'
nn-float16	35	80	70
nn-flip-float16	42	374	364
nt-float16	1070	150	140
nt-flip-float32	1035	300	280
tn-float32	42	468	448
absent-float16	0	12	10
mean-float16	10	12	10
max-float16	10	12	10
none-float16	0	12	10
row-float16	5	42	40
column-float16	5	82	80
blocked-float16	30	182	180
flat-float16	5	12	10
neither-float16	5	20	10
given-float16	16	40	30
one-float16	2000	8	4
two-one-float16	19	8	4
two-two-float16	17	8	4
ROWS
"$work/rows" | cut -f2-4,6 | diff "$work/expected" - || fail "a number differs"

source=$work/out/points.c
count() { # WHAT TIMES PATTERN
  local found
  found=$(grep -cE "$3" "$source" || true)
  [ "$found" -eq "$2" ] || fail "$found $1, not $2"
}
count "bodies of SwitchFwd" 5 '^static roofline_status switch_fwd_cost'
count "points of SwitchFwd for bytes, and as many for reads" 10 'case [0-9]+: /\* layout='
count "labels of the excluded point" 0 "layout='tn', flip=true"
count "bodies of SharedFwd: two for six points" 2 '^static roofline_status shared_fwd_cost'
count "points of SharedFwd: its reads are the same at each" 6 'case [0-9]+: /\* how='
count "bodies of PackedFwd" 3 '^static roofline_status packed_fwd_cost'
count "bodies of GivenFwd" 2 '^static roofline_status given_fwd_cost'
# Independent flags are conditionals of each body, not points.
grep -q 'twice ? 2 : 1' "$source" || fail "the flag is no conditional"
