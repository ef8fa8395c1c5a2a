/* What a kernel's name and classification say it computes. headroom.md §2.4. */
#include "runtime/pricing/headroom_work.h"

#include <ctype.h>
#include <string.h>

typedef struct word_class {
  const char *word;
  roofline_op_class op_class;
} word_class;

static const char *const collective_words[] = {
    "all_reduce",    "allreduce",    "all_gather",      "allgather",      "reduce_scatter",
    "reducescatter", "all_to_all",   "alltoall",        "nccl",           "rccl",
    "cross_device",  "quick_reduce", "two_shot_reduce", "one_shot_reduce"};

/* Kernels around the experts' matrix products that are not one: their shapes say nothing about weights. */
static const char *const moe_helper_words[] = {"align",   "sort",  "topk",   "top_k",   "gating", "sum",
                                               "permute", "quant", "router", "scatter", "gather", "count"};

static const word_class classifications[] = {
    {"library_gemm", ROOFLINE_CLASS_GEMM},
    {"library_attn", ROOFLINE_CLASS_ATTN},
    {"elementwise_overhead", ROOFLINE_CLASS_ELEMENTWISE},
    {"reduction_norm", ROOFLINE_CLASS_ELEMENTWISE},
    {"memory", ROOFLINE_CLASS_ELEMENTWISE},
};

/* In order: "attention_softmax" is attention, "gemm_add" a gemm. */
static const word_class name_words[] = {
    {"attention", ROOFLINE_CLASS_ATTN},
    {"attn", ROOFLINE_CLASS_ATTN},
    {"fmha", ROOFLINE_CLASS_ATTN},
    {"mla_decode", ROOFLINE_CLASS_ATTN},
    {"fwd_grouped_kernel_stage1", ROOFLINE_CLASS_ATTN},
    {"gemm", ROOFLINE_CLASS_GEMM},
    {"cijk_", ROOFLINE_CLASS_GEMM},
    {"matmul", ROOFLINE_CLASS_GEMM},
    {"norm", ROOFLINE_CLASS_ELEMENTWISE},
    {"elementwise", ROOFLINE_CLASS_ELEMENTWISE},
    {"act_and_mul", ROOFLINE_CLASS_ELEMENTWISE},
    {"silu", ROOFLINE_CLASS_ELEMENTWISE},
    {"gelu", ROOFLINE_CLASS_ELEMENTWISE},
    {"copy", ROOFLINE_CLASS_ELEMENTWISE},
    {"quant", ROOFLINE_CLASS_ELEMENTWISE},
    {"softmax", ROOFLINE_CLASS_ELEMENTWISE},
    {"_add", ROOFLINE_CLASS_ELEMENTWISE},
};

/* `word` in lower case. */
static bool has_word(str s, const char *word) {
  size_t n = strlen(word);
  for (uint32_t i = 0; i + n <= s.n; i++) {
    size_t k = 0;
    while (k < n && tolower((unsigned char)s.p[i + k]) == word[k]) k++;
    if (k == n) return true;
  }
  return false;
}

static bool has_any(str s, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (has_word(s, words[i])) return true;
  return false;
}
#define HAS_ANY(s, words) has_any((s), (words), sizeof(words) / sizeof *(words))

bool hr_is_collective(str name) { return HAS_ANY(name, collective_words); }

roofline_op_class hr_classify(str name, str classification) {
  bool moe = has_word(name, "moe") || has_word(name, "fused_experts");
  if (moe && (has_word(name, "gemm") || !HAS_ANY(name, moe_helper_words))) return ROOFLINE_CLASS_MOE;
  for (size_t i = 0; i < sizeof classifications / sizeof *classifications; i++)
    if (str_is(classification, classifications[i].word)) return classifications[i].op_class;
  for (size_t i = 0; i < sizeof name_words / sizeof *name_words; i++)
    if (has_word(name, name_words[i].word)) return name_words[i].op_class;
  return ROOFLINE_CLASS_UNKNOWN;
}

roofline_moe_stage hr_moe_stage(str name) {
  static const struct {
    const char *word;
    roofline_moe_stage stage;
  } words[] = {{"gate_up", ROOFLINE_MOE_GATE_UP}, {"stage1", ROOFLINE_MOE_GATE_UP},
               {"stage-1", ROOFLINE_MOE_GATE_UP}, {"gemm1", ROOFLINE_MOE_GATE_UP},
               {"moe1", ROOFLINE_MOE_GATE_UP},    {"down", ROOFLINE_MOE_DOWN},
               {"stage2", ROOFLINE_MOE_DOWN},     {"stage-2", ROOFLINE_MOE_DOWN},
               {"gemm2", ROOFLINE_MOE_DOWN},      {"moe2", ROOFLINE_MOE_DOWN}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (has_word(name, words[i].word)) return words[i].stage;
  return ROOFLINE_MOE_LAYER;
}
