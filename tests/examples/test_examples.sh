#!/usr/bin/env bash
# Every example, built from an installed prefix and run. C, C++ and Python must agree on every number; the numbers
# themselves are counted here by hand.
. "$(dirname "$0")/installed.sh"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
runtime=$(pkg-config --cflags --libs roofline) ops=$(pkg-config --cflags --libs roofline-ops)

numbers() { # FILE: op, case, flops, bytes, roof key and read bytes of every record, however its fields are ordered
  local field
  paste <(sed 's/.*"op": "\([^"]*\)".*/\1/' "$1") <(sed 's/.*"case": "\([^"]*\)".*/\1/' "$1") \
    $(for field in flops bytes roof_key read_bytes; do
      sed "s/.*\"$field\": \"*\([^\",}]*\).*/\1/" "$1" >"$work/$field"
      echo "$work/$field"
    done)
}

# 2 M N K flops; the bytes of [M, K], [K, N] and [M, N] at 2 an element. Softmax: 5 an element; read and written.
gemm() { printf 'GemmFwdOp\tcpu.%dx%dx%d-bfloat16\t%d\t%d\ttensor_core.bf16\t%d\n' "$1" "$2" "$3" \
  $((2 * $1 * $2 * $3)) $((2 * ($1 * $3 + $3 * $2 + $1 * $2))) $((2 * ($1 * $3 + $3 * $2))); }
softmax() { printf 'SoftmaxFwdOp\tcpu.%dx%d-float32\t%d\t%d\tcuda_core.fp32\t%d\n' "$1" "$2" \
  $((5 * $1 * $2)) $((2 * 4 * $1 * $2)) $((4 * $1 * $2)); }
expected=$(gemm 256 192 320; gemm 1 1024 512; softmax 256 4096; softmax 3 50257)

# shellcheck disable=SC2086
c() {
  $CC -std=c11 -O2 $warnings "$examples/c/bench.c" -o "$work/bench" $ops -lm || return
  "$work/bench" >"$work/c.jsonl" || return
  same "C: numbers" "$expected" "$(numbers "$work/c.jsonl")"
  roofline records check "$work/c.jsonl" >"$work/log" || { cat "$work/log"; return 1; }
  roofline profiles check "$examples/c/cpu.yaml" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
  roofline price --profiles "$examples/c/cpu.yaml" --format csv "$work/c.jsonl" >"$work/priced.csv" || return
  local priced
  priced=$(grep -cE ',(below|at_ceiling|latency_bound|anomaly),' "$work/priced.csv")
  same "C: rows that were priced" 4 "$priced"
}

# shellcheck disable=SC2086
cpp() {
  echo '#include <dlpack/dlpack.h>' | $CXX -E -x c++ - >/dev/null 2>&1 || { echo "C++: skipped: no DLPack header"; return; }
  $CXX -std=c++17 -O1 $warnings "$examples/cpp/dlpack.cpp" -o "$work/dlpack" $ops || return
  "$work/dlpack" >"$work/cpp.jsonl" || return
  same "C++: numbers" "$expected" "$(numbers "$work/cpp.jsonl")"
}

python() {
  command -v python3 >/dev/null || { echo "Python: skipped: no python3"; return; }
  local library=$libdir/libroofline_ops.so.1
  cp "$examples"/python/*.py "$work"
  python3 "$work/costs.py" "$library" >"$work/python.jsonl" 2>"$work/log" || { cat "$work/log"; return 1; }
  same "Python: numbers" "$expected" "$(numbers "$work/python.jsonl")"
  same "Python: a call that does not fit" \
    "GemmFwdOp: inputs.b.shape: axis 0 is 6, and Stored[trans_b, K, N] gives 5" "$(cat "$work/log")"
  # Every workload row of every operator that ships, against the C program that was generated with them.
  "$BUILD_DIR/bin/rows" | sort >"$work/rows.c" || return
  python3 "$work/costs.py" "$library" rows | sort >"$work/rows.python" || return
  [ "$(wc -l <"$work/rows.c")" -gt 500 ] || wrong "few workload rows"
  cmp -s "$work/rows.c" "$work/rows.python" || wrong "C and Python disagree: $(diff "$work/rows.c" "$work/rows.python" | head)"
}

# Operators of one's own: the CMake example's shared library, and what a call that does not fit is told.
python_own() {
  command -v python3 >/dev/null || { echo "Python: skipped: no python3"; return; }
  cp "$examples"/python/roofline.py "$work"
  cmake -S "$examples/cmake" -B "$work/own" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_VISIBILITY_PRESET=hidden >"$work/log" 2>&1 &&
    cmake --build "$work/own" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
  cat >"$work/own.py" <<'PY'
import sys
from roofline import Ops, RooflineError
mine, shipped = Ops(sys.argv[1], prefix="my"), Ops(sys.argv[2])
print(*sorted(op.name for op in mine), len(list(shipped)) > 100)
cost = mine["ScaleFwdOp"](x=("float16", (64, 64)), factor=0.25)
print(cost.flops, cost.bytes)
for ops, name, arguments in ((mine, "ScaleFwdOp", dict(x=("float16", (64, 64)), facter=0.25)),
                             (mine, "ScaleFwdOp", dict(x=("bfloat", (64, 64)))),
                             (mine, "ScaleFwdOp", dict(x=2)),
                             (mine, "ScaleFwdOp", dict(x=("float16", ("a", "b")))),
                             (mine, "ScaleFwdOp", dict(x=("float16", (64, 64)), factor="half")),
                             (shipped, "GeluFwdOp", dict(approximate="tan")),
                             (shipped, "GemmFwdOp", dict(trans_a=3)),
                             (shipped, "GemmFwdOp", dict(trans_a=object))):
    try:
        ops[name](**arguments)
        print("accepted")
    except RooflineError as why:
        print(str(why)[:78])
try:
    shipped["GemFwdOp"]
except KeyError as why:
    print(str(why)[1:42])
PY
  python3 "$work/own.py" "$work/own/libmy_ops.so" "$libdir/libroofline_ops.so.1" >"$work/own.txt" 2>&1
  same "Python: operators of one's own" "BandScoresFwdOp ScaleFwdOp True
4096 16384
ScaleFwdOp: it takes no 'facter'; did you mean 'factor'? There are x, factor
ScaleFwdOp: there is no dtype 'bfloat'; did you mean 'bfloat16'? There are boo
ScaleFwdOp: x: expected (dtype, shape), not 2
ScaleFwdOp: x: expected (dtype, shape), not ('float16', ('a', 'b'))
ScaleFwdOp: factor: expected a number, not 'half'
GeluFwdOp: approximate: expected one of 'none', 'tanh', not 'tan'
GemmFwdOp: trans_a: expected a bool, not 3
GemmFwdOp: trans_a: expected a bool, not <class 'object'>
GemFwdOp; did you mean 'GemmFwdOp'? There" "$(cat "$work/own.txt")"
}

cuda() {
  local nvcc cuda
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [ -x "$nvcc" ] || { echo "CUDA: skipped: no nvcc"; return; }
  cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  local cupti
  cupti=$(find "$cuda/" -name cupti.h -printf '%h\n' 2>/dev/null | head -1)
  [ -n "$cupti" ] || { echo "CUDA: skipped: no CUPTI"; return; }
  # shellcheck disable=SC2086
  "$nvcc" -std=c++17 -O2 -Werror all-warnings "$examples/cuda/rms_norm.cu" -o "$work/rms_norm" -I"$cupti" \
    -L"$cuda/lib64" -L"$cuda/lib" -L"$cuda/extras/CUPTI/lib64" -lcupti $ops >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
  nvidia-smi -L >/dev/null 2>&1 || { echo "CUDA: compiled; not run: no GPU"; return; }
  "$work/rms_norm" >"$work/cuda.jsonl" || return
  roofline price --format table "$work/cuda.jsonl"
  grep -q '"flops": 33554432, "bytes": 33562624' "$work/cuda.jsonl" || wrong "CUDA: numbers"
}

make_alone() {
  cp -r "$examples/make" "$work/make"
  make -C "$work/make" -s CC="$CC" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
  # By hand, in float32: 1000 + 2000 read and 1000 * 2000 written; in both types, 4096 * 4096 read and written.
  same "make: rows" "$(printf '%s\t%s\t%d\t%d\tcuda_core.fp32\t%d\n' \
    OuterFwdOp small-float32 $((1000 * 2000)) $((4 * (1000 * 2000 + 3000))) $((4 * 3000)) \
    ScaleFwdOp square-float16 $((4096 * 4096)) $((2 * 2 * 4096 * 4096)) $((2 * 4096 * 4096)) \
    ScaleFwdOp square-float32 $((4096 * 4096)) $((2 * 4 * 4096 * 4096)) $((4 * 4096 * 4096)))" "$(cat "$work/log")"
}

for example in c cpp python python_own cuda make_alone; do
  $example || wrong "$example: failed"
done
[ $failures -eq 0 ]
