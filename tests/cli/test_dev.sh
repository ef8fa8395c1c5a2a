#!/usr/bin/env bash
# ./dev: what it generates is what is committed, even where that was spoilt; and what it says to a wrong command.
# `./dev demo` is run by test_docs.sh on README.md. `./dev test` cannot be run here: it is what runs this.
. "$(dirname "$0")/cli.sh"
if grep -q '^ROOFLINE_SANITIZE:STRING=.' "$BUILD_DIR/CMakeCache.txt"; then
  echo "skipped: ./dev is the same whatever the build"
  exit 77
fi
for program in cmake ninja python3; do
  command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done
tree=$scratch/rooflinec
mkdir "$tree" && (cd "$SOURCE_DIR" && tar -c --exclude=.git --exclude=./build --exclude=.cache .) | tar -x -C "$tree"
mkdir "$scratch/bin" && cp "$SOURCE_DIR/tests/cli/stand-in/dpkg-query" "$scratch/bin"
export PATH=$scratch/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=2
# A quicker build than the preset's, which ./dev then takes as it is.
cmake -S "$tree" -B "$tree/build/release" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DROOFLINE_TESTS=OFF \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" >"$scratch/log" || { cat "$scratch/log"; exit 1; }

echo '/* spoilt */' | tee -a "$tree/generated/gemm.c" "$tree/generated/registry.h" "$tree/docs/api.md" >"$tree/docs/diagnostics.md"
rm "$tree/generated/norm.h"
expect generate 0 10 '^dev: building release' "$tree/dev" generate
for made in generated docs/api.md docs/diagnostics.md; do
  diff -r "$SOURCE_DIR/$made" "$tree/$made" >"$scratch/log" || fail "./dev generate: $made: $(head -5 "$scratch/log")"
done

expect help 0 20 '^usage: ./dev COMMAND' "$tree/dev" help
expect "no command" 0 20 '^usage: ./dev COMMAND' "$tree/dev"
expect "unknown command" 2 20 "unknown command 'dance'" "$tree/dev" dance
expect "fuzz without a target" 2 1 'needs a target: .*\byaml\b' "$tree/dev" fuzz
# A build that fails shows why, and so does a configuration; neither is mistaken for a build the next time.
echo 'int broken' >>"$tree/text/args.c"
expect "a broken build" 1 40 'text/args.c:' "$tree/dev" generate
rm -r "$tree/build" && echo 'message(FATAL_ERROR "broken")' >>"$tree/CMakeLists.txt"
for again in "" " again"; do
  expect "a broken configuration$again" 1 200 broken "$tree/dev" generate
done
[ -e "$tree/build/release" ] && fail "half a configuration is left"
finish
