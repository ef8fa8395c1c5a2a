#!/usr/bin/env bash
# What rooflinec prints keeps the published schemas, and manifests keep the manifest's schema.
. "$(dirname "$0")/cli.sh"
python=$(python_with jsonschema yaml) || exit 77
cd "$scratch" || exit 1

"$ROOFLINEC" schema | cmp -s - "$SOURCE_DIR/schemas/manifest.schema.json" ||
  fail "schemas/manifest.schema.json is not what 'rooflinec schema' prints"

manifests=("$SOURCE_DIR"/manifest/types.yaml "$SOURCE_DIR"/manifest/ops/*.yaml)
defects=()
if [ -d "$SHARED_DIR/corpus" ]; then
  manifests+=("$SHARED_DIR"/corpus/*.yaml)
  defects=("$SHARED_DIR"/expected/defects/*.yaml)
else
  echo "SKIP in part: no $SHARED_DIR"
fi
cat >own.yaml <<'Y'
AFwdOp:
  family: a
  familly: b
  status: implemented
  signature: {forall: {M: Dim, n: "DType[float16 | half]"}, inputs: {x: {dtype: n, shape: "[M, é]"}}}
  workloads: [{M: 1, label: "ü", label: b}]
  roofline: {flops: "2 / M + 😀 + Q", func: a.b}
Y
"$ROOFLINEC" check --format json own.yaml "${defects[@]}" >all.json
"$ROOFLINEC" check --format sarif own.yaml "${defects[@]}" >all.sarif
"$ROOFLINEC" check --format json "$SOURCE_DIR/manifest" >clean.json
"$ROOFLINEC" check --format sarif "$SOURCE_DIR/manifest" >clean.sarif

"$python" - "$SOURCE_DIR/schemas" "${manifests[@]}" <<'P' || fail "see above"
import json, re, sys
import jsonschema, yaml

schemas, manifests = sys.argv[1], sys.argv[2:]
failures = []
def load(name):
    schema = json.load(open(f"{schemas}/{name}.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
def hold(validator, value, what):
    failures.extend(f"{what}: {list(e.absolute_path)[:6]}: {e.message[:120]}" for e in validator.iter_errors(value))

diagnostics, manifest = load("diagnostics"), load("manifest")
for name in ("all", "clean"):
    report = json.load(open(f"{name}.json"))
    hold(diagnostics, report, f"{name}.json")
    counts = {s: sum(d["severity"] == s for d in report["diagnostics"]) for s in ("error", "unreached")}
    if counts["error"] != report["summary"]["errors"] or counts["unreached"] != report["summary"]["unreached"]:
        failures.append(f"{name}.json: the summary counts otherwise")
if not json.load(open("all.json"))["diagnostics"]:
    failures.append("all.json is empty")

for path in manifests:
    hold(manifest, yaml.load(open(path), yaml.SafeLoader), path)

# SARIF 2.1.0: the parts its schema requires, and what a viewer relies on.
for name in ("all", "clean"):
    log = json.load(open(f"{name}.sarif"))
    if log["version"] != "2.1.0" or "sarif-2.1.0" not in log["$schema"] or len(log["runs"]) != 1:
        failures.append(f"{name}.sarif: version, schema or runs")
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    ids = [r["id"] for r in rules]
    if run["tool"]["driver"]["name"] != "rooflinec" or len(ids) != len(set(ids)) or run.get("columnKind") != "utf16CodeUnits":
        failures.append(f"{name}.sarif: driver, rules or columnKind")
    seen = set()
    for r in run["results"]:
        if ids[r["ruleIndex"]] != r["ruleId"] or r["level"] not in ("error", "warning", "note", "none") or not r["message"]["text"]:
            failures.append(f"{name}.sarif: {r}")
        for place in r["locations"] + r.get("relatedLocations", []):
            region = place["physicalLocation"]["region"]
            if min(region["startLine"], region["startColumn"]) < 1 or (region["endLine"], region["endColumn"]) < (region["startLine"], region["startColumn"]):
                failures.append(f"{name}.sarif: region {region}")
        print_ = tuple(sorted(r["partialFingerprints"].items()))
        key = (r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], print_)
        if not print_ or key in seen:
            failures.append(f"{name}.sarif: fingerprint of {r['ruleId']} missing or twice")
        seen.add(key)
# UTF-16 columns: the emoji before Q is one character and two units.
text = open("own.yaml").read().splitlines()[6]
q = [d for d in json.load(open("all.json"))["diagnostics"] if "'Q'" in d["message"] and d["file"] == "own.yaml"]
s = [r for r in json.load(open("all.sarif"))["runs"][0]["results"] if "'Q'" in r["message"]["text"] and r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("own.yaml")]
if q and s:
    column = text.index("Q") + 1
    units = len(text[:column - 1].encode("utf-16-le")) // 2 + 1
    if q[0]["column"] != column or s[0]["locations"][0]["physicalLocation"]["region"]["startColumn"] != units:
        failures.append(f"columns of Q: {q[0]['column']} and {s[0]['locations'][0]['physicalLocation']['region']['startColumn']}, not {column} and {units}")
else:
    failures.append("no diagnostic about Q")
for f in failures[:20]:
    print("FAIL:", f)
sys.exit(1 if failures else 0)
P
finish
