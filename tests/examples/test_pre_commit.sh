#!/usr/bin/env bash
# The pre-commit hook, set up as docs/using.md says: a commit with a defect is refused with its diagnostic, a sound one
# is made, and what a commit does not touch is not looked at.
. "$(dirname "$0")/installed.sh"
for program in pre-commit git; do
  command -v $program >/dev/null || { echo "skipped: no $program (Debian: $program)"; exit 77; }
done
export HOME=$work PRE_COMMIT_HOME=$work/cache GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost

# This repository's place is taken by one that has its hook and a release.
hooks=$work/rooflinec
git init -q "$hooks" && cp "$SOURCE_DIR/.pre-commit-hooks.yaml" "$hooks" && git -C "$hooks" add -A &&
  git -C "$hooks" commit -qm hooks && git -C "$hooks" tag v1.0.0 || exit 1
cp -r "$examples/cmake" "$work/project" && cd "$work/project" || exit 1
sed "s|https://github.com/you/rooflinec|$hooks|" "$examples/ci/.pre-commit-config.yaml" >.pre-commit-config.yaml
git init -q . && pre-commit install >"$work/log" || { cat "$work/log"; exit 1; }

commit() { # accepted|refused WHAT FILES...
  local found=accepted
  git add -- "${@:3}" || exit 1
  git commit -qm "$2" >"$work/log" 2>&1 || found=refused
  same "$2" "$1" "$found"
}
hook_says() { grep -q "$1" "$work/log" || { wrong "no '$1' in what the hook says"; cat "$work/log"; }; }

commit accepted "a sound project" .
hook_says 'rooflinec check\.*Passed'
sed -i 's/"prod(S)"/"prod(R)"/' ops/scale.yaml
commit refused "a defect" ops/scale.yaml
hook_says "ops/scale.yaml:13:18: error\[RL0412\]: unknown name 'R' in roofline.flops"
git commit -qnm "a defect, unchecked"
echo '# nothing' >>ops/scores.yaml
commit accepted "another file" ops/scores.yaml
hook_says 'rooflinec check\.*Passed'
echo '# nothing' >>costs.c
commit accepted "no manifest file" costs.c
hook_says 'rooflinec check.*(no files to check)Skipped'
pre-commit run --all-files >"$work/log" 2>&1 && wrong "all files pass"
hook_says RL0412
sed -i 's/"prod(R)"/"prod(S)"/' ops/scale.yaml
commit accepted "the defect mended" ops/scale.yaml
[ $failures -eq 0 ]
