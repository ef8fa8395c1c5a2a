"""Compares what generated binds say of changed calls with what the declarations say (bind.py).

usage: judge.py CALLS.tsv MANIFEST.yaml...     CALLS.tsv is what tests/conformance/bind_changes.c prints"""
import ast
import collections
import itertools
import re
import sys

import yaml

import bind
from entry import Loader

LIMIT = 2 ** 63
TENSOR = re.compile(r"(\w+)=(?:-|(\w+)\[([-\d,]*)\])")


# Func entries that have no count for some calls they accept.
NARROWER = {"HadamardFwdOp"}  # no Hadamard matrix of most orders is known


class Disagreement(Exception):
    pass


def insist(holds, why):
    if not holds:
        raise Disagreement(why)


def integers(text):
    return tuple(map(int, text.split(","))) if text else ()


def read_tensors(text):
    """{name: (dtype, dims)}; None for a tensor that is not passed."""
    return {name: (dtype, integers(dims)) if dtype else None for name, dtype, dims in TENSOR.findall(text)}


def read_indices(text):
    found = {}
    for part in text.split():
        name, value = part.split("=")
        found[name] = integers(value[1:-1]) if value[0] == "[" else int(value) if value.isdigit() else value
    return found


def changes_of(tensors, signature):
    """Every change that each row must be tried with, but those of dtypes and indices."""
    for name, t in signature.tensors.items():
        if not t.passed:
            continue
        yield name, "not passed" if name in tensors else "passed"
        dims = tensors[name][1] if name in tensors else ()
        for i in range(len(dims)):
            yield from ((name, f"axis {i} {how}") for how in ("+1", "-1", "to -1"))
        if name in tensors:
            yield from ((name, how) for how in ("a first axis of 2", "a last axis of 1"))
        if dims:
            yield from ((name, how) for how in ("no first axis", "no last axis"))


class Judge:
    """One row's calls."""

    def __init__(self, signature, case, parameters, tensors, data):
        self.signature, self.case, self.parameters = signature, case, parameters
        self.tensors, self.data = tensors, data
        self.cuts, self.kept = {}, {}
        self.base = bind.Call(signature, parameters, tensors, data)
        self.untried = {("-", "row"), *changes_of(tensors, signature)}

    def call(self, tensors):
        return bind.Call(self.signature, self.parameters, tensors, self.values(tensors), self.kept)

    def passed(self, changed):
        """The row's tensors, with those that a line names changed."""
        tensors = {name: changed.get(name, self.tensors.get(name)) for name in self.signature.tensors}
        return {name: t for name, t in tensors.items() if t is not None}

    def values(self, tensors):
        """A metadata tensor reads the row's values, and zeros behind them, as many as it has items."""
        data = {}
        for name, values in self.data.items():
            if name not in tensors or tensors[name][0] not in ("int32", "int64"):
                continue
            count = 1
            for n in tensors[name][1]:
                count *= n
            if (name, count) not in self.cuts:
                self.cuts[name, count] = (values + [0] * (count - len(values)))[:max(count, 0)]
            data[name] = self.cuts[name, count]
        return data

    # ---- one call ----

    def judge(self, what, change, changed, status, rest):
        """Whether it is accepted, or None where the declarations do not decide."""
        self.untried.discard((what, change))
        insist(change != "row" or self.passed(changed) == self.tensors, f"the row passes {self.tensors}")
        insist(change != "row" or self.tensors.keys() <= changed.keys(), "the row's tensors are not all there")
        call = self.call(self.passed(changed))
        if call.accepted and call.undecided:
            return None, call.undecided
        if status == "OK":
            insist(call.accepted, f"accepted, but {sorted(call.broken | call.conflicts)} do not hold")
            self.check_accepted(call, *rest)
        else:
            insist(not call.accepted, f"refused: {rest[3]}")
            self.check_refused(call, what, change, status, *rest)
        return status == "OK", ""

    def check_accepted(self, call, indices, status, flops, traffic, reads):
        for name, value in read_indices(indices).items():
            if name in call.indices:
                insist(value == call.indices[name], f"{name} is {call.indices[name]}, and solved to {value}")
        cost = call.cost()
        if call.signature.flops is None:
            allowed = ("OK", "NOT_AVAILABLE", *(["DOMAIN"] if call.signature.op in NARROWER else []))
            insist(status in allowed, f"a func entry's evaluation is {status}")
        elif cost is None:
            insist(status == "DOMAIN", f"evaluated to {status}, and the formula fails")
        elif max(map(abs, cost)) >= LIMIT:
            insist(status == "OVERFLOW", f"evaluated to {status}, and {cost} does not fit")
        else:
            insist((status, int(flops), int(traffic)) == ("OK", *cost), f"{status} {flops} {traffic}, not {cost}")
        if call.signature.bytes is None and cost is not None and max(map(abs, cost)) < LIMIT:
            known = call.derived()[0]
            insist(reads == str(known), f"{reads} bytes are read, not {known}")

    # ---- is it the right declaration? ----

    def check_refused(self, call, what, change, status, declaration, expected, found, message):
        text = message[len(declaration) + 2:]
        for pattern, check in MESSAGES:
            match = pattern.fullmatch(text)
            if match:
                insist(status == ("DOMAIN" if check is Judge.check_failed else "MISMATCH"), f"{status}: {message}")
                check(self, call, what, change, declaration, *match.groups())
                numbers = set(re.findall(r"-?\d+", text))
                insist(check not in BOTH or {expected, found} <= numbers, f"{expected}, {found} in: {message}")
                return
        raise Disagreement(f"not a known message: {message}")

    def named(self, declaration, part):
        """The tensor whose declaration it is."""
        for name, t in self.signature.tensors.items():
            if declaration == t.declaration + part:
                return name
        raise Disagreement(f"{declaration} is no tensor's{part}")

    def affected(self, call, what, change):
        """Indices that a change may have moved: those of the axis, and those that an axis has beside a moved one."""
        shape, env = call.axes[what]
        axis = re.match(r"axis (\d+)", change)
        moved = self.signature.reads(self.part_at(shape, env, int(axis[1])) if axis else shape, env.formals)
        groups = []
        for shape, env in call.axes.values():
            splices = [part for part in shape.elts if isinstance(part, ast.Starred) and not axis]  # these move axes
            groups += [set().union(*(self.signature.reads(p, env.formals) for p in [part, *splices]))
                       for part in shape.elts]
        for _ in self.signature.indices:
            moved = moved.union(*(group for group in groups if group & moved))
        return moved

    def part_at(self, shape, env, axis):
        """The part of a shape that an axis of the row's tensor belongs to."""
        for part in shape.elts:
            axis -= len(self.row_env(env).value(part)) if isinstance(part, ast.Starred) else 1
            if axis < 0:
                return part
        raise Disagreement("the row's tensor has no such axis")

    def row_env(self, env):
        """The same formals, in the row's call."""
        return bind.Env(self.base, {f: (node, self.row_env(outer)) for f, (node, outer) in env.formals.items()})

    def check_shares(self, call, what, change, declaration, name):
        """A shape that no index values fit: it is the changed tensor's, or shares an index with what changed. That a
        tensor is passed or not may choose any other's shape."""
        if name == what or what not in self.signature.tensors or change in ("passed", "not passed"):
            return
        shape, env = call.axes[name]
        shared = self.affected(call, what, change) & self.signature.reads(shape, env.formals)
        insist(shared, f"{declaration} shares no index with what changed")

    def check_axis(self, call, what, change, declaration, axis, size, given):
        name = self.named(declaration, ".shape")
        axis, size, given = int(axis), int(size), int(given)
        insist(call.conflicts, f"{declaration}: the shapes fit together")
        insist(call.tensors[name][1][axis] == size != given, f"{declaration}: axis {axis} is not {size}")
        self.check_shares(call, what, change, declaration, name)
        insist(any(given in found for found in self.outcomes(call, name, axis)),
               f"{declaration}: axis {axis} does not come out as {given}")

    def outcomes(self, call, name, axis):
        """What an axis may come out as where the shapes contradict each other: sets that grow, for the likely ones
        suffice. Each index has the row's value or the solved one, then also one that some axis gives while the others
        have theirs, then one that follows from such a value."""
        shape, env = call.axes[name]
        reads = self.signature.reads(shape, env.formals)
        solutions, values = [self.base.indices, call.indices], collections.defaultdict(set)
        for index, value in itertools.chain(*(known.items() for known in solutions)):
            values[index].add(value)
        for _ in range(3):
            yield self.mixtures(call, name, axis, {i: values[i] for i in reads if values[i]})
            given = {pair for known in solutions for pair in call.alternatives(known)}
            for index, value in given:
                values[index].add(value)
            solutions = [call.indices | {index: value} for index, value in given]

    def mixtures(self, call, name, axis, values):
        found = set()
        for indices in itertools.product(*values.values()):
            try:
                mixed = call.with_indices(call.indices | dict(zip(values, indices)))
                found |= set(mixed.shape(name)[axis:axis + 1])
            except (*bind.FAILURES, bind.Unsolved):
                pass
        return found

    def check_rank(self, call, what, change, declaration, rank, least, count):
        name = self.named(declaration, ".shape")
        found = len(call.tensors[name][1])
        insist(found == int(rank), f"{declaration}: the rank is {found}")
        insist(found < int(count) if least else found != int(count), f"{declaration}: the rank fits")
        insist(call.conflicts, f"{declaration}: the shapes fit together")
        self.check_shares(call, what, change, declaration, name)

    def check_affine(self, call, what, change, declaration, size, axis, over, factor):
        name = self.named(declaration, ".shape")
        insist(int(size) in call.tensors[name][1], f"{declaration}: no axis is {size}")
        insist(int(over) < 0 or int(over) % int(factor) != 0, f"{declaration}: the axis fits")
        insist(call.conflicts, f"{declaration}: the shapes fit together")
        self.check_shares(call, what, change, declaration, name)

    def check_broken(self, call, what, change, declaration, *_):
        insist(declaration in call.broken, f"{declaration} holds; {sorted(call.broken | call.conflicts)} do not")

    def check_failed(self, call, what, change, declaration, *_):
        if declaration not in call.broken:
            name = self.named(declaration, ".shape")
            insist(call.conflicts, f"{declaration} can be computed")
            self.check_shares(call, what, change, declaration, name)

    def check_compared(self, call, what, change, declaration, text, left, right):
        self.check_broken(call, what, change, declaration)
        comparison = self.signature.tree(text)
        sides = [call.root.value(comparison.left), call.root.value(comparison.comparators[0])]
        insist(sides == [int(left), int(right)], f"{declaration}: the sides are {sides}")
        insist(not call.root.value(comparison), f"{declaration}: {text} holds")

    def check_rule(self, call, what, change, declaration, text):
        self.check_broken(call, what, change, declaration)
        if declaration.startswith("shape_rules") and not text.endswith("..."):  # long ones are cut
            insist(not call.root.value(self.signature.tree(text)), f"{declaration}: {text} holds")

    def check_negative(self, call, what, change, declaration, axis, size):
        name = self.named(declaration, "")
        insist(call.tensors[name][1][int(axis)] == int(size) < 0, f"{declaration}: axis {axis} is not {size}")

    def check_passed(self, call, what, change, declaration, words):
        self.check_broken(call, what, change, declaration)
        name = self.named(declaration, "")
        insist((name in call.tensors) == (words == "passed, and this call takes none"), f"{declaration}: {words}")

    def check_dtype(self, call, what, change, declaration, dtype, wanted):
        """Which of the tensors that share a dtype index is named depends on which is read first."""
        name = self.named(declaration, ".dtype")
        insist(call.tensors[name][0] == dtype, f"{declaration} is not {dtype}")
        likely = {self.base.dtype(name), call.dtype(name), *call.tensors.get(what, ())[:1]} - {dtype}
        insist(wanted in likely, f"{declaration} is not to be {wanted}")
        if name != what:
            shared = self.dtype_reads(name) & self.dtype_reads(what)
            insist(shared, f"{declaration} shares no dtype with what changed")

    def dtype_reads(self, name):
        node = self.signature.tensors[name].dtype
        return self.signature.reads(node) if node is not None else set()

    def check_domain(self, call, what, change, declaration, dtype, listed):
        """A DType index takes the changed tensor's dtype, which its kind does not have."""
        index = declaration.removeprefix("forall.")
        kind = [part.strip() for part in self.signature.indices[index][6:-1].split("|")]
        insist(dtype == call.tensors[what][0] and index in self.dtype_reads(what), f"{declaration} is not {dtype}")
        insist(sorted(listed.split(", ")) == sorted(kind) and dtype not in kind, f"{declaration} has {kind}")

    def check_combo(self, call, what, change, declaration, listed, count):
        insist(int(count) == len(self.signature.combos), f"there are {len(self.signature.combos)} combinations")
        case = listed.split(", ")
        insist(all(case != [row[c] for c in self.signature.combos[0]] for row in self.signature.combos),
               f"({listed}) is supported")
        columns = dict(zip(self.signature.combos[0], case))
        insist(any(columns.get(i) == call.tensors[what][0] for i in self.dtype_reads(what)),
               f"({listed}) is not what changed")


MESSAGES = [(re.compile(pattern), check) for pattern, check in (
    (r"axis (\d+) is (\d+), and .* gives (-?\d+)", Judge.check_axis),
    (r"rank (\d+), and .* has (at least )?(\d+)", Judge.check_rank),
    (r"an axis is (\d+), which (.*) is for no index: (-?\d+) is not a multiple of (\d+) from 0 up", Judge.check_affine),
    (r"(.*) does not hold, its sides are (-?\d+) and (-?\d+)", Judge.check_compared),
    (r"(.*) does not hold", Judge.check_rule),
    (r".* cannot be computed \(DOMAIN\)", Judge.check_failed),
    (r"axis (\d+) is (-\d+), below 0", Judge.check_negative),
    (r"(not passed, and this call needs it|passed, and this call takes none)", Judge.check_passed),
    (r"(\w+), expected (\w+)", Judge.check_dtype),
    (r"(\w+) is not one of ([\w, ]+)", Judge.check_domain),
    (r"\(([\w, ]+)\) is none of the (\d+) supported combinations", Judge.check_combo),
)]
BOTH = {Judge.check_axis, Judge.check_rank, Judge.check_compared}


def read_entries(paths):
    entries = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            entries |= yaml.load(file, Loader)
    return entries


def judges(op, entry):
    """Judges of an op's rows, by case."""
    signature = bind.Signature(op, entry)
    return {case: Judge(signature, case, *row) for case, *row in bind.calls(signature)}


def main(calls_path, paths):
    counts, undecided, faults = collections.Counter(), collections.Counter(), []
    entries = read_entries(paths)
    rows = 0
    with open(calls_path, encoding="utf-8") as file:
        for op, lines in itertools.groupby((line.rstrip("\n").split("\t") for line in file), lambda line: line[0]):
            of_case = judges(op, entries.pop(op))
            rows += len(of_case)
            for _, case, what, change, tensors, status, *rest in lines:
                kind = re.sub(r"^(axis|index|dtype) .*", r"\1", change)
                try:
                    accepted, why = of_case[case].judge(what, change, read_tensors(tensors), status, rest)
                    counts[kind, {True: "accepted", False: "refused", None: "undecided"}[accepted]] += 1
                    undecided[why] += accepted is None
                except Disagreement as e:
                    faults.append(f"{op} {case}: {what} {change}: {e}")
            for j in of_case.values():
                faults += [f"{op} {j.case}: {' '.join(change)} is not tried" for change in sorted(j.untried)]
    faults += [f"{op}: no call" for op in entries]
    for fault in faults[:200]:
        print(fault)
    for kind in sorted({k for k, _ in counts}):
        print(f"{kind}: " + ", ".join(f"{counts[kind, r]} {r}" for r in ("accepted", "refused", "undecided")))
    for why, count in undecided.items():
        if count:
            print(f"undecided: {count} calls, {why}")
    total = sum(counts.values())
    print(f"{total} calls of {rows} rows judged, {len(faults)} faults")
    return 1 if faults or not total or sum(undecided.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
