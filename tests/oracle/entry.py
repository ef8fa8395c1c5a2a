"""A second reading of manifest entries, in another language and sharing no code with the compiler: rows, the
sizes of the tensors they bind, and the metadata they generate. It never looks at a roofline block.

The manifest's expressions are nearly Python's, so Python evaluates them: `present(x)` becomes a look-up by name,
`v.value` is `v`, and a family application is a call."""
import ast
import itertools
import math
import re
import types
import zlib
from random import Random

import yaml


class Loader(yaml.CSafeLoader):
    """YAML 1.2's booleans: `off` and `y` are names."""


Loader.yaml_implicit_resolvers = {
    first: [r for r in resolvers if r[0] != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$", re.I), list("tTfF"))

BITS = {name: int(re.search(r"\d+", name).group()) for name in (
    "uint8 int8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128").split()}
BITS |= {"bool": 8, "bfloat16": 16} | {"float8_" + kind: 8 for kind in (
    "e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")}


def prod(items):
    return math.prod(items)


def ceil_div(a, b):
    return -(-a // b)


def broadcast(*shapes):
    columns = itertools.zip_longest(*(reversed(s) for s in shapes), fillvalue=1)
    return tuple(reversed([next((n for n in column if n != 1), 1) for column in columns]))


def reduced(shape, axes, keepdim, mode):
    rank = len(shape)
    if axes is None or (axes == () and mode == "full"):
        gone = set(range(rank))
    else:
        gone = {a % rank for a in (axes if isinstance(axes, tuple) else (axes,))} if rank else set()
    return tuple(1 if i in gone else n for i, n in enumerate(shape) if keepdim or i not in gone)


def per_axis(value, i, n, fallback=None):
    item = value[i] if isinstance(value, tuple) else value
    return fallback if item is None else item


def conv_out(length, k, s, p, d):
    return (length + 2 * p - d * (k - 1) - 1) // s + 1


def pool_out(length, k, s, p, d, ceil_mode):
    span = length + 2 * p - d * (k - 1) - 1
    if not ceil_mode:
        return max(span // s + 1, 0)
    out = ceil_div(span, s) + 1
    return max(out - 1 if (out - 1) * s >= length + p else out, 0)


def capacity(layout, rows, experts):
    if layout.kind == "masked":
        return experts * layout.max_m
    if layout.packing == "tight":
        return rows
    a = layout.alignment
    return ceil_div(rows + experts * (a - 1), a) * a


def category(x):
    if isinstance(x, (bool, int, float)):
        return type(x).__name__
    return next((c for c in ("bool", "complex", "float") if c in x), "int")


def balanced_sizes(total, count):
    return [total // count + (i < total % count) for i in range(count)]


def prefix_sum(sizes):
    return [0, *itertools.accumulate(sizes)]


def layout_metadata(layout, rows, experts):
    if layout.kind == "masked":
        return [layout.max_m if e % 2 == 0 else layout.max_m // 2 for e in range(experts)]
    if layout.packing == "aligned":
        tiles = balanced_sizes(rows // layout.alignment, experts)
        sizes = [t * layout.alignment for t in tiles]
    else:
        sizes = balanced_sizes(rows, experts)
    if layout.metadata_kind == "per_row":
        return [e for e, size in enumerate(sizes) for _ in range(size)]
    ends = prefix_sum(sizes)[1:]
    if layout.packing == "tight":
        return ends
    return [end - layout.alignment // 2 if size else end for end, size in zip(ends, sizes)]


def generators(rng):
    """Value generators of metadata tensors; seeded ones draw from `rng`."""
    def rows(n, draw):
        return [draw(i) for i in range(n)]

    def pages(b, w, pool):
        if b * w <= pool:
            drawn = rng.sample(range(pool), b * w)
            return rows(b, lambda i: drawn[i * w:(i + 1) * w])
        return rows(b, lambda i: rng.sample(range(pool), w))

    def padded(visible, k, padding, ordered=False):
        picked = rng.sample(range(visible), min(visible, k))
        return (sorted(picked) if ordered else picked) + [padding] * (k - len(picked))

    def windows(lens, first, count, which):
        starts = [s for s, n in zip(prefix_sum(lens), lens) for _ in range(n)]
        return [starts[i] if which == "start" else i + 1 for i in range(first, first + count)]

    def full(shape, value):
        return value if not shape else rows(shape[0], lambda _: full(shape[1:], value))

    return {
        "as_tensor": list, "prefix_sum": prefix_sum, "balanced_sizes": balanced_sizes, "full": full,
        "repeat": lambda v, n: [v] * n,
        "exclusive_prefix_sum": lambda lens: prefix_sum(lens)[:-1],
        "packed_positions": lambda lens: [j for n in lens for j in range(n)],
        "token_indices": lambda lens: [(i, j) for i, n in enumerate(lens) for j in range(n)],
        "chunk_indices": lambda lens, c: [(i, j) for i, n in enumerate(lens) for j in range(ceil_div(n, c))],
        "chunk_offsets": lambda lens, c: prefix_sum([ceil_div(n, c) for n in lens]),
        "key_windows": windows,
        "topk_ids": lambda n, k, e: rows(n, lambda _: rng.sample(range(e), k)),
        "random_ids": lambda n, w, u: rows(n, lambda _: [rng.randrange(u) for _ in range(w)]),
        "sample_indices": lambda n, hi: rng.sample(range(hi), n),
        "paged_block_table": pages,
        "nsa_block_indices": lambda lens, block, k, heads: [
            [padded(max(ceil_div(j, block), 1), k, sum(lens), True) for _ in range(heads)]
            for n in lens for j in range(n)],
        "nsa_block_counts": lambda t, heads, k: rows(t, lambda _: [rng.randint(1, k) for _ in range(heads)]),
        "causal_topk_indices": lambda b, s, heads, k, extent, start, stride: rows(b, lambda _: [
            [padded(min(max(1, (t + start) // stride), extent), k, extent) for _ in range(heads)]
            for t in range(s)]),
    }


PRIMITIVES = {
    "prod": prod, "ceil_div": ceil_div, "broadcast": broadcast, "reduced": reduced, "per_axis": per_axis,
    "category": category, "len": len, "sum": sum, "max": max, "min": min, "inf": math.inf, "true": True,
    "false": False, "coalesce_dtype": lambda v, t: t if v is None else v,
    "promote_int_to_float": lambda t: "float32" if category(t) == "int" else t,
    "conv": types.SimpleNamespace(out=conv_out), "pool": types.SimpleNamespace(out=pool_out),
    "mhc": types.SimpleNamespace(expansion=lambda q: math.isqrt(q + 1) - 1),
    "moe": types.SimpleNamespace(capacity=capacity, layout_metadata=layout_metadata),
}


class _ToPython(ast.NodeTransformer):
    """present(x) -> _present("x"); v.value -> v; Family[a, b] -> _family("Family", a, b)."""

    def __init__(self, families):
        self.families = families

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "present":
            return ast.Call(ast.Name("_present", ast.Load()), [ast.Constant(node.args[0].id)], [])
        return self.generic_visit(node)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return node.value if node.attr == "value" else node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.families):
            return node
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return ast.Call(ast.Name("_family", ast.Load()), [ast.Constant(node.value.id), *arguments], [])


class Row(dict):
    """One row and dtype case: names to values. Lets are worked out when asked for, an index that the row has no
    use for is None."""

    def __init__(self, op, entry, row, dtypes):
        super().__init__()
        self.op, self.signature = op, entry["signature"]
        self.families = self.signature.get("types") or {}
        indices, params = (self.signature.get(key) or {} for key in ("forall", "params"))
        self.names = {*indices, *(self.signature.get("let") or {})}
        self.tensors = {name: (t, section) for section in ("params", "inputs", "outputs")
                        for name, t in (self.signature.get(section) or {}).items() if "shape" in t}
        for name in indices:
            if name in dtypes or name in row:
                self[name] = self._value(dtypes.get(name, row.get(name)), indices[name])
        for name, p in params.items():
            if "type" in p:
                self[name] = self._value(row.get(name, p.get("default")), "")
        self.some = row.get("some", [])
        self._generate()
        types_of = [p["type"] for p in params.values() if "type" in p]
        self.case = "-".join([row["label"], *(dtypes[n] for n in indices if n in dtypes), *(
            self[n] for n, t in zip((n for n in params if "type" in params[n]), types_of)
            if self[n] is not None and t != "bool" and any(part.strip() in BITS for part in t.split("|")))])

    def _value(self, value, kind):
        if isinstance(value, dict):
            (constructor, fields), = value.items()
            return types.SimpleNamespace(kind=constructor, **fields)
        if isinstance(value, str) and kind.startswith("Seq"):
            return eval(value, {**generators(None)})
        return tuple(value) if isinstance(value, list) else value

    def __missing__(self, name):
        lets = self.signature.get("let") or {}
        if name in lets:
            self[name] = self.evaluate(lets[name])
            return self[name]
        if name in self.names:
            return None
        raise KeyError(name)

    def evaluate(self, text, extra=None):
        tree = ast.parse(text.strip(), mode="eval")
        tree = ast.fix_missing_locations(_ToPython(self.families).visit(tree))
        scope = _Scope(extra or {}, self, {**PRIMITIVES, "_present": self.present, "_family": self._family})
        return eval(compile(tree, text, "eval"), {"__builtins__": {}}, scope)

    def _family(self, name, *arguments):
        family = self.families[name]
        formals = dict(zip(family["params"], arguments))
        match = family["match"] if isinstance(family["match"], list) else [family["match"]]
        found = [self.evaluate(m, formals) for m in match]
        for case in family["cases"]:
            when = case["when"] if isinstance(case["when"], list) else [case["when"]]
            if all(map(_fits, found, when)):
                return tuple(self.evaluate(case["is"], formals))
        raise ValueError(f"{self.op}: no case of {name} fits {found}")

    def present(self, name):
        if name not in self.tensors:
            return self[name] is not None
        t, _ = self.tensors[name]
        rule = t.get("optional", t.get("nullable"))
        if rule is None:
            return True
        return name in self.some if rule is True else bool(self.evaluate(rule))

    def _generate(self):
        """Metadata values. Those made from a list of lengths come first: they solve indices that others read."""
        self.data = {}
        lists = {name for name, kind in (self.signature.get("forall") or {}).items() if kind.startswith("Seq")}
        made = [(name, t) for name, (t, _) in self.tensors.items() if "values" in t]
        made.sort(key=lambda item: lists.isdisjoint(re.findall(r"\w+", item[1]["values"])))
        for name, t in made:
            rng = Random(1235 ^ zlib.crc32(f"{self.op}:{name}".encode()))
            values = self.evaluate(t["values"], generators(rng))
            self.data[name] = values
            axis = re.match(r"\[(\w+)( \+ 1)?[,\]]", t["shape"])
            if axis and axis.group(1) not in self and axis.group(1) in self.names:
                self[axis.group(1)] = len(values) - (1 if axis.group(2) else 0)

    def shape(self, name):
        return tuple(self.evaluate(self.tensors[name][0]["shape"]))

    def item(self, name):
        """Bytes of one element; no shipped dtype has a part of one."""
        dtype = self.tensors[name][0]["dtype"]
        return BITS[dtype if dtype in BITS else self.evaluate(dtype)] // 8

    def size(self, name):
        return prod(self.shape(name)) * self.item(name) if self.present(name) else 0

    def whole(self, *names):
        return sum(self.size(name) for name in names)

    def derived(self):
        """Every tensor once, by the effect rules (language.md §8): reads and writes."""
        reads = writes = 0
        for name, (t, section) in self.tensors.items():
            written = self._written(t)
            if section == "outputs":
                alias = t.get("alias")
                writes += 0 if alias and self._written(self.tensors[alias][0]) else self.size(name)
            else:
                reads += 0 if written and t.get("write_only") else self.size(name)
                writes += self.size(name) if written else 0
        return reads, writes

    def _written(self, t):
        mutated = t.get("mutated", False)
        return self.evaluate(mutated) if isinstance(mutated, str) else mutated


class _Scope(dict):
    def __init__(self, first, row, last):
        super().__init__(first)
        self.row, self.last = row, last

    def __missing__(self, name):
        try:
            return self.row[name]
        except KeyError:
            return self.last[name]


def _fits(value, pattern):
    if pattern == "_":
        return True
    if isinstance(pattern, dict):
        (constructor, fields), = pattern.items()
        return value.kind == constructor and (
            fields == "_" or all(getattr(value, f) == v for f, v in fields.items()))
    return value == pattern


def rows(path):
    """(op, roofline mode, Row) of every workload row of a manifest file."""
    with open(path, encoding="utf-8") as file:
        for op, entry in yaml.load(file, Loader).items():
            roofline = entry["roofline"]
            level = "two" if "func" in roofline or "bytes" in roofline else "one"
            for row in entry["workloads"]:
                for dtypes in row.get("dtype_cases", [{}]):
                    yield op, level, Row(op, entry, row, dtypes)
