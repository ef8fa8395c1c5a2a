/* The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), seeded from an array and drawn the way
   CPython's random.Random(seed) does it, so that seeded metadata equals what Python tools build. */
#include "random.h"

enum { N = 624, M = 397 };

static void seed_from_word(roofline_random *r, uint32_t word) {
  r->state[0] = word;
  for (uint32_t i = 1; i < N; i++)
    r->state[i] = UINT32_C(1812433253) * (r->state[i - 1] ^ r->state[i - 1] >> 30) + i;
}

/* The reference init_by_array over the seed's 32-bit digits, lowest first. */
void roofline_random_seed(roofline_random *r, uint64_t seed) {
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  const uint32_t key_length = key[1] != 0 ? 2 : 1;
  uint32_t *s = r->state, i = 1;
  seed_from_word(r, UINT32_C(19650218));
  for (uint32_t step = 0; step < N; step++) {
    uint32_t j = step % key_length;
    s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * UINT32_C(1664525)) + key[j] + j;
    if (++i == N) {
      s[0] = s[N - 1];
      i = 1;
    }
  }
  for (uint32_t step = 0; step < N - 1; step++) {
    s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * UINT32_C(1566083941)) - i;
    if (++i == N) {
      s[0] = s[N - 1];
      i = 1;
    }
  }
  s[0] = UINT32_C(1) << 31;
  r->index = N;
}

static uint32_t twist(uint32_t high, uint32_t low, uint32_t far) {
  uint32_t y = (high & UINT32_C(0x80000000)) | (low & UINT32_C(0x7fffffff));
  return far ^ y >> 1 ^ (UINT32_C(0x9908b0df) & (0 - (y & 1)));
}

/* Makes 624 words at once: loops without a branch or a remainder, which compilers turn into vectors. */
void roofline_random_refill(roofline_random *r) {
  uint32_t *s = r->state;
  for (int k = 0; k < N - M; k++) s[k] = twist(s[k], s[k + 1], s[k + M]);
  for (int k = N - M; k < N - 1; k++) s[k] = twist(s[k], s[k + 1], s[k + M - N]);
  s[N - 1] = twist(s[N - 1], s[0], s[M - 1]);
  for (int k = 0; k < N; k++) {
    uint32_t y = s[k];
    y ^= y >> 11;
    y ^= y << 7 & UINT32_C(0x9d2c5680);
    y ^= y << 15 & UINT32_C(0xefc60000);
    r->tempered[k] = y ^ y >> 18;
  }
  r->index = 0;
}

uint32_t roofline_random_bits(roofline_random *r, int k) {
  if (k <= 0) return 0;
  uint32_t y = random_word(r);
  return k < 32 ? y >> (32 - k) : y;
}

int64_t roofline_random_below(roofline_random *r, int64_t n) {
  const int width = random_width(n);
  return width == 0 ? 0 : random_below(r, n, width);
}

/* CRC-32 as in zlib: reflected polynomial 0xedb88320, over the bytes of a string. */
static uint32_t crc32_add(uint32_t crc, const char *text) {
  for (; *text != '\0'; text++) {
    crc ^= (uint8_t)*text;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ ((crc & 1) != 0 ? UINT32_C(0xedb88320) : 0);
  }
  return crc;
}

uint32_t roofline_generator_seed(const char *op, const char *tensor) {
  uint32_t crc = crc32_add(UINT32_MAX, op);
  crc = crc32_add(crc32_add(crc, ":"), tensor);
  return UINT32_C(1235) ^ ~crc;
}
