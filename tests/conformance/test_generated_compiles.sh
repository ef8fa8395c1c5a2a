# Generated code compiles without a warning as C11 and as C++17, under gcc and clang, and two runs write
# the same bytes.
. "$(dirname "$0")/generated.sh"
inputs=("$SOURCE_DIR/tests/conformance/language.yaml" "$SOURCE_DIR/tests/conformance/solve.yaml"
  "$SOURCE_DIR/tests/conformance/layout")
"$ROOFLINEC" emit --rows-main -o "$work/own" "${inputs[@]}" >"$work/log" || {
  cat "$work/log"
  fail "not emitted"
}
"$ROOFLINEC" emit --rows-main --prefix my -o "$work/prefixed" "${inputs[@]}" >/dev/null
dirs=("$work/own" "$work/prefixed")
if [ -d "$SHARED_DIR/corpus" ]; then
  "$ROOFLINEC" emit --rows-main --missing-formulas=unavailable -o "$work/corpus" "$SHARED_DIR/corpus" >/dev/null
  "$ROOFLINEC" emit --rows-main --missing-formulas=unavailable -o "$work/again" "$SHARED_DIR/corpus" >/dev/null
  diff -r "$work/corpus" "$work/again" || fail "two runs differ"
  dirs+=("$work/corpus")
fi
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
for compiler in "gcc -x c -std=c11" "clang -x c -std=c11" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++17"; do
  command -v "${compiler%% *}" >/dev/null || { echo "SKIPPED: no ${compiler%% *}"; continue; }
  for dir in "${dirs[@]}"; do
    for source in "$dir"/*.c; do
      # shellcheck disable=SC2086
      $compiler "${warnings[@]}" -fsyntax-only -I "$SOURCE_DIR/runtime/include" "$source" || fail "$compiler $source"
    done
  done
done
if grep -l 'roofline_arith_fwd\|roofline_ops\b' "$work"/prefixed/*.[ch]; then fail "--prefix leaves symbols as they were"; fi
