#!/usr/bin/env bash
# Every command that the documentation shows runs, and prints what the page says it prints; code that it shows is
# built by a test; pages written from the
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

# What nothing would run is refused: commands in other fences, code that stands nowhere else, words that are not there.
cat >"$scratch/escapes.md" <<'END'
```
rooflinec check ops
```
```console
$ rooflinec check ops
```
```text
./dev demo
```
```c
int nowhere;
```
Text, and `rooflinec check --stricter`, `roofline prise`, `./dev dance`; but `rooflinec check --strict PATH` is fine.

    cmake -B build
END
python3 tests/cli/docs.py "$scratch/escapes.md" >"$scratch/log" && fail "a page whose commands nothing runs passes"
for line in 2 4 8 10 13:.*--stricter 13:.*prise 13:.*dance 15; do
  grep -q "escapes.md:$line" "$scratch/log" || fail "docs.py does not refuse line $line: $(cat "$scratch/log")"
done
[ "$(grep -c 'escapes.md:[0-9]' "$scratch/log")" = 8 ] || fail "docs.py refuses more: $(cat "$scratch/log")"
printf '```sh\necho one\n```\n```text\ntwo\n```\n' >"$scratch/other.md"
printf '```sh\necho one\n```\n' >"$scratch/silent.md"
printf '```sh\nfalse\ntrue\n```\n' >"$scratch/fails.md"
for page in other silent fails; do
  python3 tests/cli/docs.py "$scratch/$page.md" >"$scratch/log" && fail "docs.py passes $page.md"
done

current() { # PAGE COMMAND...
  local page=$1
  shift
  "$@" | cmp -s - "$page" || fail "$page is not what its source gives: run ./dev generate"
}
current docs/api.md python3 docs/api.py runtime/include/roofline
current docs/diagnostics.md "$ROOFLINEC" explain --reference

# Every dtype and reason is listed; no macro is shown twice with two meanings.
for word in ROOFLINE_BFLOAT16, ROOFLINE_FLOAT8_E8M0FNU, ROOFLINE_REASON_NO_ROOF,; do
  grep -q "^  $word /\* \"" docs/api.md || fail "docs/api.md does not list $word"
done
twice=$(grep -oE '^#define \w+' docs/api.md | sort | uniq -d)
[ -z "$twice" ] || fail "docs/api.md shows twice: $twice"

# What ships cites pages that are there, by a heading that they have: the design pages' sections are elsewhere.
shipped=(runtime/include generated/*.h manifest schemas cmake/package README.md CHANGELOG.md docs)
grep -rnE '[a-z]+\.md §' "${shipped[@]}" && fail "a page's section, of pages that are not in this repository"
cited=$(grep -rhoE 'docs/[a-z]+\.md "[^"]+"' "${shipped[@]}" | sort -u)
[ "$(wc -l <<<"$cited")" -ge 9 ] || fail "the headers cite few pages: $cited"
while read -r page heading; do
  heading=${heading#\"}
  grep -qxE "#+ ${heading%\"}" "$page" || fail "$page has no heading \"${heading%\"}\""
done <<<"$cited"

for page in "${pages[@]}"; do
  while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which is not there"
  done < <(grep -oE '\]\([A-Za-z0-9_/-]+\.?[A-Za-z0-9_./-]*[./][A-Za-z0-9_./-]*(#[^)]*)?\)' "$page" | sed 's/^](//; s/[#)].*//')
done
finish
