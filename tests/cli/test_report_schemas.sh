#!/usr/bin/env bash
# The published schemas: reports and written records satisfy them, and `records check` agrees with them.
. "$(dirname "$0")/cli.sh"
python=$(python_with jsonschema) || exit 77
dir=$scratch
"$python" - "$ROOFLINE" "$SOURCE_DIR" "$SHARED_DIR/expected/records_h200.jsonl" "$dir" <<'PY'
import copy, json, os, random, subprocess, sys
import jsonschema
roofline, source, h200, tmp = sys.argv[1:5]
failures = []

def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAIL:", what)

def load(name):
    schema = json.load(open(f"{source}/schemas/{name}.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)

record, report = load("record"), load("report")
row = jsonschema.Draft202012Validator({**report.schema["$defs"]["row"], "$defs": report.schema["$defs"]})

def run(*args, text=""):
    p = subprocess.run([roofline, *args], input=text.encode(), capture_output=True)
    return p.returncode, p.stdout.decode()

good = dict(op="Op", case="case", device="NVIDIA H200", timing="cupti", roof_key="cuda_core.fp32", bytes=33562624, flops=33554432, device_busy_ms=0.0093)
texts = [json.dumps(good), json.dumps({**good, "tag": "t", "run": {"a": 1}, "timing": "x"}), json.dumps({**good, "device": "?"}),
         json.dumps({**good, "device_busy_ms": 1e-300, "flops": 2**63 - 1}), "{broken"]
if os.path.exists(h200):
    texts += open(h200).read().splitlines()
    bad = [e.message for line in open(h200) for e in record.iter_errors(json.loads(line))]
    check(bad == [], f"the measured records satisfy the schema: {bad[:3]}")
    check(run("records", "check", h200)[0] == 0, "and records check")
for args in ((), ("--theoretical",)):
    code, out = run("price", "--profiles", source + "/manifest/profiles", "--format", "json", *args, text="\n".join(texts))
    errors = [f"{list(e.path)}: {e.message}" for e in report.iter_errors(json.loads(out))]
    check(errors == [], f"the json report {args} satisfies its schema: {errors[:3]}")
    code, out = run("price", "--profiles", source + "/manifest/profiles", "--format", "jsonl", *args, text="\n".join(texts))
    check(len(out.splitlines()) == len(texts) - 1 and all(row.is_valid(json.loads(line)) for line in out.splitlines()), f"so does every jsonl row {args}")

# A diff in which each change happens once, and one of nothing. The schema knows no change that does not happen.
diff_schema = load("diff")
old = [dict(case="slow"), dict(case="fast", device_busy_ms=1), dict(case="flops"), dict(case="timing"), dict(case="blank", device_busy_ms=None),
       dict(case="gone"), dict(case="noisy", p10_ms=0.001, p90_ms=1), dict(case="same"), dict(case="same"), dict(case="tag", tag="t", device=None)]
new = [dict(case="slow", device_busy_ms=1), dict(case="fast"), dict(case="flops", flops=None), dict(case="timing", timing="host"), dict(case="blank"),
       dict(case="new"), dict(case="noisy", device_busy_ms=0.02, p10_ms=0.001, p90_ms=1), dict(case="same"), dict(case="tag", tag="t", device=None)]
for name, rows in ("old", old), ("new", new), ("none", []):
    open(f"{tmp}/{name}.jsonl", "w").write("".join(json.dumps({**good, **r}) + "\n" for r in rows))
happened = set()
for args in (("old", "new", "--all"), ("old", "new"), ("none", "none"), ("none", "new", "--threshold", "1e-6")):
    code, out = run("diff", "--format", "json", *(f"{tmp}/{a}.jsonl" if a in ("old", "new", "none") else a for a in args))
    errors = [f"{list(e.path)}: {e.message}" for e in diff_schema.iter_errors(json.loads(out))]
    check(errors == [], f"the diff {args} satisfies its schema: {errors[:3]}")
    happened |= {r["change"] for r in json.loads(out)["rows"]}
check(happened == set(diff_schema.schema["$defs"]["change"]["enum"]), f"changes that happened: {happened}")

# A record with random faults: the schema and the checker refuse the same ones.
random.seed(11)
values = [None, "", "text", 0, 1, -1, 2.5, 3.0, 2**63 - 1, True, [], {}, {"a": [1]}]
keys = list(record.schema["properties"]) + ["extra"]
disagree = []
for i in range(400):
    r = copy.deepcopy(good)
    for _ in range(random.randrange(1, 3)):
        key = random.choice(keys)
        if random.random() < 0.3:
            r.pop(key, None)
        else:
            r[key] = random.choice(values)
    path = f"{tmp}/r.jsonl"
    open(path, "w").write(json.dumps(r) + "\n")
    if record.is_valid(r) != (run("records", "check", path)[0] == 0):
        disagree.append((r, [e.message for e in record.iter_errors(r)]))
check(disagree == [], f"records check and the schema agree: {disagree[:3]}")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
PY
