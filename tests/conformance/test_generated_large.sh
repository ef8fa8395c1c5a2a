# Texts at the limits of the language still become C that compilers read: long chains, deep nesting, lets and
# families that name each other again and again. What expands without end is refused, and nothing is written.
. "$(dirname "$0")/generated.sh"

# entry FLOPS [LETS]: one op of M, N, S with one row, M = 2, N = 3.
entry() {
  cat <<YAML
LargeFwdOp:
  family: large
  status: implemented
  signature:
    forall: {M: Dim, N: Dim, S: Shape, T: "DType[float16]"}
    params:
      c: {type: bool, default: true}
      q: {type: "list[int]", default: [1, 2]}
    inputs:
      x: {dtype: T, shape: "[M, N, *S]"}
    outputs:
      y: {dtype: T, shape: "[M]"}
${2:-}
  workloads:
  - {M: 2, N: 3, S: [1], dtype_cases: [{T: float16}], label: row}
  roofline:
    flops: "$1"
YAML
}

# repeat N TEXT
repeat() { printf "%.0s$2" $(seq "$1"); }

# lets N BODY: l0 is given; BODY's @ is the let before.
lets() {
  echo "    let:"
  echo "      l0: \"$2\""
  for i in $(seq "$1"); do echo "      l$i: \"${3//@/l$((i - 1))}\""; done
}

expect() {
  local name=$1 want=$2 got
  "$ROOFLINEC" emit --rows-main -o "$work/$name" "$work/$name.yaml" >"$work/log" || {
    head -5 "$work/log"
    fail "$name is not emitted"
  }
  for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only \
      -I "$SOURCE_DIR/runtime/include" "$work/$name/large.c" || fail "$name under $compiler"
  done
  compile "$work/$name" "$work/$name.rows" "$work/$name/rows_main.c"
  got=$("$work/$name.rows" | cut -f3)
  [ "$got" = "$want" ] || fail "$name: flops are $got, not $want"
}

entry "$(repeat 2000 'M * N + ')0" >"$work/sum.yaml"
expect sum 12000
entry "$(repeat 62 'M * ')1" >"$work/product.yaml"
expect product 4611686018427387904
entry "$(repeat 3000 'M * ')1" >"$work/overflow.yaml"
expect overflow '!OVERFLOW'
entry "$(repeat 200 '(')M$(repeat 200 ' + 1)')" >"$work/deep.yaml"
expect deep 202
entry "$(repeat 100 '(N if c and M > 5 else ')M$(repeat 100 ')')" >"$work/conditional.yaml"
expect conditional 2
entry "1 if $(repeat 300 'M < N or ')M == N else 0" >"$work/logic.yaml"
expect logic 1
entry "l50" "$(lets 50 M '@ + @ - M')" >"$work/lets.yaml"
expect lets "$((2 ** 50 * 2 - (2 ** 50 - 1) * 2))"
entry "prod(l40)" "$(lets 40 S 'broadcast(@, @)')" >"$work/shapes.yaml"
expect shapes 1

entry "sum(l40)" "$(lets 40 q '@ if c else @')" >"$work/endless.yaml"
status=0
"$ROOFLINEC" emit -o "$work/endless" "$work/endless.yaml" >"$work/log" || status=$?
[ "$status" -eq 1 ] || fail "endless: status $status"
grep -q 'RL0903' "$work/log" || fail "endless: $(cat "$work/log")"
[ ! -e "$work/endless/large.c" ] || fail "endless: something is written"
