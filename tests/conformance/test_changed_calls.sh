# Every row's tensors with one thing changed, by one: what a bind says of it is what another program, in another
# language, reads from the declarations (tests/oracle/bind.py). For entries made to be hard, and the shipped manifest.
. "$(dirname "$0")/changed_calls.sh"
here=$SOURCE_DIR/tests/conformance
for entries in solve.yaml language.yaml layout; do
  name=${entries%.yaml}
  "$ROOFLINEC" emit -o "$work/emitted-$name" "$here/$entries" >"$work/log" || {
    cat "$work/log"
    fail "$name is not emitted"
  }
  compile "$work/emitted-$name" "$work/$name" "$here/bind_changes.c"
done
judge solve "$here/solve.yaml"
judge language "$here/language.yaml"
judge layout "$here/layout/layout.yaml"
compile_shipped "$work/shipped" "$here/bind_changes.c"
judge shipped "$SOURCE_DIR"/manifest/ops/*.yaml
