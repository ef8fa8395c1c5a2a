/* Verdicts of the bytes audit. pricing.md §6. */
#include <roofline/audit.h>

#include <string.h>

#include <roofline/checked.h>

static const char *const verdict_names[ROOFLINE_AUDIT_VERDICT_COUNT] = {
    "NO-VERDICT", "ERROR", "SKIPPED", "FAIL", "EXEMPT", "WARN", "PASS"};

const char *roofline_audit_verdict_name(roofline_audit_verdict verdict) {
  return (uint32_t)verdict < ROOFLINE_AUDIT_VERDICT_COUNT ? verdict_names[verdict] : "?";
}

roofline_audit_verdict roofline_audit_verdict_find(const char *name) {
  int i = 0;
  while (i < ROOFLINE_AUDIT_VERDICT_COUNT && strcmp(verdict_names[i], name) != 0) i++;
  return (roofline_audit_verdict)i;
}

uint32_t roofline_audit_default_green(void) {
  return 1u << ROOFLINE_AUDIT_PASS | 1u << ROOFLINE_AUDIT_WARN | 1u << ROOFLINE_AUDIT_EXEMPT |
         1u << ROOFLINE_AUDIT_SKIPPED;
}

bool roofline_audit_is_green(uint32_t green, roofline_audit_verdict verdict) {
  return (uint32_t)verdict < ROOFLINE_AUDIT_VERDICT_COUNT && (green >> verdict & 1) != 0;
}

void roofline_audit_add(roofline_audit_traffic *traffic, int64_t read, int64_t write) {
  if (traffic->state == ROOFLINE_AUDIT_UNUSABLE) return;
  bool usable = read >= 0 && write >= 0 && !roofline_add_overflows(traffic->read, read, &traffic->read) &&
                !roofline_add_overflows(traffic->write, write, &traffic->write);
  traffic->state = usable ? ROOFLINE_AUDIT_MEASURED : ROOFLINE_AUDIT_UNUSABLE;
}

/* 20 m < 19 d, and 2 m > 3 d, solved for whole m: nothing is rounded and nothing overflows. */
void roofline_audit_limits(int64_t declared, int64_t *least, int64_t *most) {
  *least = declared / 20 * 19 + (declared % 20 * 19 + 19) / 20;
  if (roofline_add_overflows(declared, declared / 2, most)) *most = INT64_MAX;
}

roofline_audit_verdict roofline_audit_judge(int64_t declared, const roofline_audit_traffic *traffic) {
  int64_t least, most;
  if (declared == ROOFLINE_ABSENT) return ROOFLINE_AUDIT_NO_VERDICT;
  if (declared < 0 || traffic->state == ROOFLINE_AUDIT_UNUSABLE) return ROOFLINE_AUDIT_ERROR;
  if (declared == 0 || traffic->state == ROOFLINE_AUDIT_NOT_RUN) return ROOFLINE_AUDIT_SKIPPED;
  roofline_audit_limits(declared, &least, &most);
  if (traffic->read < least) return ROOFLINE_AUDIT_FAIL;
  return traffic->read > most ? ROOFLINE_AUDIT_WARN : ROOFLINE_AUDIT_PASS;
}

/* ---- a metric value ---- */

static const struct {
  const char *name;
  int digits; /* of its power of ten */
} units[] = {{"", 0}, {"byte", 0}, {"Kbyte", 3}, {"Mbyte", 6}, {"Gbyte", 9}};

static int unit_digits(const char *unit, size_t n) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strlen(units[i].name) == n && memcmp(units[i].name, unit, n) == 0) return units[i].digits;
  return -1;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Length of "0", "123", "1,234,567": a comma stands before every three digits, or nowhere. 0: neither. */
static size_t whole_length(const char *p, size_t n) {
  size_t i = 0;
  while (i < n && is_digit(p[i])) i++;
  if (i == 0 || i == n || p[i] != ',') return i;
  if (i > 3) return 0;
  while (i < n && p[i] == ',') {
    if (n - i < 4 || !is_digit(p[i + 1]) || !is_digit(p[i + 2]) || !is_digit(p[i + 3])) return 0;
    i += 4;
  }
  return i < n && is_digit(p[i]) ? 0 : i;
}

static int64_t push_digit(roofline_status *status, int64_t bytes, int digit) {
  return roofline_add(status, roofline_mul(status, bytes, 10), digit);
}

roofline_status roofline_audit_bytes(const char *value, size_t value_length, const char *unit,
                                     size_t unit_length, int64_t *bytes) {
  roofline_status status = ROOFLINE_OK;
  size_t at = whole_length(value, value_length), end = at;
  int digits = unit_digits(unit, unit_length);
  if (at == 0) return ROOFLINE_E_MISMATCH;
  if (at < value_length) {
    if (value[at] != '.' || at + 1 == value_length) return ROOFLINE_E_MISMATCH;
    for (end = at + 1; end < value_length; end++)
      if (!is_digit(value[end])) return ROOFLINE_E_MISMATCH;
  }
  if (digits < 0) return ROOFLINE_E_UNKNOWN_NAME;
  int64_t result = 0;
  for (size_t i = 0; i < at; i++)
    if (value[i] != ',') result = push_digit(&status, result, value[i] - '0');
  size_t next = at + 1; /* behind the point, if there is one */
  for (int i = 0; i < digits; i++, next++)
    result = push_digit(&status, result, next < end ? value[next] - '0' : 0);
  if (next < end && value[next] >= '5') result = roofline_add(&status, result, 1);
  if (status == ROOFLINE_OK) *bytes = result;
  return status;
}
