#!/usr/bin/env bash
# The HTML report in a real browser: hover, filter, sort, keyboard, hostile names, 100,000 rows.
set -u
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "SKIP: no Chromium: the page was not opened (Debian: chromium)"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 - "$ROOFLINE" "$SOURCE_DIR" "$SHARED_DIR/expected/records_h200.jsonl" "$dir" "$browser" <<'PY'
import json, os, re, subprocess, sys
roofline, source, h200, tmp, browser = sys.argv[1:6]
failures = []

def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAIL:", what)

def page(text, *args):
    p = subprocess.run([roofline, "price", "--profiles", source + "/manifest/profiles", "--format", "html", *args], input=text.encode(), capture_output=True)
    return p.stdout.decode()

def in_browser(html, script, width=1280):
    """Runs async JavaScript in the page; what it returns comes back as JSON."""
    probe = """<script>(async () => { const frame = () => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
      const out = document.createElement("pre"); out.id = "probe";
      try { out.textContent = JSON.stringify(await (async () => { %s })()); } catch (e) { out.textContent = JSON.stringify({error: String(e.stack)}); }
      document.body.append(out); })();</script></body>""" % script
    path = tmp + "/page.html"
    # Virtual time runs timers, not animation frames.
    frames = "<head><script>window.requestAnimationFrame = f => setTimeout(f, 16); window.cancelAnimationFrame = clearTimeout;</script>"
    open(path, "w").write(html.replace("</body>", probe).replace("<head>", frames, 1))
    p = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + tmp + "/profile", f"--window-size={width},1400",
                        "--virtual-time-budget=20000", "--dump-dom", "file://" + path], capture_output=True, timeout=240)
    found = re.search(r'<pre id="probe">(.*?)</pre>', p.stdout.decode(), re.S)
    if not found:
        return {"error": "no answer from the page: " + p.stderr.decode()[-500:]}
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

def record(**fields):
    r = dict(op="Op", case="case", device="NVIDIA H200", timing="cupti", roof_key="cuda_core.fp32", bytes=33562624, flops=33554432, device_busy_ms=0.0093)
    r.update(fields)
    return json.dumps(r) + "\n"

COMMON = """
  const hover = async m => { const r = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + px(m.x), clientY: r.top + py(m.y), bubbles: true})); await frame(); };
  const cell = (i, k) => at("body").children[i + 1].children[k].textContent;
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const type = text => { at("find").value = text; at("find").dispatchEvent(new Event("input")); };
"""

# ---- the page itself ----
html = page(record())
check(not re.search(r'(?:src|href)\s*=\s*"(?!data:)', html) and "url(" not in html and "@import" not in html, "nothing is fetched")
check(set(re.findall(r"https?://[^\"' ]+", html)) <= {"http://www.w3.org/2000/svg"}, "no address but a namespace")
check("@DATA@" not in html and html.rstrip().endswith("</html>"), "the page is whole")

# ---- the measured rows ----
if os.path.exists(h200):
    text = open(h200).read()
    rows = [json.loads(l) for l in subprocess.run([roofline, "price", "--profiles", source + "/manifest/profiles", "--format", "jsonl"], input=text.encode(), capture_output=True).stdout.splitlines()]
    got = in_browser(page(text), COMMON + """
      const r = {count: at("count").textContent, marks: marks.length, roofs: [...at("roofs").children].map(e => e.textContent)};
      const best = marks.find(m => m.row.verdict === "anomaly");
      await hover(best); r.tip = at("tip").hidden ? null : at("tip").textContent; r.tipOf = best.row.op;
      document.querySelector('th[data-key="efficiency"] button').click();
      r.lowest = [cell(0, 0), cell(0, 4)]; r.ariaSort = document.querySelector('th[data-key="efficiency"]').getAttribute("aria-sort");
      document.querySelector('th[data-key="efficiency"] button').click(); r.highest = shown[0].efficiency;
      type("gemm"); r.gemm = shown.length;
      document.querySelector('#verdicts input[value="below"]').click(); r.gemmNotBelow = shown.length;
      document.getElementById("reset").click(); r.reset = shown.length;
      press(canvas, "ArrowRight"); press(canvas, "ArrowRight"); r.second = state.selected === marks[1].row; r.spoken = at("detail").textContent;
      at("scroll").focus(); press(at("scroll"), "End"); await frame(); r.last = state.selected === shown.at(-1);
      r.lastInPage = [...at("body").children].some(t => t.getAttribute("aria-selected") === "true");
      r.inPage = at("body").children.length;
      const light = getComputedStyle(document.body).backgroundColor; at("theme").click(); at("theme").click(); r.dark = getComputedStyle(document.body).backgroundColor !== light || matchMedia("(prefers-color-scheme: dark)").matches;
      r.filled = pen.getImageData(0, 0, canvas.width, canvas.height).data.some(v => v > 0);
      return r;""")
    check("error" not in got, got)
    least = min(r["efficiency"] for r in rows)
    check(got.get("count") == "1,605 of 1,605 rows" and got["marks"] == 1605, f"every row has a mark: {got}")
    check(len(got.get("roofs", [])) == 5, f"hbm and the four sections used, not tf32: {got.get('roofs')}")
    check(got.get("tip") and got["tipOf"] in got["tip"] and "anomaly" in got["tip"], f"the tooltip is of the mark under the pointer: {got.get('tip')}")
    check(got.get("lowest", ["", ""])[1] == f"{least * 100:.1f} %" and got["ariaSort"] == "ascending", f"sorted by efficiency: {got.get('lowest')}")
    check(got.get("highest") == max(r["efficiency"] for r in rows), "sorted the other way")
    gemm = [r for r in rows if "gemm" in (r["op"] + "\n" + r["case"] + "\n" + r["tag"]).lower()]
    check(got.get("gemm") == len(gemm) and got["gemmNotBelow"] == len([r for r in gemm if r["verdict"] != "below"]) and got["reset"] == 1605, f"filters: {got}")
    check(got.get("second") and got["spoken"], "arrow keys step through the marks and speak")
    check(got.get("last") and got["lastInPage"] and got["inPage"] < 100, f"arrow keys move in the table, of which only the visible part is in the page: {got.get('inPage')}")
    check(got.get("dark") and got["filled"], "themes, and a chart that is drawn")
else:
    print("note: ../shared is absent, its rows were not shown")

# ---- what needs eyes lies on top: no roof's label hides an anomaly, and no label another ----
text = open(source + "/manifest/records/h200.jsonl").read()
for place in range(40):  # anomalies just below the bf16 roof, which is the fp16 one too: where the second label would stand
    text += record(op="On a label", roof_key="tensor_core.bf16", flops=8 * 10**11, bytes=10**(5 + place // 10) * (place % 10 + 1), device_busy_ms=0.99)
for width in 1300, 700:
    got = in_browser(page(text), COMMON + """
      const r = {boxes: view.labels.map(l => l.box), inside: view.labels.every(l => l.box[0] >= 0 && l.box[2] <= canvas.clientWidth), anomalies: 0, hidden: 0};
      const wanted = document.createElement("canvas").getContext("2d"); wanted.fillStyle = colours().anomaly; wanted.fillRect(0, 0, 1, 1);
      const colour = wanted.getImageData(0, 0, 1, 1).data, ratio = window.devicePixelRatio || 1;
      for (const m of marks.filter(m => m.row.verdict === "anomaly" && !m.beyond)) {
        const p = pen.getImageData(Math.round(px(m.x) * ratio), Math.round(py(m.y) * ratio), 1, 1).data;
        r.anomalies++; r.hidden += [0, 1, 2].some(i => Math.abs(p[i] - colour[i]) > 50);
      }
      r.under = view.labels.map(l => marks.filter(m => px(m.x) > l.box[0] && px(m.x) < l.box[2] && py(m.y) > l.box[1] && py(m.y) < l.box[3]).length);
      return r;""", width)
    check("error" not in got, got)
    boxes = got.get("boxes", [])
    check(got.get("anomalies", 0) >= 40 and got["hidden"] == 0, f"at {width} pixels an anomaly is hidden: {got}")
    check(len(boxes) >= 4 and got["inside"] and not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for i, a in enumerate(boxes) for b in boxes[:i]),
          f"at {width} pixels labels cover one another: {boxes}")
    check(sum(got.get("under", [99])) <= 8, f"at {width} pixels marks cover labels where there is room: {got.get('under')}")

# ---- hostile and odd rows ----
evil = ["</script><script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>", "\"'&<b>", "漢字 µ ☃", "\u2028"]
text = "".join(record(op=n, case=n, tag=n, device=n if i == 1 else "NVIDIA H200") for i, n in enumerate(evil))
text += record(op="zero", flops=0) + record(op="fast", flops=33554432, bytes=1, device_busy_ms=1e-300) + record(op="slow", device_busy_ms=1e300)
text += record(op="blank", timing="host") + record(op="huge", flops=2**63 - 1, bytes=1, device_busy_ms=0.001)
got = in_browser(page(text), COMMON + """
  const r = {hacked: window.hacked ?? null, ops: [...at("body").children].slice(1, -1).map(t => t.children[0].textContent), images: document.images.length, scripts: document.scripts.length};
  r.devices = [...at("device").options].map(o => o.value);
  const mark = op => marks.find(m => m.row.op === op);
  r.zero = mark("zero") && mark("zero").zero && mark("zero").x === range.x0 && mark("zero").y < Math.log10(data.profiles.find(p => p.gpu === "NVIDIA H200").hbm.theoretical) + range.x0;
  r.fast = mark("fast").beyond; r.slow = mark("slow").beyond; r.huge = mark("huge").beyond; r.blank = mark("blank") ?? null;
  r.inside = marks.every(m => Number.isFinite(px(m.x)) && py(m.y) >= box.top - 1 && py(m.y) <= box.top + box.height + 1);
  r.note = at("off-chart").textContent; r.roofs = at("roofs").children.length;
  for (const m of marks) { await hover(m); if (at("tip").querySelector("script, img, b")) r.markup = true; }
  r.hackedLater = window.hacked ?? null;
  return r;""")
check("error" not in got, got)
check(got.get("hacked") is None and got.get("hackedLater") is None and got.get("images") == 0 and got.get("scripts") == 4 and not got.get("markup"), f"no name becomes markup: {got}")
check(all(n in got.get("ops", []) for n in evil), f"names are shown as they are: {got.get('ops')}")
check(got.get("zero") and got.get("fast") == 1 and got.get("huge") == 1 and got.get("slow") == -1 and got.get("blank") is None and got.get("inside"), f"rows at and beyond the edges: {got}")
check("2 blank rows" in got.get("note", "") and "above the chart's range" in got["note"] and "without flops" in got["note"], f"what the chart cannot show is said: {got.get('note')}")
check(got.get("roofs") == 2, f"only the roofs in use: {got.get('roofs')}")

# ---- no rows at all; theoretical ----
got = in_browser(page(""), "return {count: at('count').textContent};")
check(got.get("count") == "0 of 0 rows", f"an empty report opens: {got}")
got = in_browser(page(record(device="NVIDIA H200 NVL"), "--theoretical"), COMMON + "await hover(marks[0]); return {about: at('about').textContent, head: at('head').textContent, tip: at('tip').textContent, roofs: at('roofs').textContent};")
check(all("theoretical" in got.get(k, "") for k in ("about", "head", "tip", "roofs")), f"theoretical is said: {got}")

# ---- 100,000 rows ----
text = "".join(record(op=f"Op{i % 97}", case=f"case {i}", device_busy_ms=0.0093 + i * 1e-6) for i in range(100000))
got = in_browser(page(text), COMMON + """
  const r = {marks: marks.length, inPage: at("body").children.length, height: at("scroll").scrollHeight};
  at("scroll").scrollTop = at("scroll").scrollHeight; await frame(); fillTable(); r.bottom = cell(at("body").children.length - 3, 1);
  const start = performance.now(); type("case 99999"); r.one = shown.length; await hover(marks[0]); r.tip = at("tip").textContent;
  return r;""")
check(got.get("marks") == 100000 and got["inPage"] < 100 and got["bottom"] == "case 99999" and got["one"] == 1 and "case 99999" in got["tip"], f"100,000 rows: {got}")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
PY
