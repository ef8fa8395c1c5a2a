#!/usr/bin/env bash
# The runtime, the shipped operators and their formulas for other targets: every workload row has the same numbers on
# a 32-bit size_t, on a big-endian machine, and statically linked against musl. Without warnings; what a machine has
# no compiler for is skipped with a word.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$SOURCE_DIR" || exit 1
grep -q '^ROOFLINE_SANITIZE:STRING=.' "$BUILD_DIR/CMakeCache.txt" && { echo "skipped: once is enough"; exit 77; }
"$BUILD_DIR/bin/rows" >"$work/expected" || exit 1
flags="-std=c11 -pedantic -O0 -Wall -Wextra -Wshadow -Wconversion -Werror -Iruntime/include -Igenerated"
sources="runtime/src/*.c generated/*.c runtime/formulas/*.c $BUILD_DIR/rows/rows_main.c"
failed=0 ran=0

target() { # NAME RUNNER COMPILER...: compiles, runs, compares
  local name=$1 runner=$2
  shift 2
  if ! echo 'int main(void) { return 0; }' | "$@" -x c - -o "$work/try" 2>/dev/null || ! $runner "$work/try" 2>/dev/null; then
    echo "$name: skipped: no compiler, or nothing to run it with"
    return
  fi
  ran=$((ran + 1))
  # shellcheck disable=SC2086
  if ! { printf '%s\n' $sources | xargs -P "$(nproc)" -I{} sh -c \
    'object=$1/$(echo "$2" | tr / _).o; shift 2; "$@" -c "$0" -o "$object"' {} "$work" {} "$@" $flags &&
    "$@" -o "$work/rows" "$work"/*.o -lm; } 2>"$work/log" || [ -s "$work/log" ]; then
    echo "$name: does not build without a word:"
    head -20 "$work/log"
    failed=1
  elif ! $runner "$work/rows" >"$work/found" || ! cmp -s "$work/expected" "$work/found"; then
    echo "$name: other numbers: $(diff "$work/expected" "$work/found" | head -5)"
    failed=1
  else
    echo "$name: $(wc -l <"$work/found") rows, all the same"
  fi
  rm -f "$work"/*.o "$work/rows"
}

target "32 bits (i386)" "" gcc -m32
target "big-endian (s390x, QEMU)" qemu-s390x s390x-linux-gnu-gcc -static
target "musl, static" "" musl-gcc -static
target "portable arithmetic (clang)" "" clang -DROOFLINE_PORTABLE_CHECKED
[ $ran -gt 0 ] || exit 77
exit $failed
