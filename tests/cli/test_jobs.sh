#!/usr/bin/env bash
# The number of threads changes no byte: of diagnostics over many files and defects, of what emit writes.
. "$(dirname "$0")/cli.sh"

# Many copies of the shipped operators, every third file with defects, one file that is no YAML.
mkdir "$scratch/many"
cp "$SOURCE_DIR/manifest/types.yaml" "$scratch/many/"
for file in "$SOURCE_DIR"/manifest/ops/*.yaml; do
  cp "$file" "$scratch/many/"
done
number=0
for file in "$scratch"/many/[a-z]*.yaml; do
  number=$((number + 1))
  [ $((number % 3)) -ne 0 ] || sed -i 's/\bM\b/Mm/2; s/float16/float61/3; s/label:/lable:/' "$file"
done
printf 'A: [1\n' >"$scratch/many/broken.yaml"
cp "$SOURCE_DIR/manifest/ops/norm.yaml" "$scratch/many/norm_again.yaml" # every operator of it twice

check() { "$ROOFLINEC" check --jobs "$1" --notes --max-errors 0 --format "$2" "$scratch/many" >"$scratch/$1.$2" 2>&1; }
for format in text json sarif github; do
  check 1 $format
  [ $? -eq 1 ] || fail "defects in $format are no exit status 1"
  for jobs in 2 3 16; do
    check $jobs $format
    cmp -s "$scratch/1.$format" "$scratch/$jobs.$format" || fail "$format differs with $jobs threads"
  done
done
[ "$(grep -c ' error\[' "$scratch/1.text")" -gt 100 ] || fail "there are few defects to compare"

emit() {
  "$ROOFLINEC" emit --jobs "$1" --rows-main --formulas "$SOURCE_DIR/runtime/formulas" -o "$scratch/emit$1" \
    "$SOURCE_DIR/manifest" >"$scratch/log" 2>&1 || fail "emit with $1 threads: $(head -3 "$scratch/log")"
}
emit 1
for jobs in 2 3 16; do
  emit $jobs
  diff -r "$scratch/emit1" "$scratch/emit$jobs" >"$scratch/log" || fail "with $jobs threads: $(head -3 "$scratch/log")"
done
finish
