#!/usr/bin/env bash
# roofline price as a user runs it: the shared vectors, every format, filters, exit statuses, injection.
set -u
command -v python3 >/dev/null || { echo "SKIP: no python3 to judge the reports with"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
exec python3 - "$ROOFLINE" "$SOURCE_DIR" "$SHARED_DIR/expected" "$dir" <<'PY'
import csv, io, json, os, random, re, subprocess, sys, unicodedata
roofline, source, expected, tmp = sys.argv[1:5]
os.environ.pop("ROOFLINE_PROFILES", None)
failures = []

def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAIL:", what)

def run(*args, text="", env=None):
    p = subprocess.run([roofline, *args], input=text.encode(), capture_output=True, env={**os.environ, **(env or {})})
    return p.returncode, p.stdout.decode(), p.stderr.decode()

def price(text, *args):
    return run("price", "--profiles", source + "/manifest/profiles", *args, text=text)

def rows_of(text, *args):
    return [json.loads(line) for line in price(text, "--format", "jsonl", *args)[1].splitlines()]

def record(**fields):
    r = dict(op="Op", case="case", device="NVIDIA H200", timing="cupti", roof_key="cuda_core.fp32",
             bytes=33562624, flops=33554432, device_busy_ms=0.0093)
    r.update(fields)
    return json.dumps({k: v for k, v in r.items() if v is not ...}) + "\n"

# ---- the shared vectors ----
if os.path.isdir(expected):
    for line in open(expected + "/pricing.tsv"):
        if line.startswith("#"):
            continue
        device, timing, roof, nbytes, flops, busy, copy, outcome, efficiency, bound = line.rstrip("\n").split("\t")
        r, = rows_of(record(device=device, timing=timing, roof_key=roof, bytes=int(nbytes), flops=int(flops),
                            device_busy_ms=float(busy), uncounted_copy_ms=float(copy)))
        check((r["verdict"], r["bound"] or "-") == (outcome, bound), f"pricing.tsv: {line!r} gives {r}")
        # To the last printed digit: the table itself rounds 1.08035 to 1.0804.
        check((efficiency == "-") == (r["efficiency"] is None) and
              (efficiency == "-" or abs(r["efficiency"] - float(efficiency)) < 0.0001), f"pricing.tsv: {line!r} gives {r['efficiency']}")
        check((r["verdict"] == "blank") == (r["efficiency"] is None), f"a blank row has no numbers: {r}")
    h200 = expected + "/records_h200.jsonl"
    code, out, err = run("price", "--profiles", source + "/manifest/profiles", h200, "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    want = [line.rstrip("\n").split("\t") for line in open(expected + "/records_h200.tsv")][1:]
    check(code == 1 and err == "", "the H200 rows hold two formula errors: exit 1, nothing on stderr")
    check(len(rows) == len(want) == 1605, f"{len(rows)} of 1605 H200 rows")
    for r, w in zip(rows, want):
        got = [r["op"], r["case"], r["tag"], r["verdict"], "%.6f" % r["efficiency"], r["bound"]]
        check(got == w, f"records_h200: {got} is not {w}")
    # Every format reads the same rows and agrees with jsonl.
    whole = json.loads(run("price", "--profiles", source + "/manifest/profiles", h200, "--format", "json")[1])
    check(whole["version"] == 1 and whole["rows"] == rows, "json's rows are jsonl's")
    check(whole["summary"]["rows"] == 1605 and whole["summary"]["formula_error"] == 2 and whole["summary"]["anomaly"] == 2, "json's summary")
    table = list(csv.DictReader(io.StringIO(run("price", "--profiles", source + "/manifest/profiles", h200, "--format", "csv")[1])))
    check(len(table) == 1605 and all(float(a["efficiency"]) == b["efficiency"] and a["op"] == b["op"] for a, b in zip(table, rows)), "csv's rows are jsonl's")
    # The same records as an array and as CSV.
    records = [json.loads(line) for line in open(h200)]
    names = sorted({k for r in records for k in r})
    text = io.StringIO()
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    writer.writerows(records)
    open(tmp + "/r.csv", "w").write(text.getvalue())
    open(tmp + "/r.json", "w").write(json.dumps(records, indent=1))
    for name in ("r.csv", "r.json"):
        check(run("price", "--profiles", source + "/manifest/profiles", tmp + "/" + name, "--format", "jsonl")[1] == out, f"{name} prices as the JSON lines do")
    # Ten shards, concatenated, are the whole.
    lines = open(h200).read().splitlines(True)
    for format, header in (("jsonl", ()), ("csv", ("--no-header",))):
        shards = "".join(price("".join(lines[i * 161:(i + 1) * 161]), "--format", format, *header)[1] for i in range(10))
        check(shards == price("".join(lines), "--format", format, *header)[1], f"ten {format} shards are the whole")
    # Every line of a table fits, and sorting keeps the rows.
    for args in ((), ("--theoretical",)):
        body = run("price", "--profiles", source + "/manifest/profiles", h200, "--format", "table", *args)[1].splitlines()
        check(max(map(len, body)) <= 100, f"table {args}: a line of {max(map(len, body))} columns")
    gains = rows_of("".join(lines), "--sort", "gain")
    saved = [(r["actual_time_ms"] or 0) * (1 - 1 / r["attainable_speedup"]) if r["attainable_speedup"] else 0 for r in gains]
    check(saved == sorted(saved, reverse=True) and len(gains) == 1605, "--sort gain")
    check([r["efficiency"] for r in rows_of("".join(lines), "--sort", "efficiency")] == sorted(r["efficiency"] for r in rows), "--sort efficiency")
    check([r["actual_time_ms"] for r in rows_of("".join(lines), "--sort", "time")] == sorted((r["actual_time_ms"] for r in rows), reverse=True), "--sort time")
    check([r["op"] for r in rows_of("".join(lines), "--sort", "op")] == sorted(r["op"] for r in rows), "--sort op")
    check(rows_of("".join(lines), "--op", "Gemm*", "--verdict", "anomaly") == [r for r in rows if r["op"].startswith("Gemm") and r["verdict"] == "anomaly"], "filters")
    # json and jsonl stay the same with rows sorted: no stray comma.
    json.loads(run("price", "--profiles", source + "/manifest/profiles", h200, "--format", "json", "--sort", "op")[1])
else:
    print("note: ../shared is absent, its vectors were not run")

# ---- exit statuses ----
check(price(record())[0] == 0, "a healthy row: 0")
check(price(record(device_busy_ms=0.0069))[0] == 1, "a formula error: 1")
check(price(record(device_busy_ms=0.0069), "--op", "Other")[0] == 0, "a formula error that is filtered out: 0")
check(price(record(device_busy_ms=0.007))[0] == 0 and price(record(device_busy_ms=0.007), "--fail-on", "anomaly")[0] == 1, "--fail-on anomaly")
below = record(device_busy_ms=0.0124240)  # efficiency 0.6000
check(price(below, "--fail-on", "below=0.59")[0] == 0 and price(below, "--fail-on", "below=0.61")[0] == 1, "--fail-on below=X")
check(price(below, "--fail-on", "below")[0] == 1 and price(record(), "--fail-on", "below")[0] == 0, "--fail-on below")
check(price(record(), "--fail-on", "below=0.90")[0] == 1, "--fail-on below=X looks at rows at the ceiling, too")
check(price(below, "--fail-on", "below=0.1", "--fail-on", "below")[0] == 1 and price(below, "--fail-on", "below", "--fail-on", "below=0.1")[0] == 1, "of several --fail-on each counts")
for bad in (("--fail-on", "slow"), ("--fail-on", "below=60"), ("--fail-on", "below="), ("--at-ceiling", "80"), ("--format", "xml"), ("--verdict", "fast"), ("--at-ceiling", "-1"), ("--at-ceiling", "nan"), ("--nonsense",), ("/does/not/exist",), ("--profiles", "/does/not/exist")):
    code, out, err = price(record(), *bad)
    check(code == 2 and out == "" or bad[0].startswith("/") and code == 2, f"{bad}: exit {code}")
    check(err.count("\n") == 1, f"{bad}: one line on stderr, not {err!r}")
code, out, err = price(record() + "{oops\n" + record(op="Second"))
check(code == 1 and len(out.splitlines()) == 2 and ":2:" in err, f"a malformed line: exit {code}, {err!r}")
check(price("")[0] == 0 and json.loads(price("", "--format", "json")[1])["rows"] == [], "no rows")

# ---- a row says what is wrong with it, and which roof it broke ----
out = price(record(roof_key="tensor_core.bf17"), "--format", "table")[1]
check("no_roof: tensor_core.bf17" in out and "did you mean tensor_core.bf16?" in out, f"a wrong roof key: {out}")
out = price(record(roof_key="vector.half"), "--format", "table")[1]
check("which has cuda_core.fp32, tensor_core.tf32, " in out, f"a roof key like no other: {out}")
out = price(record(roof_key="a\x1b[31m|b"), "--format", "table")[1]
check("\x1b" not in out, "nor through a roof key")
out = price(record(roof_key="tensor_core.bf17"), "--format", "md")[1]
check("no roof of that key, `tensor_core.bf17`; did you mean `tensor_core.bf16`? |" in out, f"in markdown: {out}")
for spelled, meant in (("H200", "NVIDIA H200"), ("NVIDIA H20O", "NVIDIA H200"), ("l40s", "NVIDIA L40S"), ("RTX 4090", "NVIDIA GeForce RTX 4090")):
    out = price(record(device=spelled), "--format", "table")[1]
    check(f"{spelled}: no profile; did you mean '{meant}'?" in out, f"a device that is not there: {out}")
out = price(record(device="Grace"), "--format", "table")[1]
check("Grace: no profile\n" in out, f"nothing is near: {out}")
# 2 * 16384^3 flops in 16 ms: 549.8 TFLOP/s, which a tensor core can and a CUDA core cannot.
gemm = record(op="MyGemm", flops=2 * 16384**3, bytes=3 * 2 * 16384**2, device_busy_ms=16)
out = price(gemm, "--format", "table")[1]
check("549.8 TFLOP/s, cuda_core.fp32 peak 67.00 TFLOP/s" in out, f"the roof that was broken is named: {out}")
check("compute peak, `cuda_core.fp32` |" in price(gemm, "--format", "md")[1], "in markdown too")
check("4.864 TB/s, hbm peak 4.800 TB/s" in price(record(device_busy_ms=0.0069), "--format", "table")[1], "the memory is a roof")

# ---- filters that leave nothing ----
for gate, want in ((), 0), (("--fail-on", "anomaly"), 1):
    code, out, err = price(record(), "--op", "Nope", *gate)
    check(code == want and "no row is of the --op" in err and err.count("\n") == 1, f"--op Nope {gate}: {code} {err}")
check(price("", "--fail-on", "below")[0] == 1, "a gate without a row")
code, out, err = price(record(), "--verdict", "anomaly", "--fail-on", "anomaly")
check(code == 0 and err == "", f"rows were judged, and none is an anomaly: {code} {err}")

# ---- width ----
wide = record(op="O" * 150, case="c" * 70) + gemm + record(tag="t" * 30)
for width, fits in (("80", 80), ("100", 100), ("137", 137), ("400", 400)):
    body = price(wide, "--format", "table", "--width", width)[1].split("\n\n")[1].splitlines()
    check(max(map(len, body)) <= fits, f"--width {width}: {max(map(len, body))} columns")
for args in ((), ("--theoretical",)):
    body = price(wide, "--format", "table", "--width", "0", *args)[1]
    check("O" * 150 in body and "c" * 70 in body and "t" * 30 in body and "…" not in body, f"--width 0 cuts nothing {args}: {body}")
    rows = body.split("\n\n")[1].splitlines()
    check(len({l.index("theoretical") for l in rows[1:]} | {rows[0].index("ROOFS")}) == 1 if args else True, f"the last column is straight: {rows}")
check(price(record(), "--width", "-1")[0] == 2, "no negative width")

# ---- thresholds print, and count ----
out = price(record(), "--format", "json", "--at-ceiling", "0.81", "--latency-sol-us", "2")[1]
check(json.loads(out)["thresholds"] == dict(at_ceiling=0.81, anomaly=1.05, latency_sol_us=2, latency_actual_us=20, target=0.81), "thresholds in json")
check(json.loads(out)["rows"][0]["verdict"] == "below", "0.8015 is below 0.81")
check("0.81" in price(record(), "--format", "table", "--at-ceiling", "0.81")[1], "thresholds in the table")
check(rows_of(record(device_busy_ms=0.02), "--target", "sol")[0]["attainable_speedup"] > rows_of(record(device_busy_ms=0.02))[0]["attainable_speedup"], "--target sol")

# ---- uncalibrated profiles ----
nvl = record(device="NVIDIA H200 NVL")
r, = rows_of(nvl)
check((r["verdict"], r["reason"]) == ("blank", "roof_not_calibrated"), f"an uncalibrated profile leaves blanks: {r}")
r, = rows_of(nvl, "--theoretical")
check(r["verdict"] == "below" and r["basis"] == "theoretical" and abs(r["efficiency"] - 33562624 / 4.8e12 / 9.3e-6) < 1e-12, f"--theoretical prices it: {r}")
for format in ("jsonl", "csv", "md", "table"):
    line = [l for l in price(nvl, "--theoretical", "--format", format)[1].splitlines() if "Op" in l][-1]
    check("theoretical" in line, f"{format} says theoretical on every line: {line}")
check("theoretical" in [l for l in price(record(timing="x"), "--theoretical", "--format", "table")[1].splitlines() if "Op" in l][0], "on blank rows too")

# ---- timing by kind of device ----
check(rows_of(record(device="AMD Instinct MI300X", timing="rocprofiler"), "--theoretical")[0]["verdict"] != "blank", "rocprofiler times AMD")
check(rows_of(record(device="AMD Instinct MI300X", timing="cupti"), "--theoretical")[0]["reason"] == "not_device_timed", "cupti does not")
os.mkdir(tmp + "/cpu")
open(tmp + "/cpu/cpu.yaml", "w").write("gpu: My CPU\ntiming: steady_clock\nhbm: {theoretical: 50e9, calibration: 0.8}\ncuda_core: {fp32: {theoretical: 1e12, calibration: 0.5}}\n")
code, out, err = run("price", "--profiles", tmp + "/cpu", "--format", "jsonl", text=record(device="My CPU", timing="steady_clock", device_busy_ms=2))
check(json.loads(out)["verdict"] == "below", f"a CPU profile: {out}")
check(json.loads(run("price", "--format", "jsonl", text=record(device="My CPU", timing="steady_clock", device_busy_ms=2), env={"ROOFLINE_PROFILES": tmp + "/cpu"})[1])["verdict"] == "below", "ROOFLINE_PROFILES")
check(rows_of(record(device="My CPU", timing="steady_clock"))[0]["reason"] == "no_profile", "options before environment")
os.mkdir(tmp + "/twice")
for name in "ab":
    open(f"{tmp}/twice/{name}.yaml", "w").write("gpu: Same\nhbm: {theoretical: 1, calibration: 1}\n")
code, out, err = run("price", "--profiles", tmp + "/twice", text=record())
check(code == 1 and out == "" and "RL1012" in err and "two profiles claim the device 'Same'" in err, f"two profiles for a device: {code} {err}")

# ---- names are data ----
evil = ["<script>alert(1)</script>", "a|b`c``d", "\x1b[31mred", "line\nbreak", 'q"uo,te', "漢字デバイス", "=cmd()", "</script><!--"]
text = "".join(record(op=name, case=name, tag=name) for name in evil)
check([r["op"] for r in rows_of(text)] == evil, "jsonl carries any name")
check([r["op"] for r in csv.DictReader(io.StringIO(price(text, "--format", "csv")[1], newline=""))] == evil, "csv carries any name")
check([r["case"] for r in json.loads(price(text, "--format", "json")[1])["rows"]] == evil, "json carries any name")
out = price(text, "--format", "table")[1]
check("\x1b" not in out and "red" in out, "the table lets no escape sequence through")
widths = {sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in l) for l in out.splitlines() if "memory" in l}
check(len(widths) == 1, f"rows of wide characters align: {widths}")
md = price(text, "--format", "md")[1].splitlines()
check(len([l for l in md if l.startswith("| ")]) == 2 + len(evil), "a line of markdown a row")
for l in md[2:2 + len(evil)]:
    check(len(re.findall(r"(?<!\\)\|", l)) == 11, f"markdown cells hold: {l}")
    check("<script>" not in re.sub(r"(`+).+?\1", "", l), f"markdown names are code: {l}")
check(rows_of(record(device="GPU ☃"))[0]["device"] == "GPU ☃", "device names need not be ASCII")
check(rows_of(record(run={"commit": "abc", "n": [1, 2.5, None]}))[0]["run"] == {"commit": "abc", "n": [1, 2.5, None]}, "run is carried through")

# ---- colour ----
check("\x1b" not in price(record(), "--format", "table")[1], "no colour in a pipe")
check("\x1b[" in price(record(), "--format", "table", "--color", "always")[1], "--color always")

# ---- output that cannot be written ----
if os.path.exists("/dev/full"):
    for format in ("jsonl", "table", "json", "md", "csv"):
        p = subprocess.run([roofline, "price", "--profiles", source + "/manifest/profiles", "--format", format], input=record().encode(), stdout=open("/dev/full", "w"), stderr=subprocess.PIPE)
        check(p.returncode == 2 and b"No space left" in p.stderr, f"{format} on a full disk: {p.returncode} {p.stderr}")
p = subprocess.run(["bash", "-c", f"'{roofline}' price --profiles '{source}/manifest/profiles' --format jsonl >&-"], input=record().encode(), stderr=subprocess.PIPE)
check(p.returncode == 2, f"closed stdout: {p.returncode}")

# ---- memory does not grow with the rows ----
def peak(path, format):
    p = subprocess.Popen([roofline, "price", "--profiles", source + "/manifest/profiles", "--format", format, path], stdout=subprocess.DEVNULL,
                         env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=0:detect_leaks=0"})  # which would keep what is freed
    return os.wait4(p.pid, 0)[2].ru_maxrss
for name, count in (("few", 2000), ("many", 200000)):
    with open(f"{tmp}/{name}.jsonl", "w") as out:
        for i in range(count):
            out.write(record(op=f"Op{i}", case=f"case {i}", device=("NVIDIA H200", "unknown")[i % 2], run={"i": i}))
for format in ("jsonl", "json", "csv", "md", "html"):
    few, many = peak(f"{tmp}/few.jsonl", format), peak(f"{tmp}/many.jsonl", format)
    check(many <= few + 512, f"{format}: {few} KiB for 2,000 rows, {many} for 200,000")

# ---- long work shows progress, on a terminal only ----
master, slave = os.openpty()
p = subprocess.Popen([roofline, "price", "--profiles", source + "/manifest/profiles", "--format", "jsonl"] + [f"{tmp}/many.jsonl"] * 5, stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
shown = b""
try:
    while chunk := os.read(master, 4096):
        shown += chunk
except OSError:
    pass  # the terminal closes with the program
check(p.wait() == 0 and re.search(rb"\r\d+ rows", shown) and shown.endswith(b"\r\x1b[K"), f"progress on a terminal: {shown[-80:]!r}")
check(run("price", "--profiles", source + "/manifest/profiles", "--format", "jsonl", f"{tmp}/many.jsonl")[2] == "", "none in a pipe")

# ---- help teaches ----
for command in ("price", "diff", "records check", "profiles list", "profiles show", "profiles check"):
    code, out, err = run(*command.split(), "--help")
    check(code == 0 and err == "" and f"roofline {command}" in out and "xample" in out and max(map(len, out.splitlines())) <= 110, f"{command} --help: {code} {max(map(len, out.splitlines()))}")
check(run("--help")[0] == 0 and all(w in run("--help")[1] for w in ("price", "diff", "records", "profiles")), "roofline --help")

# ---- profiles list, show, check ----
code, out, err = run("profiles", "show", "--profiles", source + "/manifest/profiles", "NVIDIA H200")
check(code == 0 and "4.502 TB/s" in out and "0.9380" in out and "datasheet" in out, f"profiles show: {out}")
code, out, err = run("profiles", "show", "--profiles", source + "/manifest/profiles", "NVIDIA H20")
check(code == 2 and "no profile claims 'NVIDIA H20'; did you mean 'NVIDIA H200'?" in err, f"a near name is suggested, never taken: {err}")
code, out, err = run("profiles", "list", "--profiles", source + "/manifest/profiles")
check(code == 0 and len(out.splitlines()) == 17 and re.search(r"NVIDIA H200 .*yes", out) and re.search(r"NVIDIA B200 .*no", out), f"profiles list: {out}")
check(run("profiles", "check", "--profiles", source + "/manifest/profiles")[0] == 0, "the shipped profiles check")
open(tmp + "/bad.yaml", "w").write("gpu: G\nhbm: {theoretical: -1}\n")
code, out, err = run("profiles", "check", tmp + "/bad.yaml")
check(code == 1 and "bad.yaml:2:20: error[RL1005]" in out, f"profiles check of a defect: {code} {out}")
check(run("profiles", "check", "/does/not/exist.yaml")[0] == 2, "profiles check of nothing")

# ---- bytes nobody would write: never a crash, never a hang ----
random.seed(7)
seed = (record() + record(op="x", run={"a": [1]})).encode() + b"[{}]\nop,case\n"
for i in range(300):
    data = bytearray(seed)
    for _ in range(random.randrange(1, 12)):
        data[random.randrange(len(data))] = random.choice(b'{}[]",:\\\n\r\0\xff\x80e-+019.')
    if random.random() < 0.3:
        data = data[:random.randrange(len(data))]
    for input in ("auto", "jsonl", "array", "csv", "gbench"):
        p = subprocess.run([roofline, "price", "--profiles", source + "/manifest/profiles", "--format", "jsonl", "--input", input], input=bytes(data), capture_output=True, timeout=20) if i < 60 or input == "auto" else None
        if p is not None:
            check(p.returncode in (0, 1), f"mutated input {i} as {input}: exit {p.returncode}: {bytes(data)!r}")
            for line in p.stdout.splitlines():
                json.loads(line)

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
PY
