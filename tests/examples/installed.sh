# Sourced by the tests of this room: the build installed into a temporary prefix, as a user finds it. Sets $prefix
# and $work (both removed at the end) and puts the prefix where programs, compilers and CMake look.
set -u
if grep -q '^ROOFLINE_SANITIZE:STRING=.' "$BUILD_DIR/CMakeCache.txt"; then
  echo "skipped: a sanitized build is not one to install"
  exit 77
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$BUILD_DIR" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
libdir=$(dirname "$(find "$prefix" -name libroofline.a)")
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir CMAKE_PREFIX_PATH=$prefix
unset ROOFLINE_PROFILES
examples=$SOURCE_DIR/tests/examples
failures=0
wrong() { # MESSAGE...
  echo "wrong: $*"
  failures=$((failures + 1))
}
same() { # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] && return
  wrong "$1"
  diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -20
}
