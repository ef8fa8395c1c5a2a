#!/usr/bin/env bash
# The workflow's own command and the pre-commit hook's entry, run on a project with and without a defect.
. "$(dirname "$0")/installed.sh"
workflow=$examples/ci/rooflinec.yml hooks=$SOURCE_DIR/.pre-commit-hooks.yaml
command=$(sed -n 's/^ *run: \(rooflinec .*\)/\1/p' "$workflow")
entry=$(sed -n 's/^ *entry: //p' "$hooks")
files=$(sed -n 's/^ *files: //p' "$hooks")
[ -n "$command" ] && [ -n "$entry" ] || { echo "no command in $workflow or $hooks"; exit 1; }

cp -r "$examples/cmake" "$work/project" && cd "$work/project" || exit 1
bash -ec "$command" || wrong "the workflow on a sound project"
grep -q '"results": \[\]' rooflinec.sarif || wrong "results for a sound project: $(cat rooflinec.sarif)"
changed() { find . -name '*.yaml' -printf '%P\n' | grep -E "$files"; }
same "files that the hook takes" "$(printf 'ops/scale.yaml\nops/scores.yaml')" "$(changed | sort)"
# shellcheck disable=SC2046
$entry $(changed) >"$work/log" || wrong "the hook on a sound project: $(cat "$work/log")"

sed -i 's/"prod(S)"/"prod(R)"/' ops/scale.yaml
bash -ec "$command" && wrong "the workflow passes a defect"
$entry ops/scale.yaml >"$work/log" && wrong "the hook passes a defect"
grep -q RL0412 "$work/log" || wrong "the hook does not say what is wrong"
if command -v python3 >/dev/null; then # what an upload reads: where, and which rule
  same "the alert" "RL0412 ops/scale.yaml 13" "$(python3 -c '
import json
result, = json.load(open("rooflinec.sarif"))["runs"][0]["results"]
place = result["locations"][0]["physicalLocation"]
print(result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"])')"
fi

[ $failures -eq 0 ]
