"""The language's primitives and predicates with their domains (language.md §4), by their definitions: entry.py's
serve rows that are known to be right, these serve calls that may be wrong."""
import itertools
import math

import entry


class Failure(Exception):
    """A primitive outside its domain."""


def need(holds):
    if not holds:
        raise Failure


# ---- primitives ----

def as_axes(axes):
    return axes if isinstance(axes, tuple) else (axes,)


def valid_axes(axes, rank):
    return axes is None or all(-max(rank, 1) <= a < max(rank, 1) for a in as_axes(axes))


def unique_axes(axes, rank):
    if axes is None:
        return True
    need(valid_axes(axes, rank))
    return len({a % max(rank, 1) for a in as_axes(axes)}) == len(as_axes(axes))


def broadcast(*shapes):
    for column in itertools.zip_longest(*(reversed(s) for s in shapes), fillvalue=1):
        need(len({n for n in column if n != 1}) <= 1)
    return entry.broadcast(*shapes)


def reduced(shape, axes, keepdim, mode):
    if axes == ():
        need(mode != "reject")
        return tuple(shape) if mode == "noop" else entry.reduced(shape, None, keepdim, mode)
    need(valid_axes(axes, len(shape)))
    return entry.reduced(shape, axes, keepdim, mode)


def per_axis(value, i, n, fallback=None):
    if isinstance(value, tuple):
        need(len(value) == n and 0 <= i < n)
        value = value[i]
    value = fallback if value is None else value
    need(value is not None)
    return value


def ceil_div(a, b):
    need(b > 0)
    return -(-a // b)


def extreme(pick):
    def of(items, default=None):
        items = list(items)
        need(items or default is not None)
        return pick(items) if items else default
    return of


def expansion(q):
    n = math.isqrt(q + 1) - 1 if q >= 0 else 0
    need(n > 0 and n * n + 2 * n == q)
    return n


def balanced_sizes(total, count):
    need(total >= 0 and count > 0)
    return tuple(entry.balanced_sizes(total, count))


def repeat(value, n):
    need(n >= 0)
    return (value,) * n


LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
           "float64": 1.7976931348623157e308, "complex64": 3.4028234663852886e38,
           "complex128": 1.7976931348623157e308, "float8_e4m3fn": 448, "float8_e5m2": 57344,
           "float8_e4m3fnuz": 240, "float8_e5m2fnuz": 57344, "float8_e8m0fnu": 2.0 ** 127}
WITHOUT_INFINITY = {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"}


def representable(value, dtype):
    if dtype == "bool":
        return True
    if dtype in LARGEST:
        if math.isinf(value):
            return dtype not in WITHOUT_INFINITY
        return math.isnan(value) or abs(value) <= LARGEST[dtype]
    if math.isinf(value) or math.isnan(value):
        return False
    bits = entry.BITS[dtype]
    high = 2 ** bits - 1 if dtype.startswith("u") else 2 ** (bits - 1) - 1
    low = -high if dtype.startswith("u") else -high - 1
    return low <= value <= high


PRIMITIVES = entry.PRIMITIVES | {
    "valid_axes": valid_axes, "unique_axes": unique_axes, "broadcast": broadcast, "reduced": reduced,
    "per_axis": per_axis, "ceil_div": ceil_div, "max": extreme(max), "min": extreme(min), "all": all,
    "mhc": type("mhc", (), {"expansion": staticmethod(expansion)}), "balanced_sizes": balanced_sizes,
    "repeat": repeat, "representable": representable,
}


# ---- predicates, of a tensor's values in row-major order ----

def gaps(values):
    return [b - a for a, b in zip(values, values[1:])]


def layout_valid(m, layout, rows, experts):
    need(experts > 0 and rows >= 0)
    if layout.kind == "masked":
        return experts * layout.max_m == rows and len(m) == experts and all(0 <= n <= layout.max_m for n in m)
    tile = layout.alignment
    if rows % tile != 0 or len(m) != (rows if layout.metadata_kind == "per_row" else experts):
        return False
    if layout.metadata_kind == "physical_psum":
        starts = [0, *(ceil_div(end, tile) * tile for end in m)]
        return all(start <= end <= rows for start, end in zip(starts, m)) and (
            layout.packing == "aligned" or m[-1] == rows)
    return per_row_valid(m, tile, experts)


def per_row_valid(m, tile, experts):
    """Tiles of one expert's rows each, ascending, and behind an expert's last row -1 in aligned layouts."""
    marked = range(-1 if tile > 1 else 0, experts)
    owners = []
    for at in range(0, len(m), tile):
        used = [e for e in m[at:at + tile] if e != -1]
        if m[at:at + tile] != used + [-1] * (tile - len(used)) or len(set(used)) > 1:
            return False
        owners += used[:1]
    return all(e in marked for e in m) and owners == sorted(owners)


PREDICATES = {
    "prefix_offsets": lambda m, total: bool(m) and m[0] == 0 and m[-1] == total and min(gaps(m), default=0) >= 0,
    "max_segment": lambda m, bound: max(gaps(m), default=bound) <= bound,
    "in_range": lambda m, low, high: not m or (low <= min(m) and max(m) < high),
    "sums_to": lambda m, total: sum(m) == total,
    "exclusive_prefix_of": lambda m, other: len(m) == len(other) and m == entry.prefix_sum(other)[:-1],
    "chunk_offsets_of": lambda m, offsets, chunk: min(gaps(offsets), default=0) >= 0 and
        m == entry.prefix_sum([ceil_div(n, chunk) for n in gaps(offsets)]) and len(m) == len(offsets) > 0,
    "indices_within": lambda m, offsets: len(m) % 2 == 0 and all(
        0 <= s < len(offsets) - 1 and 0 <= p < offsets[s + 1] - offsets[s] for s, p in zip(m[::2], m[1::2])),
    "attn.paged_fits": lambda m, cu, cap: len(cu) == len(m) + 1 and all(
        cached + new <= cap for cached, new in zip(m, gaps(cu))),
    "moe.layout_valid": layout_valid,
}
