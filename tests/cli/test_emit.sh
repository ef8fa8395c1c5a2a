#!/usr/bin/env bash
# What `rooflinec emit` does with what is in DIR already, and what --check finds there.
. "$(dirname "$0")/cli.sh"
cd "$scratch" || exit 1
cp "$SOURCE_DIR"/tests/examples/make/ops/*.yaml .
emit=("$ROOFLINEC" emit -o made)
quiet() { # NAME COMMAND...: exit status 0, and nothing to say
  "${@:2}" >out 2>&1 && [ ! -s out ] || fail "$1: $(cat out)"
}

expect "check of nothing" 1 6 '^rooflinec emit: made/outer.h is missing$' "${emit[@]}" --check outer.yaml scale.yaml
[ -e made ] && fail "--check made a folder"
quiet "emit" "${emit[@]}" outer.yaml scale.yaml
[ "$(cd made && echo *)" = "outer.c outer.h registry.c registry.h scale.c scale.h" ] || fail "emit: $(ls made)"
quiet "check of the same" "${emit[@]}" --check outer.yaml scale.yaml
echo >>made/scale.c
expect "check of a change" 1 1 '^rooflinec emit: made/scale.c is not what the manifest gives$' \
  "${emit[@]}" --check outer.yaml scale.yaml
quiet "emit over a change" "${emit[@]}" outer.yaml scale.yaml

# A family that is gone: its files are named and left. What rooflinec did not write is nobody's business.
echo '/* Written by hand. */' >made/by_hand.c
cp made/outer.c made/outer.c.orig
mkdir made/folder.c
: >made/empty.h
stale=$(printf 'rooflinec emit: made/outer.%s was generated once; nothing in the manifest gives it now\n' c h)
expect "emit of a family gone" 0 2 'made/outer.c was generated once' "${emit[@]}" scale.yaml
[ "$(sed 's/: remove it$//' out)" = "$stale" ] || fail "emit of a family gone: $(cat out)"
cp -r made before
expect "check of a family gone" 1 2 outer.h "${emit[@]}" --check scale.yaml
[ "$(cat out)" = "$stale" ] || fail "check of a family gone: $(cat out)"
diff -r before made >log || fail "--check or emit changed something: $(cat log)"
rm made/outer.[ch]
quiet "check once they are removed" "${emit[@]}" --check scale.yaml
quiet "emit with rows_main.c" "${emit[@]}" --rows-main scale.yaml
expect "check without rows_main.c" 1 1 'made/rows_main.c was generated once' "${emit[@]}" --check scale.yaml

# The program that prints rows says which name it does not know, and what was meant.
rows=$BUILD_DIR/bin/rows
if [ -x "$rows" ]; then
  expect "rows of an op" 0 20 '^GemmFwdOp' "$rows" --op GemmFwdOp --family gemm
  expect "rows of no op" 2 1 "rows: no op 'GemmFwdO'; did you mean 'GemmFwdOp'\\?$" "$rows" --op GemmFwdO
  expect "rows of an op in small letters" 2 1 "no op 'gemmfwdop'; did you mean 'GemmFwdOp'\\?$" "$rows" --op gemmfwdop
  expect "rows of no family" 2 1 "no family 'reductoin'; did you mean 'reduction'\\?$" "$rows" --family reductoin
  expect "rows of nothing near" 2 1 "no op 'Mystery'$" "$rows" --op Mystery
  expect "rows of a long name" 2 1 "no op 'x*'$" "$rows" --op "$(printf '%1000s' | tr ' ' x)"
  expect "rows of another family" 2 1 "the op 'GemmFwdOp' is not of the family 'norm'$" "$rows" --op GemmFwdOp --family norm
fi
finish
