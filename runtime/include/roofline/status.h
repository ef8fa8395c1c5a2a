/* What a call can say. SPDX-License-Identifier: MIT */
#ifndef ROOFLINE_STATUS_H
#define ROOFLINE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(ROOFLINE_SHARED) && defined(__GNUC__)
#define ROOFLINE_API __attribute__((visibility("default")))
#else
#define ROOFLINE_API
#endif

typedef enum roofline_status {
  ROOFLINE_OK = 0,
  ROOFLINE_E_OVERFLOW,      /* an exact result does not fit 64 bits; never a wrapped number */
  ROOFLINE_E_DOMAIN,        /* a primitive outside its domain: a division by zero, an axis out of range */
  ROOFLINE_E_UNCHECKED,     /* the call was not bound, or its bind failed */
  ROOFLINE_E_NOT_AVAILABLE, /* a metadata value or a formula that this call does not carry */
  ROOFLINE_E_MISMATCH,      /* bind: a tensor or parameter does not fit its declaration */
  ROOFLINE_E_UNKNOWN_NAME,  /* no such op, index, parameter, tensor, let or stage */
  ROOFLINE_E_KIND,          /* a by-name read of another kind than the declaration's */
  ROOFLINE_E_MEMORY,        /* an allocation failed */
  ROOFLINE_E_IO             /* a read or write failed */
} roofline_status;

/* "OVERFLOW", "DOMAIN", ...: the name without its prefix; what rows_main prints behind '!'. */
ROOFLINE_API const char *roofline_status_name(roofline_status status);

#ifdef __cplusplus
}
#endif
#endif
