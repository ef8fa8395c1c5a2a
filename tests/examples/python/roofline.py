"""libroofline_ops.so from Python, with the standard library alone.

Ops are found by name and called with what a framework's tensors say of themselves, their dtype and shape:

    ops = Ops("/usr/lib/libroofline_ops.so.1")
    cost = ops["GemmFwdOp"](a=("bfloat16", (256, 320)), b=("bfloat16", (320, 192)), trans_b=False)
    cost.flops, cost.bytes, cost.roof_key

A library of your own, of `rooflinec emit --prefix acme`: Ops("libacme.so", prefix="acme").

The structures below follow <roofline/value.h> and <roofline/op.h>, which say what each member means.
"""
import ctypes
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t
from ctypes import c_ssize_t, c_uint32, c_void_p
import difflib
from typing import NamedTuple, Optional


class Seq(Structure):
    _fields_ = [("items", POINTER(c_int64)), ("absent", c_void_p)] + [(n, c_int64) for n in ("len", "first", "a", "b")]


class Member(Structure):
    _fields_ = [("b", c_bool), ("t", c_int), ("i", c_int64), ("f", c_double), ("s", c_char_p), ("q", Seq)]


class Value(Structure):
    NONE, BOOL, INT, FLOAT, STRING, DTYPE, SEQ = range(7)
    _fields_ = [("tag", c_int), ("u", Member)]


class Tensor(Structure):
    _fields_ = [("dtype", c_int), ("rank", c_int32), ("dims", POINTER(c_int64)), ("strides", c_void_p),
                ("data", c_void_p)]


class Error(Structure):
    _fields_ = [("declaration", c_char_p), ("expected", c_int64), ("found", c_int64), ("message", c_char * 240)]


class Field(Structure):
    INT, BOOL, ENUM, DTYPE, FLOAT, SHAPE, SEQ, VALUE, ADT = range(9)
    WANTS = {INT: "an int", BOOL: "a bool", DTYPE: "a dtype's name", FLOAT: "a number", SHAPE: "a sequence of ints",
             SEQ: "a sequence of ints", VALUE: "None, a bool, a number, a string or a sequence of ints",
             ADT: "a constructor, which this file does not build"}
    _fields_ = [("name", c_char_p), ("kind", c_int), ("offset", c_size_t), ("args_offset", c_size_t),
                ("values", POINTER(c_char_p)), ("value_count", c_int32), ("adt", c_void_p)]

    def wants(self):
        if self.kind != Field.ENUM:
            return Field.WANTS[self.kind]
        return "one of " + ", ".join(repr(value.decode()) for value in self.values[:self.value_count])


class TensorInfo(Structure):
    NOT_PASSED = -1
    _fields_ = [("name", c_char_p), ("role", c_int)] + [(n, c_ssize_t) for n in ("present", "args_offset", "metadata")]


class CCost(Structure):
    _fields_ = [("flops", c_int64), ("bytes", c_int64)]


class Call(Structure):
    _fields_ = [("op", c_void_p), ("checked", c_uint32), ("stages", c_void_p)]


class Row(Structure):
    _fields_ = [("case_id", c_char_p), ("label", c_char_p), ("call", POINTER(Call)), ("lists", c_void_p)]


class RowCall(Structure):
    _fields_ = [("call", POINTER(Call)), ("memory", c_void_p)]


READ_BYTES = ctypes.CFUNCTYPE(c_int, POINTER(Call), POINTER(c_int64))
ROOF_KEY = ctypes.CFUNCTYPE(c_char_p, POINTER(Call))


class COp(Structure):
    _fields_ = ([("name", c_char_p), ("family", c_char_p), ("origin", c_char_p), ("implemented", c_bool),
                 ("call_size", c_size_t), ("args_size", c_size_t)]
                + [("indices", c_void_p), ("params", POINTER(Field)), ("tensors", POINTER(TensorInfo))]
                + [("lets", c_void_p), ("lists", c_void_p)]
                + [("rows", POINTER(Row)), ("stages", c_void_p)]
                + [(name, c_int32) for name in ("index_count", "param_count", "tensor_count", "let_count",
                                                "list_count", "row_count", "stage_count")]
                + [(name, c_void_p) for name in ("defaults", "bind", "eval", "tensor", "let", "generate")]
                + [("roof_key", ROOF_KEY), ("read_bytes", READ_BYTES), ("data_terms", c_void_p)])


class Cost(NamedTuple):
    flops: int
    bytes: int
    roof_key: str
    read_bytes: Optional[int]  # None where the op declares none


class RooflineError(Exception):
    """A call that does not fit its op's signature, or whose cost is not known; str() says why."""


def _did_you_mean(name, names):
    near = difflib.get_close_matches(name, names, 1)
    return (f"; did you mean {near[0]!r}?" if near else ";") + " There are " + ", ".join(names)


class Op:
    def __init__(self, library, pointer):
        self._library, self._pointer = library, pointer
        self._op = pointer.contents
        self.name, self.family = self._op.name.decode(), self._op.family.decode()

    def __call__(self, **arguments):
        """The cost of one call. A tensor is (dtype, shape), a parameter a plain value; None is "not given"."""
        binding = self._library.roofline_binding_new(self._pointer)
        if not binding:
            raise MemoryError
        try:
            for name, argument in arguments.items():
                if argument is not None:
                    self._set(binding, name, argument)
            error = Error()
            if self._library.roofline_binding_bind(binding, byref(error)) != 0:
                raise RooflineError(f"{self.name}: {error.message.decode()}")
            return self._cost(self._library.roofline_binding_call(binding))
        finally:
            self._library.roofline_binding_free(binding)

    def rows(self):
        """(case id, cost) of every workload row of the manifest."""
        for i in range(self._op.row_count):
            row = RowCall()
            self._check(self._library.roofline_row_open(self._pointer, i, byref(row)), self._op.rows[i].case_id)
            try:
                yield self._op.rows[i].case_id.decode(), self._cost(row.call)
            finally:
                self._library.roofline_row_close(byref(row))

    def _set(self, binding, name, argument):
        try:
            if isinstance(argument, tuple) and argument and isinstance(argument[0], str):
                dtype, shape = argument
                tensor = Tensor(self._dtype(dtype), len(shape), (c_int64 * len(shape))(*shape), None, None)
                status = self._library.roofline_binding_tensor(binding, name.encode(), tensor)
            else:
                status = self._library.roofline_binding_set(binding, name.encode(), self._value(argument))
        except (TypeError, ValueError):  # not what it looked like, a shape of texts say
            status = -1
        if status != 0:
            raise RooflineError(f"{self.name}: {self._refusal(name, argument)}")

    def _refusal(self, name, argument):
        params = {f.name.decode(): f for f in self._op.params[:self._op.param_count]}
        tensors = [t.name.decode() for t in self._op.tensors[:self._op.tensor_count]
                   if t.args_offset != TensorInfo.NOT_PASSED]
        if name in params:
            return f"{name}: expected {params[name].wants()}, not {argument!r}"
        if name in tensors:
            return f"{name}: expected (dtype, shape), not {argument!r}"
        return f"it takes no {name!r}{_did_you_mean(name, tensors + list(params))}"

    def _value(self, x):
        value = Value()
        if isinstance(x, bool):
            value.tag, value.u.b = Value.BOOL, x
        elif isinstance(x, int):
            value.tag, value.u.i = Value.INT, x
        elif isinstance(x, float):
            value.tag, value.u.f = Value.FLOAT, x
        elif isinstance(x, str):
            dtype = self._library.roofline_dtype_find(x.encode(), len(x))
            value.tag, value.u.t = (Value.DTYPE, dtype) if dtype else (Value.STRING, 0)
            value.u.s = x.encode()
        else:
            value.tag, value.u.q.items, value.u.q.len = Value.SEQ, (c_int64 * len(x))(*x), len(x)
        return value

    def _dtype(self, name):
        dtype = self._library.roofline_dtype_find(name.encode(), len(name))
        if dtype == 0:
            names = []
            while self._library.roofline_dtype_bits(len(names) + 1) != 0:
                names.append(self._library.roofline_dtype_name(len(names) + 1).decode())
            raise RooflineError(f"{self.name}: there is no dtype {name!r}{_did_you_mean(name, names)}")
        return dtype

    def _cost(self, call):
        cost, read = CCost(), c_int64()
        self._check(self._library.roofline_eval(call, byref(cost)), "cost")
        known = bool(self._op.read_bytes) and self._op.read_bytes(call, byref(read)) == 0
        return Cost(cost.flops, cost.bytes, self._op.roof_key(call).decode(), read.value if known else None)

    def _check(self, status, what):
        if status != 0:
            raise RooflineError(f"{self.name}: {what}: {self._library.roofline_status_name(status).decode()}")


class Ops:
    """The operators of a library, by name; `prefix` is that of `rooflinec emit` or roofline_generate()."""

    def __init__(self, path, prefix="roofline"):
        self._library = library = ctypes.CDLL(path)
        for name, result, *arguments in (
                ("roofline_op_find", POINTER(COp), c_void_p, c_char_p),
                ("roofline_status_name", c_char_p, c_int),
                ("roofline_dtype_find", c_int, c_char_p, c_size_t),
                ("roofline_dtype_name", c_char_p, c_int),
                ("roofline_dtype_bits", c_int, c_int),
                ("roofline_eval", c_int, POINTER(Call), POINTER(CCost)),
                ("roofline_binding_new", c_void_p, POINTER(COp)),
                ("roofline_binding_free", None, c_void_p),
                ("roofline_binding_set", c_int, c_void_p, c_char_p, Value),
                ("roofline_binding_tensor", c_int, c_void_p, c_char_p, Tensor),
                ("roofline_binding_bind", c_int, c_void_p, POINTER(Error)),
                ("roofline_binding_call", POINTER(Call), c_void_p),
                ("roofline_row_open", c_int, POINTER(COp), c_int32, POINTER(RowCall)),
                ("roofline_row_close", None, POINTER(RowCall))):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self._table = (POINTER(COp) * (1 << 20)).in_dll(library, f"{prefix}_ops")

    def __iter__(self):
        for pointer in self._table:
            if not pointer:
                return
            yield Op(self._library, pointer)

    def __getitem__(self, name):
        pointer = self._library.roofline_op_find(self._table, name.encode())
        if not pointer:
            raise KeyError(f"{name}{_did_you_mean(name, [op.name for op in self])}")
        return Op(self._library, pointer)
