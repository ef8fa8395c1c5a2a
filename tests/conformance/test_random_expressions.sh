#!/usr/bin/env bash
# Random well-kinded expressions over random values come out of the compiler's folder as they come out of
# generated C: the same number, or a failure for the same reason. Another seed: SEED=7 COUNT=500 bash $0
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seed=${SEED:-20261129}
random=$BUILD_DIR/random_expressions
echo "seed $seed"

mkdir "$work/ops"
cat >"$work/ops/types.yaml" <<'TYPES'
adts:
  Layout:
    sum:
      contiguous:
        python: layouts.Contiguous
        fields: {packing: "'tight' | 'aligned'", metadata_kind: "'physical_psum' | 'per_row'", alignment: Dim}
        invariant: "alignment >= 1"
      masked: {python: layouts.Masked, fields: {max_m: Dim}}
TYPES
"$random" write "$seed" "${COUNT:-60}" "$work/ops/types.yaml" >"$work/ops/random.yaml"
if ! "$ROOFLINEC" emit -o "$work" --rows-main "$work/ops" >"$work/said"; then
  cat "$work/said"
  exit 1
fi
# A random formula may well say `i < i`, and a compiler may say so.
"$CC" -std=c11 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-tautological-compare \
  -I"$SOURCE_DIR/runtime/include" -I"$work" -o "$work/rows" "$work"/*.c "$SOURCE_DIR"/runtime/src/*.c -lm
"$work/rows" | "$random" compare "$work/ops/random.yaml" "$work/ops/types.yaml"
