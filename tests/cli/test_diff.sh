#!/usr/bin/env bash
# roofline diff: what moved, what did not, and what is not comparable.
set -u
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 - "$ROOFLINE" "$SHARED_DIR/expected/records_h200.jsonl" "$dir" <<'PY'
import json, os, subprocess, sys
roofline, h200, tmp = sys.argv[1:4]
failures = []

def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAIL:", what)

def record(case, ms, **fields):
    return dict(op="Op", case=case, device="NVIDIA H200", timing="cupti", roof_key="cuda_core.fp32", bytes=100, flops=100, device_busy_ms=ms) | fields

def write(name, rows):
    open(f"{tmp}/{name}", "w").write("".join(r if isinstance(r, str) else json.dumps(r) + "\n" for r in rows))
    return f"{tmp}/{name}"

def diff(old, new, *args):
    p = subprocess.run([roofline, "diff", write("old.jsonl", old), write("new.jsonl", new), *args], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr

def changes(old, new, *args):
    code, out, err = diff(old, new, "--format", "json", "--all", *args)
    return {r["case"]: r["change"] for r in json.loads(out)["rows"]}

old = [record("slow", 1.0), record("just", 1.0), record("under", 1.0), record("fast", 1.1), record("flops", 1.0), record("bytes", 1.0), record("gone", 1.0),
       record("noisy", 1.0, p10_ms=0.8, p90_ms=1.2), record("clear", 1.0, p10_ms=0.9, p90_ms=1.05), record("timing", 1.0), record("blank", None), record("copies", 0.5, uncounted_copy_ms=0.5)]
new = [record("slow", 2.0), record("just", 1.1), record("under", 1.0999), record("fast", 1.0), record("flops", 1.0, flops=101), record("bytes", 9.0, bytes=101), record("new", 1.0),
       record("noisy", 1.3, p10_ms=1.1, p90_ms=1.5), record("clear", 1.2, p10_ms=1.06, p90_ms=1.3), record("timing", 9.0, timing="host"), record("blank", 1.0), record("copies", 0.5, uncounted_copy_ms=1.0)]
want = dict(slow="regression", just="regression", under="same", fast="improvement", flops="changed_workload", bytes="changed_workload", gone="removed", new="added",
            noisy="noise", clear="regression", timing="changed_timing", blank="no_time", copies="regression")
got = changes(old, new)
check(got == want, f"{ {k: (got.get(k), v) for k, v in want.items() if got.get(k) != v} }")
check(changes(old, new, "--threshold", "0.5")["just"] == "same" and changes(old, new, "--threshold", "0.5")["slow"] == "regression", "--threshold")
check(set(changes(old, old).values()) == {"same", "no_time"}, "a file against itself")
code, out, err = diff(old, new)
check(code == 0 and "same" not in [l.split()[0] for l in out.splitlines() if l.startswith("same")], "only what moved is listed")
check("flops 100 -> 101" in out and "bytes 100 -> 101" in out and "2.00x slower" in out and "1.10x faster" in out, f"what moved is said: {out}")
table, summary = out.split("\n\n")
check(max(map(len, table.splitlines())) <= 100, "the table fits")
check(summary.splitlines() == ["4 slower, 1 faster, 2 other workload, 1 other timing, 1 no time, 1 added, 1 removed, 1 within noise, 1 same",
                               "a move is 10 % or more, beyond the p10 to p90 spreads"], f"the summary is a line a sentence: {summary}")
check(out.index("2.00x slower") < out.index("1.20x slower") < out.index("1.10x slower") < out.index("faster"), "largest regression first")
code, out, err = diff(old, new, "--format", "md")
check(len([l for l in out.splitlines() if l.startswith("- ")]) == 2, f"in markdown an item a sentence: {out}")
code, out, err = diff([record("as is", 1.0), record("nearly", 1.0)], [record("as is", 1.0), record("nearly", 1.06)], "--all")
rows = {case: l for case in ("as is", "nearly") for l in out.splitlines() if l.startswith("same") and case in l}
check("slower" not in rows["as is"] and "1.06x slower" in rows["nearly"], f"a time that is the same is not slower: {out}")
check(diff(old, new, "--fail-on", "regression")[0] == 1 and diff(old, old, "--fail-on", "regression")[0] == 0, "--fail-on regression")
check(diff(old, new, "--fail-on", "speed")[0] == 2 and diff(old, new, "--threshold", "-1")[0] == 2, "usage")
check(subprocess.run([roofline, "diff", "/does/not/exist", f"{tmp}/new.jsonl"], capture_output=True).returncode == 2, "a file that is not there")
code, out, err = diff(old + ["{broken\n"], new)
check(code == 1 and "slower" in out and ":13:" in err, "a malformed line is reported, the rest compared")
code, out, err = diff([record("again", 1.0), record("again", 2.0)], [record("again", 2.0)], "--format", "json")
check(json.loads(out)["summary"]["same"] == 1 and json.loads(out)["summary"]["repeated"] == 1 and "repeat" in err, "of one key, the last counts")
check(changes([record("a", 1.0, tag="x"), record("a", 1.0, tag="y", device="D")], [record("a", 1.0, tag="x")])["a"] in ("removed", "same"), "tag and device are part of the key")
code, out, err = diff([record("<script>|`", 1.0)], [record("<script>|`", 2.0)], "--format", "md")
check("`` <script>\\|` ``" in out, f"names are code in markdown: {out}")
long = [record("c" * 70, 1.0, op="O" * 90, tag="tag"), record("flops" * 20, 1.0)], [record("c" * 70, 2.0, op="O" * 90, tag="tag"), record("flops" * 20, 1.0, flops=101)]
for width in 80, 100, 150:
    table = diff(*long, "--width", str(width))[1].split("\n\n")[0].splitlines()
    check(len(table) == 2 and max(map(len, table)) <= width and any("…" in l for l in table), f"--width {width}: {table}")
table = diff(*long, "--width", "0")[1]
check("O" * 90 + " tag" in table and "c" * 70 in table and "…" not in table, f"--width 0 cuts nothing: {table}")
if os.path.exists(h200):
    rows = [json.loads(l) for l in open(h200)]
    moved = [dict(r, **{k: r[k] * (2 if i % 100 == 0 else 1) for k in ("device_busy_ms", "p10_ms", "p90_ms")}) for i, r in enumerate(rows)]
    code, out, err = diff(rows, moved, "--format", "json")
    check(json.loads(out)["summary"]["regression"] == 17 and json.loads(out)["summary"]["same"] == 1588, "17 of the 1,605 measured rows made twice as slow")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
PY
