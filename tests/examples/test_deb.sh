#!/usr/bin/env bash
# cpack's .deb: dpkg installs it into a root of its own (with this machine's list of packages, so that what it depends
# on must be met), its programs run from there, and removing it leaves nothing.
. "$(dirname "$0")/installed.sh"
for program in dpkg dpkg-deb dpkg-shlibdeps; do
  command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done
grep -q '^ROOFLINE_TESTS' "$BUILD_DIR/CMakeCache.txt" || exit 1
cpack -G DEB --config "$BUILD_DIR/CPackConfig.cmake" -B "$work/deb" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
deb=$(find "$work/deb" -maxdepth 1 -name '*.deb')
field() { dpkg-deb -f "$deb" "$1"; }
same "name" rooflinec "$(field Package)"
same "architecture" "$(dpkg --print-architecture)" "$(field Architecture)"
for package in libc6 libjansson4 libyaml-0-2 libcsv3; do
  field Depends | grep -q "$package" || wrong "$package is not among: $(field Depends)"
done
dpkg-deb -c "$deb" | grep -vE ' \./(usr/.*)?$' | grep . && wrong "files outside /usr"

root=$work/root database=$work/database
mkdir -p "$root" && cp -r /var/lib/dpkg "$database" 2>/dev/null && rm -f "$database"/lock*
before=$(find "$root" | wc -l)
unset LD_LIBRARY_PATH
manage() {
  dpkg --force-not-root --force-script-chrootless --no-triggers --log="$work/dpkg.log" --instdir="$root" \
    --admindir="$database" "$@" >"$work/log" 2>&1 || { cat "$work/log"; wrong "dpkg $1"; }
}
manage --install "$deb"
same "version" "rooflinec $(field Version | sed 's/-.*//')" "$(env -i "$root/usr/bin/rooflinec" --version)"
env -i "$root/usr/bin/roofline" price "$root/usr/share/rooflinec/records/h200.jsonl" >"$work/priced" || wrong "roofline price"
env -i "$root/usr/bin/rooflinec" check "$root/usr/share/rooflinec/ops" >"$work/log" || wrong "rooflinec check"
cp "$examples/c/bench.c" "$work" && $CC -O1 "$work/bench.c" -o "$work/bench" -I"$root/usr/include" \
  "$root/usr/lib/libroofline_ops.a" "$root/usr/lib/libroofline.a" -lm && "$work/bench" >"$work/records" ||
  wrong "the C example against the package"
if command -v python3 >/dev/null; then # its shared library, by ctypes: the same numbers
  cost() { grep -oE '"(op|case|flops|bytes|roof_key|read_bytes)": [^,}]*' "$1" | LC_ALL=C sort; }
  cp "$examples"/python/*.py "$work" &&
    env -i "$(command -v python3)" "$work/costs.py" "$root/usr/lib/libroofline_ops.so.1" >"$work/python" 2>"$work/log" ||
    { cat "$work/log"; wrong "the Python example against the package"; }
  same "C and Python" "$(cost "$work/records")" "$(cost "$work/python")"
fi
manage --remove rooflinec
same "left behind" "$before" "$(find "$root" ! -type d -o -path "$root" | wc -l)"
[ $failures -eq 0 ]
