# What generated code computes for one entry that uses most of the language. Every number below was worked
# out by hand from the entry's text (language.yaml says how beside each row).
. "$(dirname "$0")/generated.sh"
"$ROOFLINEC" emit --rows-main -o "$work/out" "$SOURCE_DIR/tests/conformance/language.yaml" >"$work/log" || {
  cat "$work/log"
  fail "not emitted"
}
compile "$work/out" "$work/rows" "$work/out/rows_main.c"
cat >"$work/expected" <<'ROWS'
floordiv-float16	-4	8
mod-float16	2	8
maybe-float16	10	8
fold-float16	321213	8
tuples-float16	31	8
enums-int8	22	8
bytes-float16-float32	260	8
axis-float16	606	8
divzero-float16	!DOMAIN	!DOMAIN
index-float16	!DOMAIN	!DOMAIN
slice-float16	313	8
over-float32	!OVERFLOW	!OVERFLOW
flops-fit-float32	!OVERFLOW	!OVERFLOW
fit-float32	2305843006213062001	9223372024852248008
zero-float32	0	4
ROWS
"$work/rows" | cut -f2-4 | diff "$work/expected" - || fail "a number differs"
# The same entry under another prefix, and by the portable checked integers.
"$ROOFLINEC" emit --rows-main --prefix my -o "$work/my" "$SOURCE_DIR/tests/conformance/language.yaml" >/dev/null
CFLAGS_OLD=("${link_flags[@]}")
link_flags+=(-DROOFLINE_PORTABLE_CHECKED)
compile "$work/my" "$work/my_rows" "$work/my/rows_main.c"
link_flags=("${CFLAGS_OLD[@]}")
"$work/my_rows" | cut -f2-4 | diff "$work/expected" - || fail "a number differs under another prefix"
