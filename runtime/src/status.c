/* Names of statuses. */
#include <roofline/status.h>

const char *roofline_status_name(roofline_status status) {
  switch (status) {
  case ROOFLINE_OK: return "OK";
  case ROOFLINE_E_OVERFLOW: return "OVERFLOW";
  case ROOFLINE_E_DOMAIN: return "DOMAIN";
  case ROOFLINE_E_UNCHECKED: return "UNCHECKED";
  case ROOFLINE_E_NOT_AVAILABLE: return "NOT_AVAILABLE";
  case ROOFLINE_E_MISMATCH: return "MISMATCH";
  case ROOFLINE_E_UNKNOWN_NAME: return "UNKNOWN_NAME";
  case ROOFLINE_E_KIND: return "KIND";
  case ROOFLINE_E_MEMORY: return "MEMORY";
  case ROOFLINE_E_IO: return "IO";
  }
  return "UNKNOWN";
}
