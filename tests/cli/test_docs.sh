#!/usr/bin/env bash
# Every command that the documentation shows runs, and prints what the page says it prints; pages written from the
# sources are up to date; links within the project lead somewhere.
. "$(dirname "$0")/cli.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$SOURCE_DIR" || exit 1
pages=(README.md CONTRIBUTING.md docs/*.md)

run=("${pages[@]}")
if grep -q '^ROOFLINE_SANITIZE:STRING=.' "$BUILD_DIR/CMakeCache.txt"; then
  run=("${pages[@]/docs\/using.md/}") # a sanitized build is not one to install
fi
# shellcheck disable=SC2068
python3 tests/cli/docs.py ${run[@]} || fail "commands"

current() { # PAGE COMMAND...
  local page=$1
  shift
  "$@" | cmp -s - "$page" || fail "$page is not what its source gives: run ./dev generate"
}
current docs/api.md python3 docs/api.py runtime/include/roofline
current docs/diagnostics.md "$ROOFLINEC" explain --reference

for page in "${pages[@]}"; do
  while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which is not there"
  done < <(grep -oE '\]\([A-Za-z0-9_/-]+\.?[A-Za-z0-9_./-]*[./][A-Za-z0-9_./-]*(#[^)]*)?\)' "$page" | sed 's/^](//; s/[#)].*//')
done
finish
