/* The bytes audit: does an op read from device memory what its read half declares? docs/audit.md "Verdicts".
   Pure integer arithmetic: no allocation, no locale, no I/O. */
#ifndef ROOFLINE_AUDIT_H
#define ROOFLINE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <roofline/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order they are judged; EXEMPT is a FAIL that a configured exception covers. */
typedef enum roofline_audit_verdict {
  ROOFLINE_AUDIT_NO_VERDICT, /* no read half is declared */
  ROOFLINE_AUDIT_ERROR,      /* declared negative, or run without a usable measurement */
  ROOFLINE_AUDIT_SKIPPED,    /* declared zero, or not run */
  ROOFLINE_AUDIT_FAIL,       /* measured < 0.95 declared */
  ROOFLINE_AUDIT_EXEMPT,
  ROOFLINE_AUDIT_WARN, /* measured > 1.5 declared */
  ROOFLINE_AUDIT_PASS,
  ROOFLINE_AUDIT_VERDICT_COUNT
} roofline_audit_verdict;
ROOFLINE_API const char *roofline_audit_verdict_name(roofline_audit_verdict verdict); /* "NO-VERDICT" */
/* By its exact name; ROOFLINE_AUDIT_VERDICT_COUNT for any other spelling. */
ROOFLINE_API roofline_audit_verdict roofline_audit_verdict_find(const char *name);

/* What a verdict takes for granted of its measurement. */
#define ROOFLINE_AUDIT_PREMISE "cold caches"

/* PASS, WARN, EXEMPT and SKIPPED, as a set with bit 1 << verdict. */
ROOFLINE_API uint32_t roofline_audit_default_green(void);
/* Is the verdict one of a set? What is no verdict never is. */
ROOFLINE_API bool roofline_audit_is_green(uint32_t green, roofline_audit_verdict verdict);

typedef enum roofline_audit_measured {
  ROOFLINE_AUDIT_NOT_RUN,
  ROOFLINE_AUDIT_UNUSABLE, /* run, but no kernel, or a kernel without both numbers */
  ROOFLINE_AUDIT_MEASURED
} roofline_audit_measured;

/* The kernels of one row. Start from a zeroed one: not run. */
typedef struct roofline_audit_traffic {
  roofline_audit_measured state;
  int64_t read, write; /* bytes, summed over the kernels */
} roofline_audit_traffic;

/* Adds one kernel: its DRAM reads and writes in bytes, ROOFLINE_ABSENT for one that was not measured.
   A number that is absent or negative, or a sum that does not fit, makes the row's traffic unusable. */
ROOFLINE_API void roofline_audit_add(roofline_audit_traffic *traffic, int64_t read, int64_t write);

/* `declared` is the record's read_bytes, ROOFLINE_ABSENT when none is. Never EXEMPT: whether an exception
   covers a FAIL is the caller's to say. */
ROOFLINE_API roofline_audit_verdict roofline_audit_judge(int64_t declared,
                                                         const roofline_audit_traffic *traffic);

/* The least and the most reads, in bytes, that are no FAIL and no WARN of a positive `declared`. `most`
   is INT64_MAX where 1.5 declared does not fit. */
ROOFLINE_API void roofline_audit_limits(int64_t declared, int64_t *least, int64_t *most);

/* A metric value as `ncu --csv` prints it ("58,731,520", "29.36") in its unit (byte, Kbyte, Mbyte, Gbyte;
   factors of 1000; none is byte), as bytes, rounded to the nearest. MISMATCH: no such number ("n/a",
   "(!) nan", "-1", "1,23"); UNKNOWN_NAME: no such unit; OVERFLOW. */
ROOFLINE_API roofline_status roofline_audit_bytes(const char *value, size_t value_length, const char *unit,
                                                  size_t unit_length, int64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
