#!/usr/bin/env bash
# Input that is not a manifest: each ends in one clear message and exit status 1 or 2, nothing half-written.
. "$(dirname "$0")/cli.sh"
cd "$scratch" || exit 1

cp "$SOURCE_DIR/manifest/ops/bmm.yaml" good.yaml
: >empty.yaml
printf '# nothing\n# here yet\n' >comments.yaml
printf '\xef\xbb\xbf' >bom.yaml
printf 'a\0b: 1\n' >nul.yaml
printf 'name: caf\xe9\n' >latin1.yaml
printf '\xff\xfeG\0e\0' >utf16.yaml
printf 'AFwdOp: {family: [\n' >broken.yaml
printf -- '- a\n- b\n' >list.yaml
mkdir hollow closed full
head -c 4096 /dev/urandom >random.yaml

expect "missing file" 2 3 'cannot read nowhere.yaml: No such file' "$ROOFLINEC" check nowhere.yaml
expect "missing beside good" 2 3 'cannot read nowhere.yaml' "$ROOFLINEC" check good.yaml nowhere.yaml
expect "folder without yaml" 2 3 'no \*\.yaml file in hollow' "$ROOFLINEC" check hollow
expect "empty file" 1 5 'empty.yaml:1:1: error\[RL0803\]' "$ROOFLINEC" check empty.yaml
expect "only comments" 1 5 'comments.yaml:1:1: error\[RL0803\]' "$ROOFLINEC" check comments.yaml
expect "only a BOM" 1 5 'bom.yaml:1:1: error' "$ROOFLINEC" check bom.yaml
expect "NUL byte" 1 5 'nul.yaml:1:2: error.*NUL' "$ROOFLINEC" check nul.yaml
expect "not UTF-8" 1 5 'latin1.yaml:1:10: error.*UTF-8' "$ROOFLINEC" check latin1.yaml
expect "UTF-16" 1 5 'utf16.yaml:1:1: error.*UTF-16' "$ROOFLINEC" check utf16.yaml
expect "random bytes" 1 6 'random.yaml:[0-9]+:[0-9]+: error' "$ROOFLINEC" check random.yaml
expect "broken YAML" 1 9 'broken.yaml:[12]:[0-9]+: error\[RL0101\]' "$ROOFLINEC" check broken.yaml
expect "a list" 1 5 'list.yaml:1:1: error\[RL0802\]' "$ROOFLINEC" check list.yaml
expect "judgements unreached" 0 1 '^1 op: no defects, 1 judgement unreached \(see --notes\)$' \
  "$ROOFLINEC" check --rows none "$SOURCE_DIR/tests/examples/make/ops/scale.yaml"
expect "judgements unreached, shown" 0 9 '^1 op.*, 1 judgement unreached$' \
  "$ROOFLINEC" check --rows none --notes "$SOURCE_DIR/tests/examples/make/ops/scale.yaml"
expect "large file" 1 5 '--max-file-bytes' "$ROOFLINEC" check --max-file-bytes 100 good.yaml
expect "standard input" 1 3 'error' "$ROOFLINEC" check -
expect "no operand" 2 4 'PATH' "$ROOFLINEC" check
expect "unknown option" 2 4 "did you mean '?--strict" "$ROOFLINEC" check --strct good.yaml
expect "unknown command" 2 4 "did you mean '?check" "$ROOFLINEC" chek good.yaml
expect "emit without place" 2 3 'give -o DIR' "$ROOFLINEC" emit good.yaml
expect "bad prefix" 2 3 'no C identifier' "$ROOFLINEC" emit -o out --prefix 9x good.yaml
expect "unknown code" 2 3 "no code 'RL9999'" "$ROOFLINEC" explain RL9999
for command in check emit schema explain; do
  expect "$command --help" 0 200 '^Usage: rooflinec' "$ROOFLINEC" "$command" --help
done
expect "version" 0 1 '^rooflinec [0-9]+\.[0-9]+\.[0-9]+$' "$ROOFLINEC" --version
expect "a command's version" 0 1 '^rooflinec [0-9]+' "$ROOFLINEC" check --version

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$scratch"; chmod 000 closed; cp good.yaml secret.yaml; chmod 000 secret.yaml
  expect "unreadable folder" 2 3 'cannot read closed: Permission denied' "${as_nobody[@]}" "$ROOFLINEC" check closed
  expect "unreadable file" 2 3 'cannot read secret.yaml: Permission denied' "${as_nobody[@]}" "$ROOFLINEC" check secret.yaml
  chmod 755 closed
  expect "read-only output" 2 3 'rooflinec emit: ' "${as_nobody[@]}" "$ROOFLINEC" emit -o closed/new good.yaml
fi

# Output that cannot be written: exit status 2, and what was there stays whole.
"$ROOFLINEC" emit -o full good.yaml || fail "emit"
"$ROOFLINEC" emit -o a/new/place/ good.yaml && [ -e a/new/place/registry.c ] || fail "emit into folders to be made"
sed 's/2 \* B \* M \* N \* K/4 * B * M * N * K/' good.yaml >other.yaml
cmp -s good.yaml other.yaml && fail "the edit changed nothing"
before=$(cat full/* | cksum)
(trap '' XFSZ; ulimit -f 2; "$ROOFLINEC" emit -o full other.yaml) >out 2>&1
[ $? -eq 2 ] || fail "full disk: $(cat out)"
[ "$(wc -l <out)" -eq 1 ] || fail "full disk: not one line: $(cat out)"
[ "$(cat full/* | cksum)" = "$before" ] || fail "full disk: an old output changed"
[ "$(find full -type f | wc -l)" -eq "$(find full -name '*.[ch]' | wc -l)" ] || fail "full disk: left $(ls full)"
: >taken
expect "output is a file" 2 3 'rooflinec emit: ' "$ROOFLINEC" emit -o taken good.yaml
"$ROOFLINEC" check good.yaml >/dev/full 2>err
[ $? -eq 2 ] || fail "full standard output of check"
grep -q 'No space left' err || fail "full standard output: $(cat err)"
"$ROOFLINEC" check good.yaml >&- 2>err
[ $? -eq 2 ] || fail "closed standard output: $(cat err)"
printf 'AFwdOp: {}\n' >bad.yaml
expect "emit of defects" 1 40 'error' "$ROOFLINEC" emit -o fresh bad.yaml
[ ! -e fresh ] || fail "emit of defects made a folder"
# Pipes that lie in a folder are not waited for, and a file of the output is no place for the depfile.
mkdir piped
cp good.yaml piped/
mkfifo piped/pipe.yaml
expect "a pipe in a folder" 2 60 'not a regular file' timeout 10 "$ROOFLINEC" check piped
"$ROOFLINEC" emit -o clean good.yaml || fail "emit"
mkfifo clean/pipe.c
timeout 10 "$ROOFLINEC" emit --check -o clean good.yaml >/dev/null || fail "a pipe among the output"
expect "depfile over an output" 2 3 'is a file that emit writes' "$ROOFLINEC" emit -o clean --depfile clean/registry.c good.yaml
finish
