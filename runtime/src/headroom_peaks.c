/* Spellings of dtypes, and which peaks serve a device. headroom.md §2.2, §2.6 "dtype sizes", §4. */
#include <roofline/headroom.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *roofline_headroom_roof_name(roofline_headroom_roof roof) {
  static const char *const names[ROOFLINE_ROOF_COUNT + 1] = {"fp64", "fp32", "tf32", "bf16", "fp16",
                                                             "fp8",  "fp6",  "fp4",  "int8", NULL};
  return names[roof];
}

/* `stem` true: any spelling that begins so ("float8_e4m3fnuz", "fp8_e5m2"). First match wins. */
static const struct dtype_spelling {
  const char *name;
  bool stem;
  roofline_headroom_dtype dtype;
} spellings[] = {
#define FLOATS(name, roof, bytes)                                                                            \
  {                                                                                                          \
    name, false, { ROOFLINE_ROOF_##roof, true, bytes, 1 }                                                    \
  }
#define STEM(name, roof, bytes)                                                                              \
  {                                                                                                          \
    name, true, { ROOFLINE_ROOF_##roof, true, bytes, 1 }                                                     \
  }
#define INTS(name, roof, bytes)                                                                              \
  {                                                                                                          \
    name, false, { ROOFLINE_ROOF_##roof, false, bytes, 1 }                                                   \
  }
    FLOATS("fp64", FP64, 8),
    FLOATS("float64", FP64, 8),
    FLOATS("double", FP64, 8),
    FLOATS("fp32", FP32, 4),
    FLOATS("float32", FP32, 4),
    FLOATS("float", FP32, 4),
    FLOATS("tf32", TF32, 4),
    FLOATS("fp16", FP16, 2),
    FLOATS("float16", FP16, 2),
    FLOATS("half", FP16, 2),
    FLOATS("bf16", BF16, 2),
    FLOATS("bfloat16", BF16, 2),
    STEM("float8", FP8, 1),
    STEM("fp8", FP8, 1),
    STEM("mxfp8", FP8, 1),
    FLOATS("e4m3", FP8, 1),
    FLOATS("e5m2", FP8, 1),
    STEM("float6", FP6, 0.75),
    STEM("fp6", FP6, 0.75),
    STEM("mxfp6", FP6, 0.75),
    {"float4_e2m1fn_x2", false, {ROOFLINE_ROOF_FP4, true, 1, 2}},
    STEM("mxfp4", FP4, 0.53125), /* 32 values of half a byte share a one-byte scale */
    STEM("float4", FP4, 0.5),
    STEM("fp4", FP4, 0.5),
    STEM("nvfp4", FP4, 0.5),
    INTS("int4", NONE, 0.5),
    INTS("uint4", NONE, 0.5),
    INTS("int8", INT8, 1),
    INTS("char", INT8, 1),
    INTS("signed char", INT8, 1),
    INTS("uint8", NONE, 1),
    INTS("unsigned char", NONE, 1),
    INTS("byte", NONE, 1),
    INTS("bool", NONE, 1),
    INTS("int16", NONE, 2),
    INTS("short", NONE, 2),
    INTS("uint16", NONE, 2),
    INTS("int32", NONE, 4),
    INTS("int", NONE, 4),
    INTS("uint32", NONE, 4),
    INTS("int64", NONE, 8),
    INTS("long", NONE, 8),
    INTS("long int", NONE, 8),
    INTS("uint64", NONE, 8),
#undef FLOATS
#undef STEM
#undef INTS
};

static bool cut_prefix(const char **p, size_t *n, const char *prefix) {
  size_t length = strlen(prefix);
  if (*n < length || strncasecmp(*p, prefix, length) != 0) return false;
  *p += length;
  *n -= length;
  return true;
}

bool roofline_headroom_dtype_parse(const char *spelling, size_t length, roofline_headroom_dtype *out) {
  /* As a prefix, once: stripping a set of characters would eat the h of "half". */
  if (!cut_prefix(&spelling, &length, "c10::")) cut_prefix(&spelling, &length, "torch.");
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
    size_t n = strlen(spellings[i].name);
    if (length < n || strncasecmp(spelling, spellings[i].name, n) != 0) continue;
    if (length > n && (!spellings[i].stem || spelling[n] != '_')) continue;
    *out = spellings[i].dtype;
    return true;
  }
  *out = (roofline_headroom_dtype){ROOFLINE_ROOF_NONE, true, 2, 1};
  return false;
}

double roofline_headroom_value_bytes(roofline_headroom_dtype t) { return t.stored_bytes / t.values; }

bool roofline_headroom_gfx(const char *gfx, size_t length, char *out, size_t size) {
  const char *colon = memchr(gfx, ':', length);
  if (colon != NULL) length = (size_t)(colon - gfx);
  if (length + 1 > size) return false;
  for (size_t i = 0; i < length; i++) out[i] = (char)tolower((unsigned char)gfx[i]);
  out[length] = '\0';
  return true;
}

/* "R9700", and also "AMD Radeon AI PRO R9700": the block's product as a word of the device's. */
static bool names_product(const char *device, const char *product) {
  size_t n = strlen(product);
  for (const char *p = device; *p != '\0'; p++) {
    bool starts = p == device || !isalnum((unsigned char)p[-1]);
    if (starts && strncasecmp(p, product, n) == 0 && !isalnum((unsigned char)p[n])) return true;
  }
  return false;
}

static bool is_product(const char *product) {
  return product != NULL && *product != '\0' && strcasecmp(product, "unknown") != 0;
}

const roofline_headroom_peaks *roofline_headroom_find_peaks(const roofline_headroom_peaks *blocks,
                                                            size_t count, const char *gfx,
                                                            const char *product) {
  const roofline_headroom_peaks *fallback = NULL;
  for (size_t i = 0; i < count; i++) {
    if (strcasecmp(blocks[i].arch, gfx) != 0) continue;
    bool named = is_product(product) && blocks[i].product != NULL;
    if (named && names_product(product, blocks[i].product)) return &blocks[i];
    if (blocks[i].arch_default && fallback == NULL) fallback = &blocks[i];
  }
  return fallback;
}

bool roofline_headroom_derivable(const char *gfx) {
  static const char rdna4[] = "gfx120";
  size_t n = sizeof rdna4 - 1;
  if (*gfx == '\0') return false;
  if (strncmp(gfx, rdna4, n) != 0 || gfx[n] == '\0') return true;
  return strspn(gfx + n, "0123456789") != strlen(gfx + n);
}

/* fp32 lanes of one compute unit. An NVIDIA SM's count goes with its compute capability, and one that is
   not listed has none to offer: a guess would be off by two (CUDA C Programming Guide, "Arithmetic
   Instructions": results a clock for 32-bit floating-point multiply-add). */
static double fp32_lanes(const char *arch) {
  static const struct {
    long capability;
    double lanes;
  } sms[] = {{50, 128}, {52, 128}, {53, 128},  {60, 64},   {61, 128},  {62, 128},
             {70, 64},  {72, 64},  {75, 64},   {80, 64},   {86, 128},  {87, 128},
             {89, 128}, {90, 128}, {100, 128}, {103, 128}, {120, 128}, {121, 128}};
  if (arch == NULL || strncasecmp(arch, "sm_", 3) != 0) return 64;
  long capability = strtol(arch + 3, NULL, 10); /* "sm_90a" is 9.0 too */
  for (size_t i = 0; i < sizeof sms / sizeof *sms; i++)
    if (sms[i].capability == capability) return sms[i].lanes;
  return 0;
}

bool roofline_headroom_derive(const roofline_headroom_device *device, roofline_headroom_peaks *out) {
  roofline_headroom_peaks peaks = {.arch = out->arch, .product = out->product, .derived = true};
  double hbm = 2 * device->memory_clock_khz * 1e3 * (device->memory_bus_bits / 8);
  double fp32 = device->compute_units * fp32_lanes(out->arch) * 2 * device->clock_khz * 1e3;
  if (isfinite(hbm)) peaks.hbm = hbm;
  if (isfinite(fp32)) peaks.flops[ROOFLINE_ROOF_FP32] = fp32;
  *out = peaks;
  return peaks.hbm > 0;
}
