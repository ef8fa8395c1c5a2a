/* Any bytes as a file of records, in the format the first byte names: every record read prices, and is
   written as one line of JSON that reads back as the same numbers. */
#define _GNU_SOURCE /* memfd_create */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <roofline/price.h>

#include "runtime/pricing/records.h"

static const roofline_roof roof = {"cuda_core.fp32", 67e12, 0.8548, NULL, NULL};
static const roofline_profile profile = {.gpu = "NVIDIA H200",
                                         .timing = "cupti",
                                         .hbm = {"hbm", 4800e9, 0.938, NULL, NULL},
                                         .roofs = &roof,
                                         .roof_count = 1};

static void check_reading(const roofline_record *record) {
  roofline_thresholds thresholds = roofline_default_thresholds();
  roofline_price_options options = {.theoretical = record->flops % 2 != 0};
  roofline_reading r = roofline_price(&profile, record, &thresholds, &options);
  bool blank = r.verdict == ROOFLINE_BLANK;
  if (blank != isnan(r.efficiency) || (blank && r.reason == ROOFLINE_REASON_NONE)) abort();
  if (!blank && !(r.sol_time_ms >= 0 && r.actual_time_ms > 0)) abort();
  if (r.attainable_speedup < 1) abort();
}

static void check_line(const roofline_record *record) {
  char *line = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&line, &n);
  if (out == NULL) abort();
  roofline_status status = roofline_record_write(out, record);
  fclose(out);
  json_t *back = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
  if (status != ROOFLINE_OK ? n > 0 : back == NULL || line[n - 1] != '\n') abort();
  if (status == ROOFLINE_OK && isfinite(record->device_busy_ms) &&
      json_number_value(json_object_get(back, "device_busy_ms")) != record->device_busy_ms)
    abort();
  if (status == ROOFLINE_OK && record->flops != ROOFLINE_ABSENT &&
      json_integer_value(json_object_get(back, "flops")) != record->flops)
    abort();
  json_decref(back);
  free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  static int fd;
  static FILE *nowhere;
  if (fd == 0) fd = memfd_create("records", 0), nowhere = fopen("/dev/null", "w");
  if (n == 0) return 0;
  if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes + 1, n - 1, 0) != (ssize_t)(n - 1)) abort();
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  arena *a = arena_new();
  str why;
  complaints problems = {.out = nowhere, .limit = 3};
  records *in = records_open(path, (records_format)(bytes[0] % RECORDS_FORMAT_COUNT), bytes[0] >= 128,
                             &problems, &why, a);
  if (in == NULL) abort();
  for (roofline_record record; records_next(in, &record);) {
    if (record.op == NULL || record.case_id == NULL) abort();
    check_reading(&record);
    if (record.device != NULL) check_line(&record);
  }
  if (!records_close(in, a, &why)) abort();
  arena_free(a);
  return 0;
}
