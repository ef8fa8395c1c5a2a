# Random entries of everything a signature can say (tests/oracle/signatures.py): what their binds and evaluators say
# of each row, and of its tensors with one thing changed, is what another program reads from the declarations.
# Another seed: SEED=7 COUNT=100 bash $0
. "$(dirname "$0")/changed_calls.sh"
need_yaml
seed=${SEED:-20261129}
count=${COUNT:-36}
echo "seed $seed"
mkdir "$work/ops"
cp "$SOURCE_DIR/tests/conformance/signatures/types.yaml" "$work/ops"
entries=$work/ops/random.yaml
signatures=$SOURCE_DIR/tests/oracle/signatures.py
python3 "$signatures" write "$seed" "$count" >"$entries"
for step in repair repair repair drop; do
  "$ROOFLINEC" check --format json "$work/ops" >"$work/said" || [ $? -eq 1 ]
  python3 "$signatures" "$step" "$entries" "$work/said" >"$work/next" || fail "an entry that fits its rows is refused"
  mv "$work/next" "$entries"
done
"$ROOFLINEC" emit -o "$work/out" "$work/ops" >"$work/said" || {
  cat "$work/said"
  fail "not emitted"
}

# Discriminants choose shapes and formulas in most of them, and then evaluators switch over folded bodies.
kept=$(grep -c '^R[0-9]*FwdOp:' "$entries")
switched=$(grep -oE '^static roofline_status r[0-9]+_fwd_cost_2\(' "$work/out/random.c" | wc -l)
echo "$kept of $count entries stand, $switched have evaluators of several bodies"
[ $((2 * kept)) -ge "$count" ] || fail "too few entries stand"
[ $((2 * switched)) -ge "$kept" ] || fail "too few switch"

compile "$work/out" "$work/random" "$SOURCE_DIR/tests/conformance/bind_changes.c"
judge random "$entries"
