# As test_changed_calls.sh, for the corpus.
. "$(dirname "$0")/changed_calls.sh"
need_corpus
"$ROOFLINEC" emit --missing-formulas=unavailable -o "$work/emitted" "$SHARED_DIR/corpus" >/dev/null
compile "$work/emitted" "$work/corpus" "$SOURCE_DIR/tests/conformance/bind_changes.c"
entries=()
for file in "$SHARED_DIR"/corpus/*.yaml; do
  [ "$(basename "$file")" = types.yaml ] || entries+=("$file")
done
judge corpus "${entries[@]}"
