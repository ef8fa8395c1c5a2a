"""costs.py LIBRARY: the calls of the C benchmark, as records. costs.py LIBRARY rows: every workload row of every op."""
import json
import sys

from roofline import Ops, RooflineError

ops = Ops(sys.argv[1])
if sys.argv[2:] == ["rows"]:
    for op in ops:
        for case, cost in op.rows():
            print(op.name, case, cost.flops, cost.bytes, cost.roof_key, "-" if cost.read_bytes is None else
                  cost.read_bytes, sep="\t")
    sys.exit()


def record(op, case, cost):
    print(json.dumps({"op": op, "case": case, "device": "CPU", "device_busy_ms": None, "flops": cost.flops,
                      "bytes": cost.bytes, "roof_key": cost.roof_key, "read_bytes": cost.read_bytes}))


for m, n, k in (256, 192, 320), (1, 1024, 512):
    cost = ops["GemmFwdOp"](a=("bfloat16", (m, k)), b=("bfloat16", (k, n)), trans_b=False)
    record("GemmFwdOp", f"cpu.{m}x{n}x{k}-bfloat16", cost)
for rows, columns in (256, 4096), (3, 50257):
    record("SoftmaxFwdOp", f"cpu.{rows}x{columns}-float32", ops["SoftmaxFwdOp"](x=("float32", (rows, columns)), dim=-1))

try:
    ops["GemmFwdOp"](a=("bfloat16", (4, 5)), b=("bfloat16", (6, 7)), trans_b=False)
    sys.exit("a call that does not fit was accepted")
except RooflineError as why:
    print(why, file=sys.stderr)
