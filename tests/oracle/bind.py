"""Which calls an entry's signature accepts, decided from its declaration alone (language.md §5, §6): is there a
value for every index that gives each tensor passed its shape and dtype, with every refinement and predicate true?
An axis that is linear in one unknown index forces that index, whatever the order, so a call has one reading or none.

judge.py compares what generated binds say with this."""
import ast
import types

import strict
from entry import BITS, Row, _fits, _ToPython


class Unsolved(Exception):
    """An index that nothing has given yet."""


FAILURES = (strict.Failure, ZeroDivisionError, IndexError)


class _Expression(_ToPython):
    """Also bytes(t) -> _bytes("t")."""

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "bytes":
            return ast.Call(ast.Name("_bytes", ast.Load()), [ast.Constant(node.args[0].id)], [])
        return super().visit_Call(node)


class Env(dict):
    """Names of an expression: a family's formals, which are read where they are used, then the call's."""

    def __init__(self, call, formals):
        super().__init__(__builtins__={})
        self.call, self.formals = call, formals

    def __missing__(self, name):
        if name == "_present":
            return self.present
        if name in self.formals:
            node, env = self.formals[name]
            return env.value(node)
        return self.call.lookup(name)

    def present(self, name):
        if name not in self.formals:
            return self.call.present(name)
        node, env = self.formals[name]
        return env.present(node.id) if isinstance(node, ast.Name) else env.value(node) is not None

    def value(self, node):
        if not hasattr(node, "code"):
            tree = ast.Expression(node.value if isinstance(node, ast.Starred) else node)
            node.code = compile(ast.fix_missing_locations(tree), "expression", "eval")
        return eval(node.code, self)


class Signature:
    """An entry's declarations, read once."""

    def __init__(self, op, entry):
        self.op, self.entry = op, entry
        signature = entry["signature"]
        self.families = signature.get("types") or {}
        self.indices = signature.get("forall") or {}
        self.parameters = {n: p for n, p in (signature.get("params") or {}).items() if "type" in p}
        self.combos = signature.get("dtype_combos") or []
        self.lets = {n: self.tree(text) for n, text in (signature.get("let") or {}).items()}
        self.rules = [self.tree(text) for text in signature.get("shape_rules") or []]
        self.restrictions = [i for i, rule in enumerate(self.rules) if not self.reads(rule)]
        self.tensors = {}  # in the order of params, inputs, outputs
        for section in ("params", "inputs", "outputs"):
            for name, t in (signature.get(section) or {}).items():
                if "shape" in t:
                    self.tensors[name] = self._tensor(name, t, section)
        roofline = entry["roofline"]
        self.flops, self.bytes = (self.tree(roofline[k]) if k in roofline else None for k in ("flops", "bytes"))
        self.formals = {family: list(f["params"]) for family, f in self.families.items()}
        self.cases = {family: [(when if isinstance(when := case["when"], list) else [when], self.tree(case["is"]))
                               for case in f["cases"]] for family, f in self.families.items()}
        self.matches = {family: [self.tree(m) for m in (f["match"] if isinstance(f["match"], list) else [f["match"]])]
                        for family, f in self.families.items()}

    def tree(self, text):
        return _Expression({}).visit(ast.parse(f"({str(text).strip()})", mode="eval")).body

    def _tensor(self, name, t, section):
        rule = t.get("optional", t.get("nullable"))
        effect = t.get("mutated", False)
        return types.SimpleNamespace(
            name=name, section=section, output=section == "outputs", declaration=f"{section}.{name}",
            shape=self.tree(t["shape"]), dtype=None if t["dtype"] in BITS else self.tree(t["dtype"]),
            fixed=t["dtype"], optional=rule is True, condition=self.tree(rule) if isinstance(rule, str) else None,
            passed=section != "outputs" or "buffer" in t, alias=t.get("alias"),
            write_only=t.get("write_only", False), mutated=self.tree(effect),
            requires=[self._predicate(text) for text in t.get("requires", [])])

    def _predicate(self, text):
        call = self.tree(text)
        return ast.unparse(call.func), call.args

    def reads(self, node, formals=()):
        """Indices that an expression reads, through lets and formals."""
        if not hasattr(node, "names"):
            node.names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        found = set()
        for name in node.names:
            if name in formals:
                inner, env = formals[name]
                found |= self.reads(inner, env.formals)
            elif name in self.indices:
                found.add(name)
            elif name in self.lets:
                found |= self.reads(self.lets[name])
        return found


class Call:
    """Parameters, and the tensors passed as {name: (dtype, dims)}: the indices these give, and what they break."""

    def __init__(self, signature, parameters, tensors, data, kept=None, indices=None):
        """`kept` remembers which predicates hold, for calls whose `data` are the same where they are as long. With
        `indices` nothing is solved or judged."""
        self.signature, self.parameters, self.tensors, self.data = signature, parameters, tensors, data
        self.indices, self.let_values = indices or {}, {}
        self.root = Env(self, {})
        self.broken = set()       # declarations that do not hold
        self.conflicts = set()    # tensors whose shapes no index values give
        self.undecided = None
        self.axes = {}
        self.kept = {} if kept is None else kept
        if indices is None:
            self._judge()

    # ---- names ----

    def lookup(self, name):
        signature = self.signature
        if name in self.indices:
            return self.indices[name]
        if name in self.parameters:
            return self.parameters[name]
        if name in signature.indices:
            raise Unsolved(name)
        if name in signature.lets:
            if name not in self.let_values:
                self.let_values[name] = self.root.value(signature.lets[name])
            return self.let_values[name]
        if name == "_bytes":
            return self.size
        return strict.PRIMITIVES[name]

    def present(self, name):
        t = self.signature.tensors.get(name)
        if t is None:
            return (name in self.tensors) if name == "out" else self.lookup(name) is not None
        if t.condition is not None:
            return bool(self.root.value(t.condition))
        return name in self.tensors if t.optional else True

    # ---- shapes ----

    def _resolve(self, shape, env):
        """The axes of a shape, through families, and what their names mean."""
        signature = self.signature
        if not (isinstance(shape, ast.Subscript) and isinstance(shape.value, ast.Name)
                and shape.value.id in signature.families):
            return shape, env
        family = shape.value.id
        arguments = shape.slice.elts if isinstance(shape.slice, ast.Tuple) else [shape.slice]
        inner = Env(self, dict(zip(signature.formals[family], ((a, env) for a in arguments))))
        found = [inner.value(m) for m in signature.matches[family]]
        for when, shape in signature.cases[family]:
            if all(map(_fits, found, when)):
                return self._resolve(shape, inner)
        raise strict.Failure

    def resolved(self, name):
        if name not in self.axes:
            self.axes[name] = self._resolve(self.signature.tensors[name].shape, self.root)
        return self.axes[name]

    def shape(self, name):
        node, env = self.resolved(name)
        return tuple(env.value(node))

    def dtype(self, name):
        t = self.signature.tensors[name]
        return t.fixed if t.dtype is None else self.root.value(t.dtype)

    # ---- solving ----

    def _meant(self, node, env):
        """A name through the formals that stand for it."""
        while isinstance(node, ast.Name) and node.id in env.formals:
            node, env = env.formals[node.id]
        return node, env

    def _linear(self, node, env):
        """(factor, index, rest): the axis is factor * index + rest. Unsolved when it is not, or not yet."""
        try:
            return 0, None, env.value(node)
        except Unsolved:
            pass
        node, env = self._meant(node, env)
        if isinstance(node, ast.Name) and node.id in self.signature.indices:
            return 1, node.id, 0
        if isinstance(node, ast.Name) and node.id in self.signature.lets:
            return self._linear(self.signature.lets[node.id], self.root)
        if isinstance(node, ast.IfExp):
            return self._linear(node.body if env.value(node.test) else node.orelse, env)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            (a, x, b), (c, y, d) = self._linear(node.left, env), self._linear(node.right, env)
            if isinstance(node.op, ast.Mult):
                if x is None or y is None:
                    return (a * d + c * b, x or y, b * d)
            elif x is None or y is None or x == y:
                sign = 1 if isinstance(node.op, ast.Add) else -1
                return a + sign * c, x or y, b + sign * d
        raise Unsolved

    def _gives(self, node, env, dims):
        """(index, value) that a part of a shape forces, or None where it reads nothing unknown. Unsolved when it needs
        another index first."""
        if isinstance(node, ast.Starred):
            meant, _ = self._meant(node.value, env)
            if isinstance(meant, ast.Name) and meant.id in self.signature.indices and meant.id not in self.indices:
                return meant.id, dims
            env.value(node)
            return None
        factor, index, rest = self._linear(node, env)
        if index is None:
            return None
        if factor == 0:
            raise Unsolved(index)
        value, left = divmod(dims[0] - rest, factor)
        strict.need(left == 0 and value >= 0)
        return index, value

    def _places(self, parts, env, dims):
        """(position, its dims) of a shape's parts whose places are known: one splice of unknown length takes what the
        others leave, and of several only what stands around them has a place."""
        lengths = []
        for node in parts:
            try:
                lengths.append(len(env.value(node)) if isinstance(node, ast.Starred) else 1)
            except Unsolved:
                lengths.append(None)
        unknown = [i for i, n in enumerate(lengths) if n is None]
        rest = len(dims) - sum(n or 0 for n in lengths)
        strict.need(rest == 0 or (rest > 0 and unknown))
        if len(unknown) == 1:
            lengths[unknown.pop()] = rest
        start, end = 0, len(dims)
        for i in range(unknown[0] if unknown else len(parts)):
            yield i, dims[start:start + lengths[i]]
            start += lengths[i]
        for i in range(len(parts) - 1, unknown[-1] if unknown else len(parts), -1):
            end -= lengths[i]
            yield i, dims[end:end + lengths[i]]

    def _solve_tensor(self, tensor):
        """Whether all that its axes read is solved."""
        shape, env = self.axes[tensor]
        done = 0
        for i, dims in self._places(shape.elts, env, self.tensors[tensor][1]):
            try:
                given = self._gives(shape.elts[i], env, dims)
                self.indices |= [given] if given else []
                done += 1
            except Unsolved:
                pass
            except FAILURES:
                self.conflicts.add(tensor)
        return done == len(shape.elts)

    def alternatives(self, known):
        """(index, value) of what each part of each shape gives for an index, the others being `known`: places too may
        be counted before a splice is solved, from the left or from the right."""
        shapes = {i for i, kind in self.signature.indices.items() if kind == "Shape"}
        for tensor, (shape, env) in self.axes.items():
            for index in self.signature.reads(shape, env.formals):
                for left_out in ({index}, {index, *shapes}):
                    other = self.with_indices({k: v for k, v in known.items() if k not in left_out})
                    yield from other._given_by(tensor)

    def _given_by(self, tensor):
        shape, env = self.resolved(tensor)
        try:
            places = list(self._places(shape.elts, env, self.tensors[tensor][1]))
        except FAILURES:
            return
        for i, dims in places:
            try:
                given = self._gives(shape.elts[i], env, dims)
            except (*FAILURES, Unsolved):
                continue
            if given:
                yield given

    def with_indices(self, indices):
        """The same call, not judged, with these indices."""
        other = Call.__new__(Call)
        other.__dict__.update(self.__dict__, let_values={}, axes={}, indices=dict(indices))
        other.root = Env(other, {})
        return other

    def _solve(self):
        waiting = [n for n in self.tensors if not self.signature.tensors[n].output]
        for name in waiting:
            node = self.signature.tensors[name].dtype
            if isinstance(node, ast.Name) and node.id in self.signature.indices and node.id not in self.indices:
                self.indices[node.id] = self.tensors[name][0]
        solved = -1
        while solved < len(self.indices):
            solved = len(self.indices)
            for name in list(waiting):
                try:
                    if self._solve_tensor(name):
                        waiting.remove(name)
                except FAILURES:
                    self.conflicts.add(name)
                    waiting.remove(name)

    # ---- judging ----

    def _holds(self, node):
        try:
            return bool(self.root.value(node))
        except FAILURES:
            return False

    def _judge(self):
        signature = self.signature
        self._judge_presence()
        self.broken |= {f"shape_rules[{i}]" for i in signature.restrictions if not self._holds(signature.rules[i])}
        if self.broken:
            return
        try:
            for name in self.tensors:
                self.resolved(name)
        except FAILURES:
            self.broken.add("no case")
            return
        self._solve()
        self._judge_dtypes()
        for name in self.tensors:
            self._judge_tensor(name)
        if self.broken or self.conflicts or self.undecided:
            return
        for name, t in signature.tensors.items():
            if t.output and self.present(name):
                self._judge_output(name, t)
        for i, rule in enumerate(signature.rules):
            try:
                if not self._holds(rule):
                    self.broken.add(f"shape_rules[{i}]")
            except Unsolved as e:
                self.undecided = f"{e} is not solved, and shape_rules[{i}] reads it"
        for name, t in signature.tensors.items():
            for i, (predicate, arguments) in enumerate(t.requires):
                if name in self.data and not self._keeps(name, predicate, arguments):
                    self.broken.add(f"{t.declaration}.requires[{i}]")

    def _judge_presence(self):
        for name, t in self.signature.tensors.items():
            passed = name in self.tensors
            if t.passed and not t.output and passed != self.present(name):
                self.broken.add(t.declaration)
            if passed and min(self.tensors[name][1], default=0) < 0:
                self.broken.add(t.declaration)

    def _judge_dtypes(self):
        signature = self.signature
        for name, kind in signature.indices.items():
            if kind.startswith("DType") and name in self.indices:
                if self.indices[name] not in [part.strip() for part in kind[6:-1].split("|")]:
                    self.broken.add(f"forall.{name}")
        columns = signature.combos[0] if signature.combos else ()
        case = {c: self.indices.get(c, self.parameters.get(c)) for c in columns}
        if columns and not any(all(v in (None, row[c]) for c, v in case.items()) for row in signature.combos):
            self.broken.add("dtype_combos")

    def _judge_tensor(self, name):
        """Does the tensor passed have the shape and dtype that the indices give?"""
        declaration = self.signature.tensors[name].declaration
        dtype, dims = self.tensors[name]
        try:
            if self.dtype(name) != dtype:
                self.broken.add(f"{declaration}.dtype")
            if name not in self.conflicts and self.shape(name) != dims:
                self.conflicts.add(name)
        except Unsolved as e:
            self.undecided = f"{e} is not solved, and {declaration} reads it"
        except FAILURES:
            self.conflicts.add(name)

    def _judge_output(self, name, t):
        try:
            if min(self.shape(name), default=0) < 0 or len(self.shape(name)) > 16:
                self.broken.add(f"{t.declaration}.shape")
        except Unsolved as e:
            self.undecided = f"{e} is not solved, and {t.declaration} reads it"
        except FAILURES:
            self.broken.add(f"{t.declaration}.shape")

    def _keeps(self, name, predicate, arguments):
        """A predicate over values that are not there, or over a list that no call carries, is not judged."""
        values, key = [self.data[name]], [name, predicate, len(self.data[name])]
        for node in arguments:
            if isinstance(node, ast.Name) and node.id in self.signature.tensors:
                if node.id not in self.data:
                    return True
                values.append(self.data[node.id])
                key.append(len(values[-1]))
            elif any(self.signature.indices.get(n.id, "").startswith("Seq")
                     for n in ast.walk(node) if isinstance(n, ast.Name)):
                return True
            else:
                values.append(self.root.value(node))
                key.append(str(values[-1]))
        key = tuple(key)
        if key not in self.kept:
            try:
                self.kept[key] = strict.PREDICATES[predicate](*values)
            except FAILURES:
                self.kept[key] = False
        return self.kept[key]

    @property
    def accepted(self):
        return not (self.broken or self.conflicts)

    # ---- what an accepted call costs ----

    def size(self, name):
        elements = 1
        for n in self.shape(name):
            elements *= n
        return -(-elements * BITS[self.dtype(name)] // 8)

    def cost(self):
        """(flops, bytes) by the entry's formulas, bytes derived from its effects where it has none; None for a
        func entry, and for a formula outside its domain."""
        if self.signature.flops is None:
            return None
        try:
            flops = self.root.value(self.signature.flops)
            return flops, sum(self.derived()) if self.signature.bytes is None else self.root.value(self.signature.bytes)
        except FAILURES:
            return None

    def derived(self):
        """Reads and writes by the effect rules."""
        reads = writes = 0
        for name, t in self.signature.tensors.items():
            if not self.present(name):
                continue
            written = self.written(name)
            if t.output:
                writes += 0 if t.alias and self.written(t.alias) else self.size(name)
            else:
                reads += 0 if written and t.write_only else self.size(name)
                writes += self.size(name) if written else 0
        return reads, writes

    def written(self, name):
        return self.present(name) and bool(self.root.value(self.signature.tensors[name].mutated))


def flat(values):
    """A metadata tensor's values in row-major order."""
    values = list(values)
    while values and isinstance(values[0], (list, tuple)):
        values = [item for part in values for item in part]
    return values


def calls(signature):
    """(case id, parameters, tensors, metadata values) of every row and dtype case."""
    for workload in signature.entry["workloads"]:
        for dtypes in workload.get("dtype_cases", [{}]):
            row = Row(signature.op, signature.entry, workload, dtypes)
            parameters = {name: row[name] for name in signature.parameters}
            indices = {name: row[name] for name in signature.indices if row[name] is not None}
            call = Call(signature, parameters, dict.fromkeys(row.some), {}, indices=indices)
            tensors = {name: (call.dtype(name), call.shape(name))
                       for name, t in signature.tensors.items() if t.passed and call.present(name)}
            data = {name: flat(values) for name, values in row.data.items() if name in tensors}
            yield row.case, parameters, tensors, data
