#!/usr/bin/env bash
# 200 kills at random moments of `emit` never leave a partial file; order, locale, time zone and place of
# the run never change a byte.
. "$(dirname "$0")/cli.sh"
cd "$scratch" || exit 1
ops=$SOURCE_DIR/manifest/ops

emit() { "$ROOFLINEC" emit --missing-formulas=unavailable "$@"; }
emit -o whole "$ops" || fail "emit"

# Two versions of one manifest, emitted in turn into one folder and killed: each file is of one or the other.
mkdir a b
cp "$ops"/{bmm,gemm,norm}.yaml a
for f in a/*.yaml; do sed 's/label: \([a-z]\)/label: x\1/' "$f" >"b/${f#a/}"; done
emit -o of_a a && emit -o of_b b || fail "emit of two versions"
cmp -s of_a/bmm.c of_b/bmm.c && fail "the two versions are the same"
RANDOM=7
cp -r of_a out
for i in $(seq 200); do
  from=a; [ $((i % 2)) -eq 0 ] || from=b
  "$ROOFLINEC" emit --missing-formulas=unavailable -o out "$from" &
  pid=$!
  sleep "0.0$(printf '%02d' $((RANDOM % 30)))"
  kill -KILL "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  for f in out/*.[ch]; do
    cmp -s "$f" "of_a/${f#out/}" || cmp -s "$f" "of_b/${f#out/}" || { fail "kill $i left a partial $f"; break 2; }
  done
done
emit -o out a || fail "emit after kills"
diff -rq -x '*.tmp*' out of_a >differs || fail "after kills: $(head -3 differs)"

# Files that would not change keep their time.
touch -d '2001-01-01' of_a/*
emit -o of_a a
[ "$(find of_a -newermt '2002-01-01' -type f | wc -l)" -eq 0 ] || fail "unchanged outputs were written again"

# Order, locale, time zone, folder, and a file named twice.
sum() { (cd "$1" && cat ./*.[ch] | cksum); }
emit -o o1 a/norm.yaml a/bmm.yaml a/gemm.yaml
emit -o o2 a/gemm.yaml a/norm.yaml a/bmm.yaml a/gemm.yaml
[ "$(sum o1)" = "$(sum o2)" ] || fail "order of files changes the output"
LC_ALL=C.UTF-8 TZ=Asia/Tokyo emit -o o3 a
[ "$(sum o1)" = "$(sum o3)" ] || fail "locale or time zone changes the output"
(cd a && emit -o ../o4 .)
[ "$(sum o1)" = "$(sum o4)" ] || fail "the folder of the run changes the output"
printf 'AFwdOp: {family: a}\n' >z.yaml
printf 'BFwdOp: {familly: b, roofline: {flops: "Q", bytes: "M ** 2"}}\n' >y.yaml
"$ROOFLINEC" check z.yaml y.yaml >d1
"$ROOFLINEC" check y.yaml z.yaml >d2
LC_ALL=C.UTF-8 TZ=America/Lima "$ROOFLINEC" check y.yaml z.yaml >d3
cmp -s d1 d2 || fail "order of files changes the diagnostics"
cmp -s d1 d3 || fail "locale changes the diagnostics"
finish
