#!/usr/bin/env bash
# Input made to be too much: each ends in success or in a diagnostic that names the option of the limit it
# ran into, within ten seconds of processor time and 400 MB of address space.
. "$(dirname "$0")/cli.sh"
cd "$scratch" || exit 1

seconds=10 kilobytes=400000
if ! (ulimit -v $kilobytes; exec "$ROOFLINEC" --version) >/dev/null 2>&1; then
  seconds=100 kilobytes=unlimited # a sanitizer maps terabytes of shadow
fi

# within NAME OUTCOME [OPTION...]: checks NAME.yaml, or standard input where there is no such file. OUTCOME is
# ok, or what a line of the output says: a limit's option, or a code.
within() {
  local name=$1 outcome=$2 file=- got
  shift 2
  [ ! -e "$name.yaml" ] || file=$name.yaml
  (ulimit -t $seconds -v $kilobytes; exec "$ROOFLINEC" check --format text "$@" $file) >out 2>err
  got=$?
  case $outcome in
    ok) [ $got -eq 0 ] || fail "$name: exit status $got: $(head -c 500 out err)" ;;
    *)
      [ $got -eq 1 ] || fail "$name: exit status $got: $(head -c 500 out err)"
      grep -q -e "$outcome" out || fail "$name: nothing names $outcome: $(head -c 500 out err)"
      ;;
  esac
}

# entry [KEY=TEXT...]: an entry that is clean; the text of a part of it may be given.
entry() {
  local op=DemoFwdOp forall='M: Dim, N: Dim' params='' shape='[M, N]' inputs='' types='' let='' rows='' flops=M
  [ $# -eq 0 ] || local "$@"
  cat <<TEXT
$op:
  family: demo
  status: spec-only
  signature:
    forall: {$forall}
    params: {$params}
    inputs: {a: {dtype: float16, shape: "$shape"}$inputs}
    outputs: {d: {dtype: float16, shape: "[M]"}}
    types: {$types}
    let: {$let}
  workloads:
  - {M: 4, N: 3, label: small$rows}
  roofline: {flops: "$flops"}
TEXT
}

# times COUNT TEXT: the text that many times, with the number of the time for every & in it.
times() { seq "$1" | sed "s#.*#$2#" | tr -d '\n'; }

entry >clean.yaml
within clean ok

# YAML: nesting, aliases, long scalars, what is no text.
{ printf 'l0: &a0 [x, x, x, x, x, x, x, x, x, x]\n'
  for i in $(seq 9); do p="*a$((i - 1))"; echo "l$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p, $p, $p]"; done; } >laughs.yaml
within laughs --max-alias-nodes
{ echo 'DemoFwdOp: &a'; printf '  family: demo\n  signature: *a\n'; } >cycle.yaml
within cycle RL01
{ entry; printf '  deep: '; times 200 '['; times 200 ']'; echo; } >deep_flow.yaml
within deep_flow --max-depth
awk 'BEGIN { for (i = 0; i < 200; i++) { printf "%" i "s", ""; print "k:" } }' >deep_block.yaml
within deep_block --max-depth
times 100000 '[' >deeper.yaml
within deeper --max-depth
ten_megabytes() { head -c 10000000 /dev/zero | tr '\0' "${1:-x}"; }
{ entry; printf '  source: "'; ten_megabytes; echo '"'; } >scalar.yaml
within scalar RL02
{ echo 'DemoFwdOp:'; printf '  family: '; ten_megabytes; echo; entry | sed 1,2d; } >family_name.yaml
within family_name --max-identifier
{ ten_megabytes; echo ': {}'; } >key.yaml
within key RL
{ entry | sed '/roofline:/d'; printf '  roofline:\n    flops: |\n'; yes '      M +' 2>/dev/null | head -n 1000000; } >block_scalar.yaml
within block_scalar --max-expr-bytes
ten_megabytes '#' >comment.yaml
within comment RL0803
ten_megabytes '\n' >lines.yaml
within lines RL0803
ten_megabytes '&' >anchors.yaml
within anchors RL
ten_megabytes '"' >quotes.yaml
within quotes RL
head -c 70000000 /dev/zero >zeros.yaml
within zeros --max-file-bytes
rm zeros.yaml
entry | iconv -f UTF-8 -t UTF-16 >utf16.yaml
within utf16 UTF-16
{ entry; printf '# \xc0\xaf\n'; } >overlong.yaml
within overlong UTF-8
{ entry; printf '# \xed\xa0\x80\n'; } >surrogate.yaml
within surrogate UTF-8
{ entry; printf '# \0\n'; } >nul.yaml
within nul NUL
yes 2>/dev/null | within endless --max-file-bytes
yes "$(entry)" 2>/dev/null | within endless_entries --max-file-bytes

# Expressions: depth, length, chains.
entry flops="$(times 10000 '(')M$(times 10000 ')')" >parentheses.yaml
within parentheses --max-expr-depth
entry flops="$(times 10000 '-')M" >minuses.yaml
within minuses --max-expr-depth
entry flops="$(times 10000 'not ')M" >nots.yaml
within nots --max-expr-depth
entry flops="$(times 10000 'M if M > 1 else ')M" >conditionals.yaml
within conditionals --max-expr-depth
entry flops="$(times 10000 'M ** ')M" >powers.yaml
within powers --max-expr-depth
entry flops="$(times 10000 'max(1, ')M$(times 10000 ')')" >calls.yaml
within calls --max-expr-depth
entry flops="$(times 10000 'M.x')" >accesses.yaml
within accesses RL
entry flops="$(times 10000 '[')" >open.yaml
within open RL
entry flops="$(times 100000 'M + ')M" >terms.yaml
within terms ok
entry flops="$(times 100000 'M + N * ')M" >products.yaml
within products ok
entry flops="2 if M == 1$(times 50000 ' or M == &') else 3" >ors.yaml
within ors ok
entry flops="1 if M$(times 50000 ' < M') else 2" >comparisons.yaml
within comparisons ok
entry flops="$(times 5000 '9')" >digits.yaml
within digits RL
entry flops="$(times 70000 'long')" >identifier.yaml
within identifier --max-identifier
entry flops="sum(i for i in repeat(1, 16000000))" >repeat.yaml
within repeat --max-steps
entry flops="sum(sum(i * j for j in repeat(1, 16000000)) for i in repeat(1, 16000000))" >nested_loops.yaml
within nested_loops --max-steps
entry flops="sum(len(($(times 100 'i, ')i)) for i in repeat(1, 1000000))" >tuples.yaml
within tuples --max-steps
entry params='p: {type: bool}' types="$(awk 'BEGIN { printf "F0: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"[D]\"}, {when: false, is: \"[1]\"}]}"; m = sprintf("%250s", ""); gsub(/ /, "-", m); for (i = 1; i < 60; i++) printf ", F%d: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"F%d[b, %sD]\"}, {when: false, is: \"[1]\"}]}", i, i - 1, m }')" shape='F59[p, M]' inputs=', b: {dtype: float16, shape: "[M, N]"}' rows=', p: true' >deep_chain.yaml
within deep_chain --max-eval-depth
entry let="$(awk 'BEGIN { for (k = 0; k < 240; k++) { l = l "(1 + "; r = r ")" } for (i = 250; i > 0; i--) printf "v%d: \"%sv%d%s\", ", i, l, i - 1, r }')v0: \"M\"" shape='[M, N, v250]' >deep_lets.yaml
within deep_lets --max-eval-depth
entry params='p: {type: bool}' types="$(awk 'BEGIN { printf "F0: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"[D]\"}, {when: false, is: \"[1]\"}]}"; for (i = 1; i < 60; i++) { m = ""; for (k = 0; k < 120; k++) m = m "(1 + "; m = m "D"; for (k = 0; k < 120; k++) m = m ")"; printf ", F%d: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"F%d[b, %s]\"}, {when: false, is: \"[1]\"}]}", i, i - 1, m } }')" shape='F59[p, M]' inputs=', b: {dtype: float16, shape: "[M, N]"}' rows=', p: true' >deep_sums.yaml
within deep_sums --max-eval-depth
entry let="$(awk 'BEGIN { for (k = 0; k < 200; k++) { l = l "ceil_div("; r = r ", 1)" } for (i = 12; i > 0; i--) printf "v%d: \"%sv%d%s\", ", i, l, i - 1, r }')v0: \"M\"" flops=v12 >deep_calls.yaml
within deep_calls --max-eval-depth
within deep_calls ok --max-eval-depth 3072
entry let="$(awk 'BEGIN { for (i = 1023; i > 0; i--) printf "v%d: \"v%d + 1\", ", i, i - 1 }')v0: \"M\"" flops=v1023 >let_chain.yaml
within let_chain --max-let-depth
within let_chain ok --max-let-depth 1024 --max-eval-depth 3072
entry let="$(awk 'BEGIN { for (k = 0; k < 120; k++) { l = l "max((1, "; r = r "))" } for (i = 200; i > 0; i--) printf "v%d: \"%sv%d%s\", ", i, l, i - 1, r }')v0: \"M\"" flops=v200 >deep_texts.yaml
within deep_texts --max-eval-depth
entry flops="sum(sum(sum(1 for k in range(M * 1000)) for j in range(M * 1000)) for i in range(M * 1000))" >ranges.yaml
within ranges RL

# Entries: many of everything, and types that grow.
entry let="$(times 20000 'v&: "M", ')" >lets.yaml
within lets --max-names
entry let="v0: \"M\", $(awk 'BEGIN { for (i = 1; i < 4000; i++) printf "v%d: \"v%d + v%d\", ", i, i - 1, i - 1 }')" >doubling_lets.yaml
within doubling_lets RL
entry params="$(times 300 'p&: {type: bool, default: false}, ')" >params.yaml
within params ok
entry params="$(times 20 'p&: {type: bool}, ')" types="T: {params: {$(times 20 'b&: Bool, ')}, match: b1, cases: [{when: true, is: \"[R]\"}]}" >switches.yaml
within switches RL
entry forall="$(times 5000 'D&: Dim, ')M: Dim, N: Dim" >indices.yaml
within indices --max-names
entry inputs="$(times 5000 ', t&: {dtype: float16, shape: "[M]"}')" >tensors.yaml
within tensors --max-names
entry shape="[$(times 10000 'M, ')N]" >axes.yaml
within axes --max-rank
entry forall="M: Dim, N: Dim, T: \"DType[$(times 5000 'float16 | ')float32]\"" >dtypes.yaml
within dtypes ok
entry forall='M: Dim, N: Dim, Q: Dim' types="F: {params: {i: Dim, M: Dim}, match: i, cases: [$(times 10000 '{when: &, is: "[M]"}, ')]}" shape='F[Q, M, N]' >cases.yaml
within cases RL
chain() { # COUNT WHOLE: families, each of which is the one before it, its argument twice
  awk -v n="$1" 'BEGIN {
    printf "F0: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"[D]\"}, {when: false, is: \"[1]\"}]}"
    for (i = 1; i < n; i++)
      printf ", F%d: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"F%d[b, D + D]\"}, {when: false, is: \"[1]\"}]}", i, i - 1
  }'
}
entry params='p: {type: bool}' types="$(chain 60)" shape='F59[p, M]' inputs=', b: {dtype: float16, shape: "[M, N]"}' rows=', p: true' >chain60.yaml
within chain60 --max-steps
entry params='p: {type: bool}' types="$(chain 200)" shape='F199[p, M]' inputs=', b: {dtype: float16, shape: "[M, N]"}' rows=', p: true' >chain200.yaml
within chain200 RL05
for i in $(seq 60); do entry op=Demo${i}FwdOp params='p: {type: bool}' rows=', p: true' inputs=", b: {dtype: float16, shape: \"F$i[p, M]\"}" types="F$i: {params: {b: Bool, D: Dim}, match: b, cases: [{when: true, is: \"[D]\"}, {when: false, is: \"[1]\"}]}"; done >entries.yaml
within entries ok

# Values of an ADT: those that its invariant refuses take time to find too, and none is dropped in silence.
mkdir adt
adt() { # NAME FIELDS TYPE INVARIANT
  printf "  $1:\n    sum:\n      one: {python: a.One, invariant: \"$4\", fields: {"
  times "$2" "f&: {type: $3, python: a.F}, "
  printf "n: Dim}}\n      two: {python: a.Two, fields: {q: Bool}}\n"
}
{ echo adts:; adt Wide 15 "\\\"'a' | 'b' | 'c' | 'd'\\\"" "f1 == 'a' and f2 == 'b'"; adt Near 13 Bool 'n > 0'; } >adt/types.yaml
entry params='lay: {type: Wide}' flops="M if lay.kind == 'one' else 7" rows=", lay: {two: {q: true}}" >adt/wide.yaml
within adt/wide --max-combinations
entry params='lay: {type: Near}' flops="M if lay.kind == 'one' else 1 // (1 if lay.q else 0)" rows=", lay: {two: {q: true}}" >adt/near.yaml
within adt/near RL0501

# Rows: many, wide, heavy.
entry | sed '/^  - {/,$d' >rows.yaml
seq 4000 | sed 's/.*/  - {M: &, N: 3, label: r&}/' >>rows.yaml
echo '  roofline: {flops: "M"}' >>rows.yaml
within rows ok
entry rows="$(times 8000 ', k&: &')" >keys.yaml
within keys RL
entry rows="$(times 20000 ', M: &')" >same_keys.yaml
within same_keys RL0
heavy() { times "$1" ", t&: {dtype: int32, shape: \"[16000000, 1]\", values: \"topk_ids(16000000, 1, 2)\"}"; }
entry inputs="$(heavy 1)" >heavy.yaml
within heavy ok
entry inputs="$(heavy 6)" >heavier.yaml
within heavier --max-steps
entry inputs="$(heavy 60)" >heaviest.yaml
within heaviest --max-steps
finish
