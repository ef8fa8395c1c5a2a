#!/usr/bin/env bash
# roofline audit as a user runs it: every verdict and boundary, every oddity of ncu's CSV (tests/cli/audit/),
# maps and ranges, exceptions, formats, exit statuses, and the plan.
. "$(dirname "$0")/cli.sh"
python=$(python_with jsonschema) || exit 77
"$python" - "$ROOFLINE" "$SOURCE_DIR" "$BUILD_DIR" "$scratch" "$ROOFLINEC" "$CC" <<'PY'
import csv, glob, io, json, os, re, subprocess, sys
import jsonschema
roofline, source, build, tmp, rooflinec, cc = sys.argv[1:7]
schema = json.load(open(source + "/schemas/audit.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
schema = jsonschema.Draft202012Validator(schema)
samples = source + "/tests/cli/audit/"
os.environ.pop("ROOFLINE_OPS", None)
os.chdir(tmp)
failures = []
DECLARED = 58720256

def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAIL:", what)

def write(name, text):
    open(name, "w").write(text)
    return name

def run(*args, env=None, text=""):
    p = subprocess.run([roofline, "audit", *args], input=text.encode(), capture_output=True, env={**os.environ, **(env or {})})
    return p.returncode, p.stdout.decode(), p.stderr.decode()

def record(case, reads=DECLARED, op="Op", **more):
    r = {"op": op, "case": case, "device": "NVIDIA H200", "read_bytes": reads, **more}
    return json.dumps({k: v for k, v in r.items() if v is not None}) + "\n"

HEADER = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
def kernel(id, name, reads, writes=0):
    return "".join(f'"{id}","{name}","dram__bytes_{half}.sum","byte","{n}"\n' for half, n in (("read", reads), ("write", writes)))

def audit(records, *args, **env):
    """The report of an audit as JSON, its rows by case, the exit status, standard error."""
    code, out, err = run("--records", write("records.jsonl", records), "--format", "json", *args, **env)
    report = json.loads(out) if out else None
    errors = [f"{list(e.path)}: {e.message}" for e in schema.iter_errors(report)] if report else []
    check(errors == [], f"the report satisfies its schema: {errors[:3]}")
    return report, {r["case"]: r for r in report["rows"]} if report else {}, code, err

# ---- the worked numbers, and every boundary one byte to each side ----
reads = {"same": (DECLARED, 58731520, "PASS"), "half": (DECLARED, 29360128, "FAIL"), "twice": (DECLARED, 117440512, "WARN"),
         "low": (2000, 1900, "PASS"), "below-low": (2000, 1899, "FAIL"), "above-low": (2000, 1901, "PASS"),
         "high": (2000, 3000, "PASS"), "below-high": (2000, 2999, "PASS"), "above-high": (2000, 3001, "WARN")}
write("n.csv", HEADER + "".join(kernel(i, f"Op/{case}", m, 77) for i, (case, (_, m, _)) in enumerate(reads.items())))
report, rows, code, err = audit("".join(record(c, d) for c, (d, _, _) in reads.items()), "n.csv")
for case, (declared, measured, verdict) in reads.items():
    r = rows[case]
    check(r["verdict"] == verdict and r["declared_read_bytes"] == declared and r["measured_read_bytes"] == measured and
          r["measured_write_bytes"] == 77 and r["kernels"] == 1 and r["premise"] == "cold caches" and
          r["ratio"] == measured / declared and (r["reason"] is None) == (verdict == "PASS"), f"{case}: {r}")
check(code == 1 and err == "", f"a FAIL is red: {code} {err}")
check(audit(record("same") + record("twice"), "n.csv")[2] == 0, "PASS and WARN are green")

# ---- each verdict, in its order ----
write("map.csv", "op,case,id,skip\nOp,unrun,,no memory\nOp,lost,90,\nOp,negative-unrun,,x\nOp,zero-lost,91,\nOp,zero,0,\nOp,undeclared,1,\nOp,undeclared-lost,92,\nOp,negative,2,\nOp,unrecorded,3,\nOp,zero-unrun,,no kernel\n")
report, rows, code, err = audit(record("unrun") + record("lost") + record("negative-unrun", -1) + record("zero-lost", 0) + record("zero", 0) +
    record("undeclared", None) + record("undeclared-lost", None) + record("negative", -5) + record("unlisted") + record("zero-unrun", 0), "--map", "map.csv", "n.csv")
want = {"unrun": "SKIPPED", "lost": "ERROR", "negative-unrun": "ERROR", "zero-lost": "ERROR", "zero": "SKIPPED", "undeclared": "NO-VERDICT",
        "undeclared-lost": "NO-VERDICT", "negative": "ERROR", "unlisted": "SKIPPED", "unrecorded": "NO-VERDICT", "zero-unrun": "SKIPPED"}
check({c: r["verdict"] for c, r in rows.items()} == want, f"verdicts by the map: { {c: r['verdict'] for c, r in rows.items()} }")
check(rows["unrun"]["reason"] == "not run: no memory", "the map's reason is the row's")
check(report["summary"]["NO-VERDICT"] == 3 and report["summary"]["ERROR"] == 4 and report["summary"]["SKIPPED"] == 4 and report["summary"]["rows"] == 11, f"summary: {report['summary']}")
check(report["summary"]["unmatched_kernels"] == len(report["unmatched_kernels"]) == 5 and
      {k["id"] for k in report["unmatched_kernels"]} == {"4", "5", "6", "7", "8"}, "kernels that nobody claims are listed")
check(code == 1, "NO-VERDICT and ERROR are red")
check(audit(record("unrun"), "--map", write("one.csv", "op,case,skip\nOp,unrun,no memory\n"))[2] == 0, "SKIPPED is green")
check(audit(record("lost"), "n.csv")[1]["lost"]["verdict"] == "ERROR", "without a map, a row without a kernel is an error")

# ---- what is green ----
for green, exits in (("FAIL,PASS,WARN", 0), ("PASS", 1), ("PASS,WARN", 1)):
    check(audit("".join(record(c, d) for c, (d, _, _) in reads.items()), "n.csv", "--green", green)[2] == exits, f"--green {green}")
for wrong in ("pass", "PASS,", "", "OK", "PASS,FALL"):
    code, out, err = run("--records", "records.jsonl", "n.csv", "--green", wrong)
    check(code == 2 and out == "" and "no verdict" in err, f"--green '{wrong}' is a usage error: {code} {err}")
check("did you mean FAIL?" in run("--records", "records.jsonl", "n.csv", "--green", "PASS,FALL")[2], "a near verdict is suggested")

# ---- each oddity of the CSV: verdict, reads, writes, kernels, exit status, what is said ----
ok = ("PASS", 58731520, 29360128)
bad = ("ERROR", None, None)
for name, (verdict, read, written), kernels, exits, said in (
        ("log_lines", ok, 1, 0, None), ("log_after", ok, 1, 0, None), ("thousands", ok, 1, 0, None), ("crlf", ok, 1, 0, None), ("bom", ok, 1, 0, None),
        ("no_unit_column", ok, 1, 0, None), ("column_order", ok, 1, 0, None), ("no_last_line_end", ok, 1, 0, None), ("same_twice", ok, 1, 0, None),
        ("several_kernels", ok, 2, 0, None), ("several_ids", ok, 2, 0, None), ("interleaved", ok, 2, 0, None), ("appended", ok, 2, 0, None), ("units", ok, 2, 0, None),
        ("decimal_comma", bad, 1, 1, "is '58,73', not a number of bytes"),
        ("unit_unknown", bad, 1, 1, "is in 'MiB', which is no unit of bytes"),
        ("missing_metric", bad, 2, 1, "kernel 1 has no dram__bytes_write.sum"),
        ("other_metrics_only", bad, 2, 1, "kernel 1 has no dram__bytes_read.sum"),
        ("not_available", bad, 1, 1, "kernel 0: dram__bytes_read.sum is 'n/a', not a number of bytes"),
        ("nan", bad, 1, 1, "kernel 0: dram__bytes_write.sum is '(!) nan', not a number of bytes"),
        ("negative", bad, 1, 1, "is '-58,731,520', not a number of bytes"),
        ("two_values", bad, 1, 1, "dram__bytes_read.sum has two values"),
        ("too_large", bad, 1, 1, "more than 64 bits hold"),
        ("sum_too_large", bad, 2, 1, "the sum over its kernels does not fit 64 bits"),
        ("truncated", bad, 2, 1, "kernel 1 has no dram__bytes_write.sum"),
        ("header_only", bad, 0, 1, "no kernel was measured for it"),
        ("no_kernels", bad, 0, 1, "no kernel was measured for it"), ("empty", bad, 0, 1, "no kernel was measured for it"),
        ("utf16", bad, 0, 1, "no kernel was measured for it"), ("raw_page", bad, 0, 1, "no kernel was measured for it")):
    write("sample.tsv", f"op\tcase\tcsv\nOp\trow\t{samples}{name}.csv\n")
    report, rows, code, err = audit(record("row"), "--map", "sample.tsv")
    r = rows["row"]
    check((r["verdict"], r["measured_read_bytes"], r["measured_write_bytes"], r["kernels"], code) == (verdict, read, written, kernels, exits),
          f"{name}.csv: {r}, exit {code}")
    check(said is None or said in r["reason"], f"{name}.csv: {r['reason']}")
    defect = {"truncated": "truncated.csv:5: error[RL1202]", "no_kernels": "no_kernels.csv:1: error[RL1201]", "empty": "empty.csv:1: error[RL1201]",
              "utf16": "the file is UTF-16", "raw_page": "this is ncu's raw page"}.get(name)
    check(err == "" if defect is None else defect in err, f"{name}.csv says: {err!r}")
    check(report["unmatched_kernels"] == [], f"{name}.csv: no kernel is left over")
# Cut before its name is known, the kernel cannot be the row's; the file's defect is red all the same.
report, rows, code, err = audit(record("row"), "--map", write("sample.tsv", f"op\tcase\tcsv\nOp\trow\t{samples}truncated_in_name.csv\n"))
check(code == 1 and "truncated_in_name.csv:4: error[RL1202]" in err, f"truncated_in_name.csv: {code} {err}")

# ---- NVTX ranges ----
three = record("passes") + record("fails") + record("warns")
report, rows, code, err = audit(three, samples + "nvtx.csv")
check({c: r["verdict"] for c, r in rows.items()} == {"passes": "PASS", "fails": "FAIL", "warns": "WARN"}, f"ranges: {rows}")
check([(k["id"], k["line"]) for k in report["unmatched_kernels"]] == [("0", 2), ("4", 10)], "a range is the whole op/case, not its start")
check(audit(record("passes"), samples + "nvtx_renamed.csv")[1]["passes"]["verdict"] == "PASS", "a kernel that ncu renamed to its range")

# ---- maps ----
write("two.csv", HEADER + kernel(0, "a", DECLARED) + kernel(1, "b", 10) + kernel(2, "b", DECLARED - 10) + kernel(10, "a", 5))
rows = audit(record("x") + record("y") + record("z", 5), "--map", write("m.csv", "op,case,id,kernel\nOp,x,0,\nOp,y,1-2,b\nOp,z,,a\n"), "two.csv")[1]
check({c: (r["verdict"], r["kernels"]) for c, r in rows.items()} == {"x": ("PASS", 1), "y": ("PASS", 2), "z": ("PASS", 1)}, f"the first line that fits counts: {rows}")
rows = audit(record("x") + record("y"), "--map", write("m.csv", "op,case,range\nOp,x,Op/passes\nOp,y,suite\n"), samples + "nvtx.csv")[1]
check((rows["x"]["measured_read_bytes"], rows["y"]["measured_read_bytes"]) == (58731520, 29360128), f"ranges by the map: {rows}")
os.makedirs("sub", exist_ok=True)
write("sub/one.csv", HEADER + kernel(0, "k", DECLARED))
write("sub/map.tsv", "# a comment\nop\tcase\tcsv\n\nOp\tx\tone.csv\nOp\ty\t./one.csv\nOp\tw\tgone.csv\n")
report, rows, code, err = audit(record("x") + record("y") + record("w"), "--map", "sub/map.tsv", "sub/../sub/one.csv")
check(rows["x"]["kernels"] == 1 and rows["y"]["kernels"] == 0, "a file is read once, and a kernel is of one row")
check(rows["w"]["verdict"] == "ERROR" and "sub/gone.csv: No such file" in rows["w"]["reason"] and code == 1, f"a profile that is not there: {rows['w']}")
for text, said in (("op,id\nOp,0\n", "m.csv:1: error[RL1203]: no column 'case'"), ("op,case,kernal\n", "unknown column 'kernal'; did you mean 'kernel'?"),
                   ("op,case,op\n", "a second column 'op'"), ("op,case,id\nOp,x\n", "m.csv:2: error[RL1203]: 2 cells where the column names are 3"),
                   ("op,case,id\nOp,x,2-1\n", "id is a number or FIRST-LAST, not '2-1'"), ("op,case,id\nOp,x,1x\n", "not '1x'"), ("op,case,id\nOp,x,99999999999999999999\n", "not '99999999999999999999'"),
                   ("op,case\n,x\n", "no op"), ("op,case\nOp,\n", "no case"), ("op,case\n\"Op,x\n", "a quote is not closed"), ("", "no line of column names")):
    report, rows, code, err = audit(record("x", 0), "--map", write("m.csv", text), "n.csv")
    check(code == 1 and said in err, f"map {text!r}: {code} {err}")

# ---- tags ----
tagged = record("x", tag="mine") + record("x", tag="torch-ref")
write("t.csv", HEADER + kernel(0, "Op/x", DECLARED))
report, rows, code, err = audit(tagged, "t.csv")
check(len(report["rows"]) == 2 and all(r["verdict"] == "ERROR" for r in report["rows"]) and "--tag" in report["unmatched_kernels"][0]["reason"], "a range of two tags is nobody's")
report, rows, code, err = audit(tagged, "t.csv", "--tag", "mine")
check(code == 0 and len(report["rows"]) == 1 and rows["x"]["tag"] == "mine", "--tag chooses")
report, rows, code, err = audit(tagged, "--map", write("m.csv", "op,case,tag,id\nOp,x,torch-ref,0\n"), "t.csv")
check(code == 0 and {r["tag"]: r["verdict"] for r in report["rows"]} == {"mine": "SKIPPED", "torch-ref": "PASS"}, f"a tag in the map: {report['rows']}")
report, rows, code, err = audit(tagged, "--map", write("m.csv", "op,case,id\nOp,x,0\n"), "t.csv")
check(code == 1 and "m.csv:2: error[RL1203]: Op/x: records of several tags" in err, "a map that leaves the tag open")
check(audit(tagged + record("x"), "t.csv")[0]["rows"][2]["verdict"] == "PASS", "the untagged record is the plain op/case")

# ---- records ----
report, rows, code, err = audit(record("x") + record("x", device="other"), "t.csv")
check(code == 0 and len(report["rows"]) == 1, "a row recorded twice is one row")
report, rows, code, err = audit(record("x") + record("x", 5), "t.csv")
check(code == 1 and "records.jsonl:2: error[RL1204]" in err and rows["x"]["declared_read_bytes"] == DECLARED, f"two declarations: {err}")
check(audit("{broken\n" + record("x"), "t.csv")[2] == 1, "a malformed record is red")
code, out, err = run("--records", write("none.jsonl", ""), "t.csv")
check(code == 1 and "no row to audit" in err, "an audit of nothing is no success")

# ---- usage ----
for args, said in (((), "--records FILE is missing"), (("--records", "records.jsonl"), "no PROFILE.csv"), (("--records", "gone", "t.csv"), "gone"),
                   (("--records", "records.jsonl", "gone.csv"), "gone.csv"), (("--records", "records.jsonl", "--map", "gone.map"), "gone.map"),
                   (("--records", "records.jsonl", "t.csv", "--exceptions", "gone.yaml"), "gone.yaml"), (("--record",), "--record"),
                   (("--records", "records.jsonl", "."), "Is a directory"), (("--records", "records.jsonl", "--map", "."), "Is a directory")):
    code, out, err = run(*args)
    check(code == 2 and out == "" and said in err, f"{args}: {code} {err}")
code, out, err = run("--help")
check(code == 0 and "Examples:" in out and "roofline audit --records" in out, "--help has examples")
check("tail -n +2 plan.tsv" in run("plan", "--help")[1], "plan --help has an example")
if os.path.exists("/dev/full"):
    for format in ("table", "json", "md"):
        p = subprocess.run([roofline, "audit", "--records", "records.jsonl", "t.csv", "--format", format], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE)
        check(p.returncode == 2 and b"No space left" in p.stderr, f"{format} on a full disk: {p.returncode} {p.stderr}")

# ---- the other formats say the same, and names cannot steer them ----
evil = ["\x1b[31mred", "a|b`c", "<script>x</script>", "tab\there"]
both = "".join(record(c, d) for c, (d, _, _) in reads.items()) + "".join(record(e, None, op=e) for e in evil)
write("records.jsonl", both)
stray = write("stray.csv", HEADER + "".join(kernel(i, e, 1) for i, e in enumerate(evil)))
table = run("--records", "records.jsonl", "n.csv", stray)[1]
check("\x1b" not in table and "FAIL              58720256        29360128   0.5000              77       1  Op half\n" in table, "the table's rows")
check("4 kernels of no row" in table and "premise of every verdict: cold caches" in table and "13 rows: 4 NO-VERDICT (red), 2 FAIL (red), 2 WARN, 5 PASS" in table, f"the table's end: {table[-600:]}")
check("\x1b[1;31mFAIL" in run("--records", "records.jsonl", "n.csv", "--color", "always")[1], "--color always")
md = run("--records", "records.jsonl", "n.csv", stray, "--format", "md")[1].splitlines()
check("| `Op` | `half` |  | FAIL | 58720256 | 29360128 | 0.5000 | 77 | 1 | cold caches | `less was read than declared` |" in md, "a markdown row")
check(all(len(re.findall(r"(?<!\\)\|", l)) == 12 for l in md if l.startswith("| ")) and not any("<script>" in re.sub(r"(`+).+?\1", "", l) for l in md), "markdown cells hold")
report = json.loads(run("--records", "records.jsonl", "n.csv", stray, "--format", "json")[1])
check([k["name"] for k in report["unmatched_kernels"]] == evil, "json carries any name")

# ---- the plan, from the shipped operators ----
if not os.path.exists(build + "/libroofline_ops.so"):
    print("SKIP: no libroofline_ops.so in the build: exceptions and plan were not tried")
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 77)
code, out, err = run("plan")
plan = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
listing = json.loads(run("plan", "--format", "json")[1])
check(code == 0 and err == "" and len(plan) == len(listing["rows"]) > 300, f"the plan: {code} {err}")
check([{k: str(v) if v is not None else "" for k, v in r.items()} for r in listing["rows"]] == plan, "both formats plan the same")
by_op = {}
for r in plan:
    by_op.setdefault(r["op"], []).append(r)
every = {}
for r in json.loads(run("plan", "--format", "json", "--per-op", "100000")[1])["rows"]:
    every.setdefault(r["op"], []).append(r)
for op, rows in by_op.items():
    sizes = [int(r["bytes"]) for r in rows]
    check(len(rows) <= 6 and sizes == sorted(sizes, reverse=True), f"{op}: at most six, largest first")
    check(len({(r["branch"], r["dtypes"]) for r in rows}) == len(rows), f"{op}: one row of a branch and dtype")
    check(len(rows) == min(6, len(every[op])) and [r["case"] for r in every[op][:6]] == [r["case"] for r in rows], f"{op}: six of all branches")
check(len({r["csv"] for r in plan}) == len(plan) and all(re.fullmatch(r"[A-Za-z0-9._-]+\.csv", r["csv"]) for r in plan), "a profile each, safe in a shell")
# The bytes are those of the manifest's rows, as the program `rows` prints them.
p = subprocess.run([build + "/bin/rows"], capture_output=True, text=True) if os.path.exists(build + "/bin/rows") else None
if p is not None:
    known = {tuple(l.split("\t")[:2]): l.split("\t")[3] for l in p.stdout.splitlines() if len(l.split("\t")) > 3}
    wrong = [r for r in plan if known.get((r["op"], r["case"])) not in (None, r["bytes"])]
    check(any((r["op"], r["case"]) in known for r in plan) and not wrong, f"bytes are what rows prints: {wrong[:3]}")
gemm = run("plan", "GemmFwdOp")[1].splitlines()[1:]
check(gemm[0].split("\t")[1] == "llama3.1-8b.lm-head.t1-bfloat16" and all(l.startswith("GemmFwdOp\t") for l in gemm), f"one op: {gemm}")
check("trans_a=True trans_b=False" in "\n".join(gemm), "the branch is named")
code, out, err = run("plan", "GemFwdOp")
check(code == 2 and "no op 'GemFwdOp'" in err and "did you mean" in err, f"an unknown op: {err}")
check(run("plan", "--ops", "gone.so")[0] == 2 and run("plan", env={"ROOFLINE_OPS": "gone.so"})[0] == 2, "a library that is not there")
code, out, err = run("plan", "--prefix", "acme")
check(code == 2 and "acme_ops" in err and "--prefix" in err, f"a prefix that is not there: {err}")

# ---- a plan followed is a map ----
write("plan.tsv", run("plan", "GemmFwdOp")[1])
cases = [(r["case"], int(r["read_bytes"]), r["csv"]) for r in csv.DictReader(open("plan.tsv"), delimiter="\t")]
for case, n, name in cases[:-1]:
    write(name, HEADER + kernel(0, "gemm", n))
report, rows, code, err = audit("".join(record(c, n, op="GemmFwdOp") for c, n, _ in cases), "--map", "plan.tsv")
check([r["verdict"] for r in report["rows"]] == ["PASS"] * (len(cases) - 1) + ["ERROR"], f"the plan as a map: {report['rows']}")

# ---- operators of one's own, under a prefix of their own ----
os.makedirs("ops", exist_ok=True)
write("ops/my.yaml", """
MyScaleFwdOp:
  family: my
  status: implemented
  signature:
    forall: {M: Dim, T: "DType[float16 | float32]"}
    params: {fast: {type: bool, default: false}, k: {type: "int | None", default: null}}
    inputs: {x: {dtype: T, shape: "[M]"}}
    outputs: {y: {dtype: T, shape: "[M]"}}
  workloads:
  - {M: 1024, fast: true, dtype_cases: [{T: float16}], label: fast}
  - {M: 512, fast: true, dtype_cases: [{T: float16}], label: fast-small}
  - {M: 2048, k: 5, dtype_cases: [{T: float16}, {T: float32}], label: slow}
  roofline: {flops: "M"}
""")
made = subprocess.run([rooflinec, "emit", "--prefix", "acme", "-o", "gen", "ops"], capture_output=True)
if made.returncode == 0:
    made = subprocess.run([cc, "-shared", "-fPIC", f"-I{source}/runtime/include", "-o", "libacme.so", *glob.glob("gen/*.c"), build + "/libroofline.a", "-lm"], capture_output=True)
check(made.returncode == 0, f"a library of one's own builds: {made.stderr.decode()[:500]}")
# 2 float32 tensors of 2048 are 16384 bytes, half of them read. The small row is of the same branch as the large.
check(run("plan", "--ops", "libacme.so", "--prefix", "acme")[1].splitlines()[1:] == [
    "MyScaleFwdOp\tslow-float32\tMyScaleFwdOp.slow-float32.csv\t16384\t8192\tfast=False k=given\tT=float32",
    "MyScaleFwdOp\tslow-float16\tMyScaleFwdOp.slow-float16.csv\t8192\t4096\tfast=False k=given\tT=float16",
    "MyScaleFwdOp\tfast-float16\tMyScaleFwdOp.fast-float16.csv\t4096\t2048\tfast=True k=None\tT=float16"], "its plan")
write("my.csv", HEADER + kernel(0, "MyScaleFwdOp/slow-float32", 1) + kernel(1, "MyScaleFwdOp/fast-float16", 1))
report, rows, code, err = audit(record("slow-float32", 8192, op="MyScaleFwdOp") + record("fast-float16", 2048, op="MyScaleFwdOp"), "my.csv", "--prefix", "acme", "--exceptions",
    write("my.yaml", 'MyScaleFwdOp: {when: "present(k) and k.value == 5 and not fast", reason: five}'), env={"ROOFLINE_OPS": "libacme.so"})
check({c: (r["verdict"], r["reason"]) for c, r in rows.items()} == {"slow-float32": ("EXEMPT", "five"), "fast-float16": ("FAIL", "less was read than declared")}, f"its exceptions: {rows} {err}")

# ---- exceptions ----
half, whole, twice = "square.1k-float16", "square.1k-bfloat16", "deepseek-v3.qkv-a.t128-bfloat16"
write("e.csv", HEADER + kernel(0, f"GemmFwdOp/{half}", 100) + kernel(1, f"GemmFwdOp/{whole}", 1000) + kernel(2, f"GemmFwdOp/{twice}", 2000) + kernel(3, "GemmFwdOp/mine", 100))
gemms = "".join(record(c, 1000, op="GemmFwdOp") for c in (half, whole, twice, "mine"))
def excepted(text, *args):
    return audit(gemms, "e.csv", "--exceptions", write("e.yaml", text), *args)
def verdicts(text):
    report, rows, code, err = excepted(text)
    return [rows[c]["verdict"] for c in (half, whole, twice)], rows[half]["reason"], err
unwaived = ["FAIL", "PASS", "WARN"]
check(verdicts("GemmFwdOp: {when: True, reason: r}")[0] == ["EXEMPT", "PASS", "WARN"], "True needs no quotes")
for when in ("M == 1024 and T == 'float16'", "True", "not trans_a and trans_b == False", "T in ('float16', 'float32')", "M * N * K == 1073741824", "present(a)", "2000000000000 * M == 2048000000000000"):
    check(verdicts(f'GemmFwdOp: {{when: "{when}", reason: "stays in L2"}}') == (["EXEMPT", "PASS", "WARN"], "stays in L2", ""), f"{when} covers the FAIL, and turns nothing else")
check(verdicts('GemmFwdOp:\n- {when: "M == 1", reason: one}\n- {when: "M == 1024", reason: two}\n- {when: "True", reason: three}\n')[:2] == (["EXEMPT", "PASS", "WARN"], "two"), "the first that holds gives the reason")
for when in ("M != 1024", "False", "T == 'bfloat16'"):
    check(verdicts(f'GemmFwdOp: {{when: "{when}", reason: r}}') == (unwaived, "less was read than declared", ""), f"{when} does not cover it")
# What cannot be evaluated waives nothing, and says so.
for when, why in (("M // (N - 1024) == 0", "is outside its domain"), ("M * 9223372036854775807 > 0", "overflows 64 bits")):
    got = verdicts(f'GemmFwdOp: {{when: "{when}", reason: r}}')
    check(got == (unwaived, f"less was read than declared; its exception {why} on this row", ""), f"{when}: {got}")
check("has no such row" in excepted('GemmFwdOp: {when: "True", reason: r}')[1]["mine"]["reason"], "a case that the library does not have is not covered")
# Defects: where, and nothing waived by the defective one.
for text, said in (
        ('GemmFwdOp: {when: "Mm == 1024", reason: r}', "e.yaml:1:20: error[RL0412]: unknown name 'Mm'"),
        ('GemmFwdOp:\n  when: "M ==\n    1024 and Q"\n  reason: r', "e.yaml:3:14: error[RL0412]: unknown name 'Q'"),
        ('GemmFwdOp: {when: "M / 2 == 512", reason: r}', "e.yaml:1:22: error[RL0316]"),
        ('GemmFwdOp: {when: "M + 1", reason: r}', "a Bool wanted, found Int"),
        ('GemmFwdOp: {when: "T == \'float61\'", reason: r}', "never"),
        ('GemmFwdOp: {when: "bytes(a) > 0", reason: r}', "bytes(..) stands only in the roofline"),
        ('GemmFwdOp: {when: "a", reason: r}', "tensor 'a' is read as a value"),
        ('GemmFwdOp: {when: "M == (", reason: r}', "error[RL03"),
        ('GemmFwdOp: {when: "True"}', "e.yaml:1:1: error[RL1213]: an exception has no 'reason'"),
        ('GemmFwdOp: {reason: r}', "an exception has no 'when'"), ('GemmFwdOp: {}', "an exception has no 'when'"),
        ('GemmFwdOp: {when: "True", reason: ""}', "error[RL1211]: 'reason' is a text, and not empty"), ('GemmFwdOp: {when: "True", reason: }', "'reason' is a text"),
        ('GemmFwdOp: {when: [True], reason: r}', "'when' is a text"),
        ('GemmFwdOp: {when: "True", reason: r, until: 2030}', "error[RL1212]: unknown key 'until'"), ('GemmFwdOp: {wen: "True", reason: r}', "did you mean 'when'?"),
        ('GemmFwdOps: {when: "True", reason: r}', "did you mean 'GemmFwdOp'?"), ('GemmFwdOp: "True"', "error[RL1211]"), ('GemmFwdOp:', "error[RL1211]"), ('- GemmFwdOp', "error[RL1211]"),
        ('GemmFwdOp: {when: "True", reason: r', "error[RL0101]"), ('GemmFwdOp: {when: "True", reason: r}\nGemmFwdOp: {when: "True", reason: r}', "error[RL0102]")):
    report, rows, code, err = excepted(text)
    first = "RL0102" in said  # the first of two is sound
    check(code == 1 and said in err and rows[half]["verdict"] == ("EXEMPT" if first else "FAIL"), f"{text!r}: {code} {rows[half]} {err}")
report, rows, code, err = excepted('GemmFwdOp:\n- {when: "Q", reason: one}\n- {when: "True", reason: two}\n')
check(code == 1 and rows[half]["reason"] == "two", "sound exceptions beside a defective one hold")
for text in ("", "# nothing yet\n", "{}"):
    check(verdicts(text) == (unwaived, "less was read than declared", ""), f"an empty file {text!r} covers nothing")
report, rows, code, err = audit(record(half, 1000, op="GemmFwdOp"), "e.csv", "--exceptions", write("e.yaml", 'GemmFwdOp: {when: "True", reason: r}'))
check(code == 0 and report["exempt_ops"] == ["GemmFwdOp"], "EXEMPT is green, and an op with nothing else is listed")
check(excepted('GemmFwdOp: {when: "True", reason: r}')[0]["exempt_ops"] == [], "an op with a PASS is not")
check(audit(record(half, 1000, op="GemmFwdOp"), "e.csv", "--exceptions", "e.yaml", "--green", "PASS")[2] == 1, "EXEMPT need not be green")
check("every judged row is exempt: GemmFwdOp\n" in run("--records", "records.jsonl", "e.csv", "--exceptions", "e.yaml")[1], "the table lists it")
# Other kinds of parameters: enums, optional tensors, ADTs, values that may be absent.
for op, case_of, when, holds in (
        ("GemmBiasActFwdOp", lambda r: "activation='" in r["branch"], "present(activation) and activation in ('relu', 'gelu', 'silu')", True),
        ("GemmBiasActFwdOp", lambda r: "activation=None" in r["branch"], "present(activation)", False),
        ("RMSNormFwdOp", lambda r: "weight=given" in r["branch"], "present(weight)", True),
        ("RMSNormFwdOp", lambda r: "weight=None" in r["branch"], "present(weight)", False)):
    r = next((r for r in every.get(op, []) if case_of(r)), None)
    if r is None:
        continue
    write("k.csv", HEADER + kernel(0, f"{op}/{r['case']}", 1))
    rows = audit(record(r["case"], 1000, op=op), "k.csv", "--exceptions", write("k.yaml", f'{op}: {{when: "{when}", reason: r}}'))[1]
    check(rows[r["case"]]["verdict"] == ("EXEMPT" if holds else "FAIL"), f"{op} {r['case']}: {when}: {rows}")
adts = [(op, r) for op, rs in every.items() for r in rs if "=contiguous(" in r["branch"] or "=masked(" in r["branch"]]
check(len(adts) > 0, "the shipped rows have ADT parameters")
for op, r in adts:
    name, ctor = re.search(r"(\w+)=(contiguous|masked)\(", r["branch"]).groups()
    write("k.csv", HEADER + kernel(0, f"{op}/{r['case']}", 1))
    for when, holds in ((f"{name}.kind == '{ctor}'", True), (f"{name}.kind != '{ctor}'", False), (f"{name}.kind == 'masked' and {name}.max_m >= 0", ctor == "masked")):
        report, rows, code, err = audit(record(r["case"], 1000, op=op), "k.csv", "--exceptions", write("k.yaml", f'{op}: {{when: "{when}", reason: r}}'))
        check(rows[r["case"]]["verdict"] == ("EXEMPT" if holds else "FAIL") and err == "", f"{op} {r['case']}: {when}: {rows} {err}")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
PY
