# Shared by tests that compile what rooflinec emits. Sourced; needs the environment of tests/CMakeLists.txt.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sanitize=$(sed -n 's/^ROOFLINE_SANITIZE:STRING=//p' "$BUILD_DIR/CMakeCache.txt" 2>/dev/null || true)
link_flags=()
[ -z "$sanitize" ] || link_flags=("-fsanitize=$sanitize")

need_corpus() {
  if [ ! -d "$SHARED_DIR/corpus" ]; then
    echo "SKIPPED: $SHARED_DIR/corpus is not there"
    exit 77
  fi
}

fail() {
  echo "FAILED: $*"
  exit 1
}

# compile DIR OUTPUT [FILE...]: every source of DIR but its rows_main.c, and the files given.
compile() {
  local dir=$1 output=$2 source sources=()
  shift 2
  for source in "$dir"/*.c; do
    [ "$(basename "$source")" = rows_main.c ] || sources+=("$source")
  done
  "$CC" -std=c11 -O0 "${link_flags[@]}" -I "$SOURCE_DIR/runtime/include" -I "$dir" -o "$output" "${sources[@]}" "$@" \
    "$BUILD_DIR/libroofline.a" -lm
}

# compile_shipped OUTPUT FILE...: with the shipped operators, which the build has compiled.
compile_shipped() {
  local output=$1
  shift
  "$CC" -std=c11 -O0 "${link_flags[@]}" -I "$SOURCE_DIR/runtime/include" -o "$output" "$@" \
    "$BUILD_DIR/libroofline_ops.a" "$BUILD_DIR/libroofline.a" -lm
}
