# Binding a row's tensors gives the row back: for entries made to be hard to solve, the shipped ones, and the corpus.
. "$(dirname "$0")/generated.sh"
"$ROOFLINEC" emit -o "$work/solve" "$SOURCE_DIR/tests/conformance/solve.yaml" >"$work/log" || {
  cat "$work/log"
  fail "solve.yaml is not emitted"
}
compile "$work/solve" "$work/solve_rows" "$SOURCE_DIR/tests/conformance/bind_rows.c"
"$work/solve_rows" || fail "solve.yaml"
grep -q 'for (bool progress = true; progress;)' "$work/solve/solve.c" || fail "no entry needs the loop any more"
compile_shipped "$work/shipped_rows" "$SOURCE_DIR/tests/conformance/bind_rows.c"
"$work/shipped_rows" || fail "the shipped manifest"
need_corpus
"$ROOFLINEC" emit --missing-formulas=unavailable -o "$work/corpus" "$SHARED_DIR/corpus" >/dev/null
compile "$work/corpus" "$work/corpus_rows" "$SOURCE_DIR/tests/conformance/bind_rows.c"
"$work/corpus_rows" || fail "the corpus"
