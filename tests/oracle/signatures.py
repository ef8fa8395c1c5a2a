"""Random entries whose rows fit them: axes, splices, families, presence, refinements, effects and formulas put
together from all that the language has. What their binds and evaluators say is then judged by judge.py.

usage: signatures.py write SEED COUNT > ENTRIES.yaml
       signatures.py repair ENTRIES.yaml DIAGNOSTICS.json > ENTRIES.yaml
       signatures.py drop ENTRIES.yaml DIAGNOSTICS.json > ENTRIES.yaml

A random entry may leave an index unsolved, or give one that a row has no use for. `repair` gives the index a tensor
of its own, or takes it from the row, as `rooflinec check --format json` asks; `drop` leaves out what is still
refused, and fails where chance does not explain it."""
import json
import random
import re
import sys
import types

import yaml

import strict
from entry import Loader, _fits

DIMS, SHAPES = "ABCD", "SU"
DTYPES = {"T": ["float16", "float32", "int8"], "V": ["float16", "float32"]}
ROWS = 3

# Parameters: their types, and a row's value.
PARAMETERS = {
    "flag": ("bool", lambda r: r.random() < .5),
    "twice": ("bool", lambda r: r.random() < .5),
    "mode": ("'fast' | 'exact' | 'slow'", lambda r: r.choice(["fast", "exact", "slow"])),
    "how": ("'sum' | 'mean' | None", lambda r: r.choice(["sum", "mean", None])),
    "layout": ("Layout", lambda r: r.choice([
        {"dense": {"order": r.choice(["row", "column"]), "pitch": r.randint(1, 4)}},
        {"blocked": {"block": r.randint(0, 3), "ragged": r.random() < .5}}, {"flat": {}}])),
    "n": ("int", lambda r: r.randint(-2, 4)),
    "maybe": ("int | None", lambda r: r.choice([None, 1, 3])),
    "sizes": ("list[int]", lambda r: [r.randint(0, 3) for _ in range(r.randint(0, 2))]),
    "axes": ("int | list[int] | None", lambda r: r.choice([None, 0, -1, [0, 1], []])),
    "pair": ("int | tuple[int, int]", lambda r: r.choice([2, [3, 4]])),
    "out_dtype": ("float16 | float32 | None", lambda r: r.choice([None, "float16", "float32"])),
}
TESTS = {
    "flag": ["flag"],
    "twice": ["twice"],
    "mode": ["mode == 'fast'", "mode != 'slow'", "mode in ('fast', 'slow')", "mode not in ('exact', 'slow')"],
    "how": ["present(how)", "how == 'sum'", "(present(how) and how != 'sum')"],
    "layout": ["layout.kind == 'dense'", "layout.kind != 'flat'", "(layout.kind == 'blocked' and layout.ragged)",
               "(layout.kind == 'dense' and layout.order == 'row')"],
    "maybe": ["present(maybe)"],
}
# What families match: the formal's kind and the cases.
FAMILIES = {
    "flag": ("Bool", [True, False]),
    "twice": ("Bool", [True, False]),
    "mode": ("'fast' | 'exact' | 'slow'", ["fast", "exact", "slow"]),
    "layout": ("Layout", [
        {"dense": {"order": "row"}}, {"dense": {"order": "column"}}, {"blocked": "_"}, {"flat": "_"}]),
}
UNLUCKY = {  # errors that a random entry may well have
    "RL0406": "a comparison that narrowing has already decided",
    "RL0407": "the same, of an absent value",
    "RL0511": "an alias of an input whose condition is never true",
}
FAILURES = (strict.Failure, ZeroDivisionError, IndexError)


def evaluate(text, values):
    scope = strict.PRIMITIVES | {"present": lambda v: v is not None} | values
    return eval(f"({text})".replace(".value", ""), scope)


def as_read(value):
    """A row's value as expressions read it."""
    if isinstance(value, dict):
        (constructor, fields), = value.items()
        return types.SimpleNamespace(kind=constructor, **fields)
    return tuple(value) if isinstance(value, list) else value


class Entry:
    def __init__(self, rng):
        self.rng = rng
        self.rows = [self.row() for _ in range(ROWS)]
        self.values = [{name: as_read(v) for name, v in row.items()} for row in self.rows]
        self.choosers = rng.sample(sorted(FAMILIES), 2) + ["maybe"] + rng.sample(["how"], rng.randint(0, 1))
        self.tests = dict(TESTS)
        self.depth = rng.choice([0, 2])  # of conditions: discriminants that few expressions share form several groups
        self.families, self.inputs, self.lets = {}, {}, {}
        for name in ("l0", "l1"):
            self.lets[name] = text = self.fitting(self.axis)
            for values in self.values:
                values[name] = evaluate(text, values)

    def row(self):
        r = self.rng
        row = {d: r.choice([0, 1, 1, 2, 3, 4, 5, 6, 8, 9]) for d in DIMS}
        row |= {s: [r.randint(1, 4) for _ in range(r.randint(0, 3))] for s in SHAPES}
        return row | {name: draw(r) for name, (_, draw) in PARAMETERS.items()}

    # ---- expressions ----

    def pick(self, *texts):
        return self.rng.choice(texts)

    def test(self, depth=None, choosers=None):
        """A condition on discriminants, each read once."""
        depth = self.depth if depth is None else depth
        choosers = self.rng.sample(choosers or self.choosers, len(choosers or self.choosers))
        if depth == 0 or len(choosers) == 1 or self.rng.random() < .5:
            return self.pick(*self.tests[choosers[0]])
        half = len(choosers) // 2
        a, b = self.test(depth - 1, choosers[:half]), self.test(depth - 1, choosers[half:])
        return self.pick(f"not ({a})", f"({a} and {b})", f"({a} or {b})", f"({b} if {a} else not ({b}))")

    def known(self):
        """A number that no index gives."""
        fields = "(layout.pitch if layout.kind == 'dense' else layout.block if layout.kind == 'blocked' else 1)"
        return self.pick("n", "2", "len(sizes)", "sum(sizes)", "per_axis(pair, 0, 2)",
                         f"(3 if {self.test(self.depth // 2)} else 1)", "(maybe.value if present(maybe) else 0)",
                         *([fields] if "layout" in self.choosers else []))

    def axis(self):
        a, b = self.rng.choice(DIMS), self.rng.choice(DIMS)
        if self.rng.random() < .3:
            return a
        return self.pick(
            a, f"{self.rng.randint(2, 3)} * {a}", f"{a} + {self.known()}", f"{self.known()} + {a}", f"{a} + {b}",
            f"{a} - 1", f"{a} - {self.known()}", f"({a} + {self.known()}) * 3", f"2 * ({a} + {b})",
            f"2 * {a} + 3 * {b}", f"{a} // 2", f"{a} * {b}", f"max(({a}, {b}))", f"ceil_div({a}, 2)",
            f"len(S) + {a}", "prod(S)", self.known(), *self.lets,
            f"2 * {a} if {self.test()} else {a}", f"{a} if {self.test()} else {b}",
            f"{a} + 1 if {self.test()} else 2 * {b} + 1")

    def splice(self):
        return self.pick("*S", "*S", "*U", "*sizes", "*broadcast(S, U)", f"*reduced(S, axes, {self.test(0)}, 'noop')",
                         "*S[1:]", "*U[:1]")

    def formula(self, depth=3):
        """A count: only what a call is sure to have is read without a guard."""
        if depth == 0 or self.rng.random() < .2:
            return self.pick(self.axis(), self.known(), "sum(2 * i + 1 for i in U)",
                             "(5 if out_dtype == 'float16' else 0)",
                             *(f"(bytes({t}) if present({t}) else 7)" for t in self.inputs))
        f, g, k = self.formula(depth - 1), self.formula(depth - 1), self.rng.randint(2, 5)
        return self.pick(f"({f}) + ({g})", f"({f}) - ({g})", f"({f}) * {k}", f"({f}) // {k}", f"({f}) % {k}",
                         *[f"(({f}) if {self.test()} else ({g}))"] * 5, f"max(({f}, {g}))")

    # ---- shapes ----

    def fitting(self, draw, holds=lambda value: value >= 0):
        """A drawn text whose value is right in every row."""
        while True:
            text = draw()
            try:
                if all(holds(self.value(text, values)) for values in self.values):
                    return text
            except FAILURES:
                pass

    def value(self, text, values):
        name = text.split("[")[0]
        return self.family_value(*self.families[name], values) if name in self.families else evaluate(text, values)

    def shape(self):
        draw = self.family if self.rng.random() < .3 else self.axes
        return self.fitting(draw, lambda dims: all(n >= 0 for n in dims))

    def axes(self):
        parts = [self.axis() if self.rng.random() < .75 else self.splice() for _ in range(self.rng.randint(0, 3))]
        return "[" + ", ".join(parts) + "]"

    def family(self):
        """An application of a new family, of one or two of the parameters that choose."""
        name = f"F{len(self.families)}"
        chosen = [p for p in self.choosers if p in FAMILIES][:self.rng.randint(1, 2)]
        whens = [FAMILIES[p][1] for p in chosen]
        whens = [[v] for v in whens[0]] if len(whens) == 1 else [[v, w] for v in whens[0] for w in whens[1]]
        parts = ["p", "q", "p + 1", "2 * q", "*z", "p + q", "3 * p + q", "q + len(z)", "*z[:1]"]
        cases = []
        for when in whens:
            own = [f"m{i}.pitch" for i, v in enumerate(when) if isinstance(v, dict) and "dense" in v]
            shape = ", ".join(self.pick(*parts, *own) for _ in range(self.rng.randint(0, 3)))
            cases.append({"when": when if len(when) > 1 else when[0], "is": f"[{shape}]"})
        formals = {f"m{i}": FAMILIES[p][0] for i, p in enumerate(chosen)} | {"p": "Dim", "q": "Dim", "z": "Shape"}
        given = [self.test() if FAMILIES[p][0] == "Bool" and self.rng.random() < .5 else p for p in chosen]
        given += [self.rng.choice(DIMS), self.axis(), self.rng.choice(SHAPES)]
        match = [f"m{i}" for i in range(len(chosen))]
        match = match if len(match) > 1 else match[0]
        self.families[name] = {"params": formals, "match": match, "cases": cases}, given
        return f"{name}[{', '.join(given)}]"

    def family_value(self, family, given, values):
        formals = dict(zip(family["params"], (evaluate(g, values) for g in given)))
        for case in family["cases"]:
            when = case["when"] if isinstance(case["when"], list) else [case["when"]]
            if all(_fits(formals[f"m{i}"], v) for i, v in enumerate(when)):
                return evaluate(case["is"], formals)

    def rule(self):
        """A refinement that is true in every row, with whichever comparison makes it so."""
        while True:
            sides = [f"({self.axis()})" for _ in range(2)]
            text = self.pick(f"{sides[0]} ? {sides[1]}", f"{self.test()} or {sides[0]} ? {self.rng.randint(0, 6)}",
                             f"not ({self.test()}) or len(S) ? 2", f"prod(S) ? {sides[0]}", f"{sides[0]} % 2 ? 1")
            for comparison in self.rng.sample(["<=", ">=", "==", "!="], 4):
                try:
                    if all(evaluate(text.replace("?", comparison), values) for values in self.values):
                        return text.replace("?", comparison)
                except FAILURES:
                    pass

    # ---- the whole ----

    def tensor(self, dtypes=("T", "V", "float32", "int32")):
        return {"dtype": self.pick(*dtypes), "shape": self.shape()}

    def add_optional(self, name):
        """An optional input, passed by some rows; later conditions may read whether it is."""
        how = self.pick(True, True, self.test())
        self.inputs[name] = self.tensor() | {"optional": how}
        for row, values in zip(self.rows, self.values):
            passed = self.rng.random() < .5 if how is True else evaluate(how, values)
            values[name] = True if passed else None
            if how is True and passed:
                row.setdefault("some", []).append(name)
        if how is True:
            self.tests[name] = [f"present({name})", f"not present({name})"]
            self.choosers.append(name)

    def add_effects(self):
        """Inputs that are written, always or on a branch, and what the outputs then are."""
        for name in self.rng.sample(sorted(self.inputs), 2):
            t = self.inputs[name]
            t["mutated"] = self.pick(True, self.test(), self.test())
            if t["mutated"] is True and self.rng.random() < .5:
                t["write_only"] = True
        written = [name for name, t in self.inputs.items() if "mutated" in t]
        outputs = {"y": self.tensor(("float32", "coalesce_dtype(out_dtype, V)"))}
        if written:
            name = self.pick(*written)
            outputs["z"] = {key: self.inputs[name][key] for key in ("dtype", "shape")} | {"alias": name}
        if self.rng.random() < .5:
            outputs["w"] = self.tensor(("T",)) | {"nullable": self.test()}
        return outputs

    def entry(self):
        r = self.rng
        required = {f"x{i}": self.tensor() for i in range(r.randint(2, 4))}
        required["x0"]["dtype"], required["x1"]["dtype"] = DTYPES
        plain = [d for d in DIMS if r.random() < .4]
        required["plain"] = {"dtype": "T", "shape": f"[{', '.join(plain)}]"}
        for s in SHAPES:
            if r.random() < .6:
                required["of" + s] = {"dtype": "V", "shape": self.pick(f"[*{s}]", f"[A, *{s}]", f"[*{s}, B + 1]")}
        self.inputs = dict(sorted(required.items(), key=lambda _: r.random()))
        self.values = [values | dict.fromkeys(self.inputs, True) for values in self.values]
        for i in range(r.randint(0, 2)):
            self.add_optional(f"o{i}")
        outputs = self.add_effects()
        if r.random() < .3:
            outputs["y"]["buffer"] = "out"
        held = {"held": self.tensor()} if r.random() < .3 else {}  # a construction-time tensor
        cases = [{name: r.choice(members) for name, members in DTYPES.items()} for _ in range(ROWS + 1)]
        rows = [row | {"dtype_cases": [cases[i]], "label": f"row{i}"} for i, row in enumerate(self.rows)]
        forall = dict.fromkeys(DIMS, "Dim") | dict.fromkeys(SHAPES, "Shape")
        forall |= {name: f"DType[{' | '.join(members)}]" for name, members in DTYPES.items()}
        signature = {
            "forall": forall, "params": {name: {"type": kind} for name, (kind, _) in PARAMETERS.items()} | held,
            "inputs": self.inputs, "outputs": outputs, "let": self.lets,
            "shape_rules": [self.rule() for _ in range(r.randint(0, 2))]}
        if r.random() < .3:
            signature["dtype_combos"] = [case for i, case in enumerate(cases) if case not in cases[:i]]
        signature["types"] = {name: family for name, (family, _) in self.families.items()
                              if name + "[" in str([self.inputs, outputs, held])}
        roofline = {"flops": self.formula(2 * self.depth)} | ({"bytes": self.formula()} if r.random() < .25 else {})
        return {"family": "random", "status": "spec-only", "signature": signature, "workloads": rows,
                "roofline": roofline}


# ---- what the checker says of them ----

def give_tensor(entry, index):
    inputs = entry["signature"]["inputs"]
    shape = f"[*{index}]" if index in SHAPES else f"[{index}]"
    entry["signature"]["inputs"] = {f"give{index}": {"dtype": "float32", "shape": shape}} | inputs


def row_lines(root):
    """(op, line): which of its rows stands there."""
    found = {}
    for op, entry in root.value:
        rows = next(node for key, node in entry.value if key.value == "workloads")
        for i, row in enumerate(rows.value):
            found |= {(op.value, line + 1): i for line in range(row.start_mark.line, row.end_mark.line + 1)}
    return found


def repair(entries, errors, rows):
    """Tensors come first: what they make relevant stays in the rows."""
    unsolved = [d for d in errors if d["code"] == "RL0510"]
    for d in unsolved or errors:
        entry, index = entries[d["op"]], re.match(r"index '(\w+)'", d["message"])
        if index and unsolved:
            give_tensor(entry, index[1])
        elif index and d["code"] == "RL0604":
            entry["workloads"][rows[d["op"], d["line"]]].pop(index[1])


def drop(entries, errors):
    """Leaves out what chance made wrong. Nothing else may be refused."""
    wrong = [d for d in errors if d["code"] not in UNLUCKY]
    for d in wrong:
        print(f"refused: {d['op']}: {d['code']}: {d['message']}", file=sys.stderr)
    for d in errors:
        entries.pop(d["op"], None)
    return 1 if wrong else 0


def main(command, *arguments):
    result = 0
    if command == "write":
        rng = random.Random(int(arguments[0]))
        entries = {f"R{i}FwdOp": Entry(rng).entry() for i in range(int(arguments[1]))}
    else:
        with open(arguments[0], encoding="utf-8") as text, open(arguments[1], encoding="utf-8") as said:
            root = yaml.compose(text, Loader)
            text.seek(0)
            entries = yaml.load(text, Loader)
            errors = [d for d in json.load(said)["diagnostics"] if d["severity"] == "error"]
        if command == "repair":
            repair(entries, errors, row_lines(root))
        else:
            result = drop(entries, errors)
    yaml.dump(entries, sys.stdout, Dumper=Plain, sort_keys=False, width=10000)
    return result


class Plain(yaml.SafeDumper):
    """No anchors."""

    def ignore_aliases(self, data):
        return True


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
