#!/usr/bin/env bash
# The corpus emitted with the formulas of runtime/formulas prints every line of func_rows.tsv: flops and
# bytes of each func row, and no func row fails.
set -eu

answers=$SHARED_DIR/expected/func_rows.tsv
corpus=$SHARED_DIR/corpus
if [ ! -r "$answers" ] || [ ! -d "$corpus" ]; then
  echo "skipped: no $answers, or no $corpus"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$ROOFLINEC" emit -o "$work" --rows-main --formulas "$SOURCE_DIR/runtime/formulas" "$corpus"
sanitize=$(sed -n 's/^ROOFLINE_SANITIZE:STRING=//p' "$BUILD_DIR/CMakeCache.txt")
link_flags=()
[ -z "$sanitize" ] || link_flags=("-fsanitize=$sanitize") # libroofline was built with it
"$CC" "${link_flags[@]}" -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$SOURCE_DIR/runtime/include" -I"$work" \
  -o "$work/rows" "$work"/*.c "$SOURCE_DIR"/runtime/formulas/*.c "$BUILD_DIR/libroofline.a" -lm
"$work/rows" | cut -f1-4 | LC_ALL=C sort >"$work/printed"

tail -n +2 "$answers" | cut -f2-5 | LC_ALL=C sort >"$work/wanted"
[ -s "$work/wanted" ] || { echo "FAIL: $answers has no rows"; exit 1; }
LC_ALL=C comm -23 "$work/wanted" "$work/printed" >"$work/missing"
if [ -s "$work/missing" ]; then
  echo "FAIL: wanted and not printed:"
  cat "$work/missing"
  cut -f1,2 "$work/missing" | grep -F -f - "$work/printed" | sed 's/^/printed: /'
  exit 1
fi
echo "$(wc -l <"$work/wanted") rows agree"
