"""Level two: the least traffic of operators that do not touch all of every tensor, counted element by element from
a row's sizes and metadata. Sets and loops, where the formulas have closed forms."""
from entry import prod

CASES = {}


def case(*ops):
    def register(count):
        for op in ops:
            CASES[op] = count
        return count
    return register


def touched(length, k, stride, padding, dilation, outputs):
    """Positions of an axis that some tap reaches, and taps that ever land inside."""
    hits = [(o * stride - padding + t * dilation, t) for o in range(outputs) for t in range(k)]
    inside = [(at, t) for at, t in hits if 0 <= at < length]
    return len({at for at, _ in inside}), len({t for _, t in inside})


def windows(r, rank, output):
    """touched() of every axis of a convolution or pool, from PyTorch's parameters."""
    def of(name, i, default):
        value = r[name] if name in r else default
        value = default if value is None else value
        return value[i] if isinstance(value, tuple) else value
    kernel = r.shape("weight")[2:] if "weight" in r.tensors else [of("kernel_size", i, None) for i in range(rank)]
    axes = []
    for i, (length, outputs) in enumerate(zip(r.shape("input")[2:], r.shape(output)[2:])):
        dilation = of("dilation", i, 1)
        padding = of("padding", i, 0)
        if padding == "same":
            padding = dilation * (kernel[i] - 1) // 2
        elif padding == "valid":
            padding = 0
        stride = of("stride", i, 1 if "weight" in r.tensors else kernel[i])
        axes.append(touched(length, kernel[i], stride, padding, dilation, outputs))
    return axes


@case("Conv1dFwdOp", "Conv2dFwdOp", "Conv3dFwdOp")
def convolution(r):
    axes = windows(r, len(r.shape("input")) - 2, "output")
    n, c = r.shape("input")[:2]
    inputs = n * c * prod(a for a, _ in axes) * r.item("input")
    weights = prod(r.shape("weight")[:2]) * prod(t for _, t in axes) * r.item("weight")
    return inputs + weights + r.whole("bias", "output")


@case("AvgPool1dFwdOp", "AvgPool2dFwdOp", "AvgPool3dFwdOp", "MaxPool1dFwdOp", "MaxPool2dFwdOp", "MaxPool3dFwdOp",
      "MaxPool1dIndicesFwdOp", "MaxPool2dIndicesFwdOp", "MaxPool3dIndicesFwdOp")
def pool(r):
    axes = windows(r, len(r.shape("input")) - 2, "output")
    n, c = r.shape("input")[:2]
    outputs = r.size("output") + (r.size("indices") if "indices" in r.tensors else 0)
    return n * c * prod(a for a, _ in axes) * r.item("input") + outputs


@case("AdaptiveAvgPool2dFwdOp", "AdaptiveMaxPool2dFwdOp", "AdaptiveMaxPool2dIndicesFwdOp", "FFTC2CFwdOp",
      "HadamardFwdOp", "TopKMaskFwdOp", "TopKTopPMaskFwdOp", "TopKSelectFwdOp")
def everything(r):
    """Bins cover the input; each element of a row decides its outputs; whole windows are scored."""
    return sum(r.derived())


# ---- attention ----

def seen(q_len, kv_len, r):
    """Keys that each query sees, as [low, high)."""
    left, right = r["window_size_left"] if "window_size_left" in r else -1, \
        r["window_size_right"] if "window_size_right" in r else -1
    for i in range(q_len):
        at = i + kv_len - q_len
        high = kv_len if right < 0 else min(kv_len, at + right + 1)
        if r["is_causal"]:
            high = min(high, at + 1)
        yield at, max(0, at - left) if left >= 0 else 0, high


def union(intervals):
    """Integers in any of the intervals [low, high)."""
    keys = set()
    last = None
    for low, high in intervals:
        if last is not None and last[0] <= low <= last[1]:
            keys.update(range(max(low, last[1]), high))
        else:
            keys.update(range(low, high))
        last = (low, max(high, last[1]) if last is not None and last[0] <= low <= last[1] else high)
    return keys


def spans(r, q_len, kv_len):
    """Queries that see a key, keys some query sees, and positions either stands at."""
    looking = [(at, low, high) for at, low, high in seen(q_len, kv_len, r) if low < high]
    keys = union([(low, high) for _, low, high in looking])
    return len(looking), keys, keys | {at for at, _, _ in looking}


def rope_rows(r, positions):
    return sum(len(positions) * r.shape(t)[1] * r.item(t) for t in ("rope_cos", "rope_sin") if r.present(t))


@case("GroupedQueryAttentionDenseFwdOp")
def dense(r):
    queries, keys, positions = spans(r, r["S_q"], r["S_kv"])
    row = r["D"] * r.item("q")
    return (r["B"] * (queries * r["H"] + 2 * len(keys) * r["H_kv"]) * row + r.size("o")
            + r.whole("q_scale", "k_scale", "v_scale") + rope_rows(r, positions))


def lengths(offsets):
    return [b - a for a, b in zip(offsets, offsets[1:])]


@case("GroupedQueryAttentionVarlenFwdOp")
def varlen(r):
    queries, keys, positions = 0, 0, set()
    for q_len, kv_len in zip(lengths(r.data["cu_seqlens_q"]), lengths(r.data["cu_seqlens_kv"])):
        looking, visible, stand = spans(r, q_len, kv_len)
        queries, keys, positions = queries + looking, keys + len(visible), positions | stand
    return ((queries * r["H"] + 2 * keys * r["H_kv"]) * r["D"] * r.item("q") + rope_rows(r, positions)
            + r.whole("o", "cu_seqlens_q", "cu_seqlens_kv", "q_scale", "k_scale", "v_scale"))


def through_pages(table, page, keys):
    """Rows of the pool that a request's keys lie in, and table entries that name them."""
    return {table[key // page] * page + key % page for key in keys}, len({key // page for key in keys})


@case("GroupedQueryAttentionPagedFwdOp")
def paged(r):
    queries, entries, pool, positions = 0, 0, set(), set()
    for q_len, kv_len, table in zip(lengths(r.data["cu_seqlens_q"]), r.data["cache_seqlens"],
                                    r.data["page_table"]):
        looking, keys, stand = spans(r, q_len, kv_len)
        where, consulted = through_pages(table, r["PS"], keys)
        queries, entries, pool, positions = queries + looking, entries + consulted, pool | where, positions | stand
    return (queries * r["H"] * r["D"] * r.item("q") + 2 * len(pool) * r["H_kv"] * r["D"] * r.item("k_pages")
            + 4 * entries + rope_rows(r, positions)
            + r.whole("o", "cache_seqlens", "cu_seqlens_q", "q_scale", "k_scale", "v_scale"))


@case("MultiHeadAttentionDecodePagedWithKVCacheFwdOp")
def paged_decode(r):
    queries, entries, pool = 0, 0, set()
    for kv_len, table in zip(r.data["real_seqlen_kv"], r.data["block_table"]):
        looking, keys, _ = spans(r, r["S_q"], kv_len)
        where, consulted = through_pages(table, r["page_size"], keys)
        queries, entries, pool = queries + looking, entries + consulted, pool | where
    row = r["H"] * r["D"] * r.item("q")
    return (queries + 2 * len(pool)) * row + 4 * entries + r.whole("o", "real_seqlen_kv")


@case("GroupedQueryAttentionPrefillPagedWithKVCacheFwdOp")
def prefill_paged(r):
    entries, cached, written = 0, set(), set()
    for q_len, before, table in zip(lengths(r.data["cu_seqlens_q"]), r.data["cache_seqlens"],
                                    r.data["block_table"]):
        _, keys, _ = spans(r, q_len, before + q_len)
        new = set(range(before, before + q_len))
        cached |= through_pages(table, r["page_size"], keys - new)[0]
        written |= through_pages(table, r["page_size"], new)[0]
        entries += through_pages(table, r["page_size"], keys | new)[1]
    scales = r.whole("k_scale", "v_scale") if r["cache_dtype"] == "float8_e4m3fn" else 0
    return (2 * (len(cached) + len(written)) * r["H_kv"] * r["D"] * r.item("k_pages") + 4 * entries + scales
            + r.whole("q", "k_new", "v_new", "o", "cu_seqlens_q", "cache_seqlens"))


@case("DeepSeekSparseAttentionDecodeWithKVCacheFwdOp")
def sparse_decode(r):
    kept, looking = set(), set()
    for b, batch in enumerate(r.data["indices"]):
        for s, heads in enumerate(batch):
            for h, slots in enumerate(heads):
                last = (r["q_start_index_s"] + s + 1) // r["stride_kv"] - 1 if r["is_causal"] else r["S_kv"]
                visible = {(b, h, j) for j in slots if 0 <= j < r["S_kv"] and j <= last}
                kept |= visible
                if visible:
                    looking.add((b, s, h))
    width = r["D"] + r["dim_tail"]
    group = r["H"] // r["H_kv"]
    return (len(looking) * group + len(kept)) * width * r.item("q") + r.whole("indices", "o")


def closed(r, block):
    """(token, closed blocks before or at it) of each packed token with one, and closed blocks in all."""
    sequences = lengths(r.data["offsets"])
    tokens = [(t + 1) // block for n in sequences for t in range(n)]
    return sum(1 for blocks in tokens if blocks > 0), sum(n // block for n in sequences)


@case("NSACmpVarlenFwdOp")
def nsa_compressed(r):
    queries, blocks = closed(r, r["bs"])
    return (queries * r["H"] * r["DK"] + blocks * r["H_kv"] * (r["DK"] + r["DV"])) * r.item("q") + \
        r.whole("offsets", "chunk_offsets", "token_indices", "o", "lse")


@case("NSATopkVarlenFwdOp")
def nsa_topk(r):
    queries, blocks = closed(r, r["bs"])
    return (queries * r["H"] + blocks * r["H_kv"]) * r["D"] * r.item("q") + \
        r.whole("offsets", "chunk_offsets", "token_indices", "block_indices")


@case("NSAVarlenFwdOp")
def nsa_selected(r):
    rows, queries, slots, token = set(), set(), 0, 0
    for start, n in zip(r.data["offsets"], lengths(r.data["offsets"])):
        for t in range(n):
            for h, (blocks, count) in enumerate(zip(r.data["block_indices"][token], r.data["block_counts"][token])):
                slots += count
                for block in blocks[:count]:
                    low = block * r["block_size"]
                    high = min(low + r["block_size"], t + 1 if r["is_causal"] else n, n)
                    if low < high:
                        rows.update((h, start + j) for j in range(low, high))
                        queries.add((token, h))
            token += 1
    row = r["D"] * r.item("q")
    return (len(queries) * (r["H"] // r["H_kv"]) + 2 * len(rows)) * row + 4 * slots + \
        r.whole("block_counts", "offsets", "token_indices", "o_slc")


@case("FP8LightningIndexerFwdOp")
def indexer(r):
    intervals = sorted(i for i in zip(r.data["cu_seqlen_ks"], r.data["cu_seqlen_ke"]) if i[0] < i[1])
    keys = len(union(intervals)) * r["B"] * r["G"]
    queries = len(intervals) * r["B"] * r["H"] * r["D"] * r.item("index_q")
    scales = keys * 4 if r.present("index_k_scale") else 0
    return queries + keys * r["D"] * r.item("index_k") + scales + \
        r.whole("weights", "cu_seqlen_ks", "cu_seqlen_ke", "logits")


# ---- mixture of experts ----

def rows_in_use(r):
    """Rows of each expert, from the layout's metadata."""
    layout, data = r["layout"], r.data["layout_metadata"]
    if layout.kind == "masked":
        return data
    if layout.metadata_kind == "per_row":
        return [sum(1 for e in data if e == expert) for expert in range(r["E"])]
    if layout.packing == "tight":
        return lengths([0, *data])
    starts = [0]
    for end in data[:-1]:
        starts.append(-(-end // layout.alignment) * layout.alignment)
    return [end - start for start, end in zip(starts, data)]


@case("MoeGroupedGemmFwdOp")
def grouped_gemm(r):
    used = rows_in_use(r)
    matrix = prod(r.shape("b")[1:]) * r.item("b")
    return (sum(used) * (r["K"] * r.item("a") + r["N"] * r.item("output"))
            + sum(1 for n in used if n > 0) * matrix + r.size("layout_metadata"))


@case("MoeExpertMLPFwdOp")
def expert_mlp(r):
    used = rows_in_use(r)
    experts = sum(1 for n in used if n > 0)
    return (2 * sum(used) * r["H"] + experts * 3 * r["F"] * r["H"]) * r.item("w_down") + r.size("layout_metadata")


@case("MoePostPermuteFwdOp")
def post_permute(r):
    named = len(set(r.data["inverse_indices"]))
    return named * r["H"] * r.item("expert_output") + r.whole("topk_weights", "inverse_indices", "output")


@case("FusedMoEExpertsFwdOp", "IndexedExpertMLPFwdOp")
def routed_experts(r):
    experts = len({expert for token in r.data["topk_ids"] for expert in token})
    return experts * 3 * r["F"] * r["H"] * r.item("w_down") + \
        r.whole("hidden_states", "topk_weights", "topk_ids", "output")


@case("FusedMoeFwdOp", "FusedMoeSharedExpertFwdOp")
def fused_moe(r):
    """Whatever the routing, a token reaches top_k experts: the least that can be read."""
    routed = "output" if "output" in r.tensors else "routed_output"
    least = r["top_k"] * 3 * r["F"] * r["H"] * r.item("w_down")
    if "shared_output" in r.tensors and r.present("shared_output"):
        least += 3 * (r["S"] // r["tp_size"]) * r["H"] * r.item("w_down") + r.size("shared_output")
    return least + r.whole("hidden_states", "gating_output", "correction_bias", routed)


# ---- the rest ----

@case("FusedQKNormRoPEFwdOp")
def qk_norm_rope(r):
    columns = r["N"] * (r["num_heads"] + r["num_kv_heads"]) * r["D"] * r.item("qkv")
    positions = len(set(r.data["positions"]))
    return 2 * columns + positions * r["R"] * r.item("cos_sin_cache") + r.whole("q_weight", "k_weight", "positions")


@case("FP8CacheAppendFwdOp")
def cache_append(r):
    row = r["H"] * r["D"] * r.item("k_cache")
    return 2 * len(set(r.data["slots"])) * row + r.whole("k", "v", "slots", "k_scale", "v_scale")
