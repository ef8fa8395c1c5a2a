"""The structural oracle (codegen.md §3): recounts the bytes of every shipped row by a path that shares only the
definition of least traffic with the evaluators, and compares. Level one derives the sum from the signature; level
two is by_hand.py. Every operator stands at exactly one level.

usage: recount.py ROWS.tsv MANIFEST.yaml...     ROWS.tsv is what the rows program prints"""
import sys

from by_hand import CASES
from entry import rows


def main(printed_path, paths):
    with open(printed_path, encoding="utf-8") as file:
        printed = {tuple(line.split("\t")[:2]): line.rstrip("\n").split("\t") for line in file}
    faults, levels, counted = [], {}, {"one": 0, "two": 0}
    for path in paths:
        for op, level, row in rows(path):
            levels[op] = level
            if level == "two" and op not in CASES:
                continue
            reads, writes = row.derived()
            want = reads + writes if level == "one" else CASES[op](row)
            counted[level] += 1
            line = printed.pop((op, row.case), None)
            if line is None:
                faults.append(f"{op} {row.case}: no such row is printed")
            elif line[3] != str(want):
                faults.append(f"{op} {row.case}: {line[3]} bytes, the recount has {want}")
            elif level == "one" and line[5] != str(reads):
                faults.append(f"{op} {row.case}: {line[5]} bytes read, the recount has {reads}")
    faults += [f"{op}: at neither level" for op, level in levels.items() if level == "two" and op not in CASES]
    faults += [f"{op}: at both levels" for op in CASES if levels.get(op) == "one"]
    faults += [f"{op}: counted by hand, not shipped" for op in CASES if op not in levels]
    faults += [f"{op} {case}: a row that the recount does not know" for op, case in printed]
    for fault in faults:
        print(fault)
    print(f"{counted['one']} rows recounted from signatures, {counted['two']} by hand, {len(faults)} faults")
    return 1 if faults or counted["one"] == 0 or counted["two"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
