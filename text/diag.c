#include "text/diag.h"

#include <string.h>

static const diag_info table[] = {
#define D(name, number, severity, title, rule, wrong, right)                                                 \
  {#name, number, severity, title, rule, wrong, right},
#include "text/diag.def"
#undef D
    {0}};

const diag_info *diag_code_info(diag_code code) { return &table[code]; }

/* A place that a defect was found at; of two with the same code the second is the same defect. */
typedef struct place {
  span at;
  uint32_t code;    /* or SPOILED */
  uint32_t message; /* hash of the text, where there is no place to tell two apart */
} place;

enum { SPOILED = DIAG_CODE_COUNT };

/* A file of nothing but defects must not take memory for each of them: more are counted, not kept. */
enum { MOST_KEPT = 100000 };

struct diag_sink {
  arena *a;
  const diag_sink *parent;
  str op;
  VEC(diag *) all;
  place *places; /* open addressing; a free slot has at.end < at.begin */
  uint32_t place_count, place_cap;
  uint32_t counts[4]; /* by severity */
  uint32_t errors;
};

diag_sink *diag_sink_new(arena *a) {
  diag_sink *sink = arena_new_of(a, diag_sink);
  sink->a = a;
  return sink;
}

diag_sink *diag_sink_part(arena *a, const diag_sink *parent) {
  diag_sink *sink = diag_sink_new(a);
  sink->parent = parent;
  return sink;
}

void diag_set_op(diag_sink *sink, str op) { sink->op = op; }
uint32_t diag_count(const diag_sink *sink, diag_severity severity) { return sink->counts[severity]; }
uint32_t diag_errors(const diag_sink *sink) { return sink->errors; }

diag *const *diag_all(const diag_sink *sink, uint32_t *count) {
  *count = sink->all.n;
  return sink->all.v;
}

static uint32_t mix(uint32_t h, uint32_t v) {
  h = (h ^ v) * 0x9E3779B1u;
  return h ^ h >> 15;
}

static bool place_eq(const place *a, const place *b) {
  return a->code == b->code && a->at.src == b->at.src && a->at.begin == b->at.begin &&
         a->at.end == b->at.end && a->message == b->message;
}

/* The place's slot, or the free one where it belongs. */
static place *find_place(const diag_sink *sink, const place *p) {
  uint32_t source_id = p->at.src != NULL ? p->at.src->id : 0;
  uint32_t h = mix(mix(mix(mix(p->code, source_id), p->at.begin), p->at.end), p->message);
  for (;; h++) {
    place *slot = &sink->places[h & (sink->place_cap - 1)];
    if (slot->at.end < slot->at.begin || place_eq(slot, p)) return slot;
  }
}

static void grow_places(diag_sink *sink) {
  place *old = sink->places;
  uint32_t old_cap = sink->place_cap;
  sink->place_cap = old_cap == 0 ? 64 : old_cap * 2;
  sink->places = arena_array(sink->a, place, sink->place_cap);
  for (uint32_t i = 0; i < sink->place_cap; i++) sink->places[i].at.begin = 1;
  for (uint32_t i = 0; i < old_cap; i++)
    if (old[i].at.end >= old[i].at.begin) *find_place(sink, &old[i]) = old[i];
}

static bool has_place(const diag_sink *sink, const place *p) {
  return sink->place_cap > 0 && place_eq(find_place(sink, p), p);
}

/* False when it was there already. */
static bool add_place(diag_sink *sink, const place *p) {
  if (has_place(sink, p)) return false;
  if (sink->place_count * 2 >= sink->place_cap) grow_places(sink);
  *find_place(sink, p) = *p;
  sink->place_count++;
  return true;
}

void diag_spoil(diag_sink *sink, span at) { add_place(sink, &(place){.at = at, .code = SPOILED}); }

static bool is_spoiled(const diag_sink *sink, span at) {
  const place p = {.at = at, .code = SPOILED};
  for (; sink != NULL; sink = sink->parent)
    if (has_place(sink, &p)) return true;
  return false;
}

/* Messages quote the user's text: they stay one line of bounded length, safe for a terminal. */
static str one_line(arena *a, const char *format, va_list args) {
  enum { LONGEST = 1000 };
  str s = arena_vprintf(a, format, args);
  char line[LONGEST + 8];
  uint32_t n = 0, i = 0;
  while (i < s.n && n < LONGEST) {
    unsigned char c = (unsigned char)s.p[i];
    uint32_t length = source_utf8_length(s.p + i, s.p + s.n);
    bool control = c < 0x20 || c == 0x7F || (c == 0xC2 && length == 2 && (unsigned char)s.p[i + 1] < 0xA0);
    if (length > 0 && !control) {
      memcpy(line + n, s.p + i, length);
      n += length;
      i += length;
    } else {
      static const char *const named[] = {['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r"};
      if (c <= '\r' && named[c] != NULL)
        n += (uint32_t)snprintf(line + n, 5, "%s", named[c]);
      else
        n += (uint32_t)snprintf(line + n, 5, "\\x%02X", c);
      i++;
    }
  }
  if (i == s.n && n == s.n) return s;
  if (i < s.n) n += (uint32_t)snprintf(line + n, 4, "...");
  return arena_str(a, (str){line, n});
}

diag *diag_add(diag_sink *sink, diag_code code, span at, const char *format, ...) {
  diag_severity severity = table[code].severity;
  if (severity == DIAG_ERROR) sink->errors++;
  if (at.end < at.begin) at.end = at.begin;
  place p = {.at = at, .code = code};
  /* Known before it is worded: one defect may be found at 65,536 combinations. */
  if (is_spoiled(sink, at) || (at.src != NULL && has_place(sink, &p))) return NULL;
  if (sink->all.n == MOST_KEPT) {
    sink->counts[severity]++;
    return NULL;
  }
  va_list args;
  va_start(args, format);
  str message = one_line(sink->a, format, args);
  va_end(args);
  if (at.src == NULL) p.message = str_hash(message);
  if (!add_place(sink, &p)) return NULL;
  diag *d = arena_new_of(sink->a, diag);
  *d = (diag){.code = code, .severity = severity, .at = at, .message = message, .op = sink->op};
  vec_push(sink->a, &sink->all, d);
  sink->counts[severity]++;
  return d;
}

void diag_join(diag_sink *sink, const diag_sink *part) {
  for (int severity = 0; severity < 4; severity++) sink->counts[severity] += part->counts[severity];
  sink->errors += part->errors;
  for (uint32_t i = 0; i < part->all.n; i++) {
    diag *d = part->all.v[i];
    const place p = {.at = d->at, .code = d->code, .message = d->at.src != NULL ? 0 : str_hash(d->message)};
    if (!add_place(sink, &p))
      sink->counts[d->severity]--;
    else if (sink->all.n < MOST_KEPT)
      vec_push(sink->a, &sink->all, d);
  }
}

void diag_help(diag_sink *sink, diag *d, const char *format, ...) {
  if (d == NULL) return;
  va_list args;
  va_start(args, format);
  vec_push(sink->a, &d->help, one_line(sink->a, format, args));
  va_end(args);
}

void diag_relate(diag_sink *sink, diag *d, span at, const char *format, ...) {
  if (d == NULL) return;
  if (at.end < at.begin) at.end = at.begin;
  va_list args;
  va_start(args, format);
  diag_related related = {at, one_line(sink->a, format, args)};
  va_end(args);
  vec_push(sink->a, &d->related, related);
}

enum { LONGEST_SUGGESTED = 64 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Edits that turn a into b, letter case aside: insert, delete, replace, swap neighbours. */
static uint32_t edit_distance(str a, str b) {
  uint32_t rows[3][LONGEST_SUGGESTED + 1];
  uint32_t *before = rows[0], *previous = rows[1], *row = rows[2];
  for (uint32_t j = 0; j <= b.n; j++) row[j] = j;
  for (uint32_t i = 1; i <= a.n; i++) {
    uint32_t *oldest = before;
    before = previous;
    previous = row;
    row = oldest;
    row[0] = i;
    for (uint32_t j = 1; j <= b.n; j++) {
      char x = lower(a.p[i - 1]), y = lower(b.p[j - 1]);
      row[j] = least(least(previous[j], row[j - 1]) + 1, previous[j - 1] + (x != y));
      if (i > 1 && j > 1 && x == lower(b.p[j - 2]) && y == lower(a.p[i - 2]))
        row[j] = least(row[j], before[j - 2] + 1);
    }
  }
  return row[b.n];
}

str diag_nearest(str wrong, const str *names, uint32_t count) {
  return diag_nearest_within(wrong, LONGEST_SUGGESTED, names, count);
}

str diag_nearest_within(str wrong, uint32_t edits, const str *names, uint32_t count) {
  str nearest = {0};
  if (wrong.n == 0 || wrong.n > LONGEST_SUGGESTED) return nearest;
  /* A third of the letters may be wrong, and one must be right. */
  uint32_t best = (wrong.n + 2) / 3;
  if (best >= wrong.n) best = wrong.n - 1;
  best = least(best, edits);
  for (uint32_t i = 0; i < count; i++) {
    if (names[i].n == 0 || names[i].n > LONGEST_SUGGESTED || str_eq(names[i], wrong)) continue;
    uint32_t longer = wrong.n > names[i].n ? wrong.n - names[i].n : names[i].n - wrong.n;
    if (longer > best) continue; /* so many letters are missing already */
    uint32_t distance = edit_distance(wrong, names[i]);
    if (distance < best || (distance == best && nearest.n == 0)) {
      best = distance;
      nearest = names[i];
    }
  }
  return nearest;
}

void diag_suggest(diag_sink *sink, diag *d, str wrong, const str *names, uint32_t count) {
  if (d == NULL) return;
  str nearest = diag_nearest(wrong, names, count);
  if (nearest.n > 0) diag_help(sink, d, "did you mean '%.*s'?", STR_ARG(nearest));
}

void diag_list(diag_sink *sink, diag *d, const char *label, const str *names, uint32_t count) {
  enum { MOST = 12 };
  if (d == NULL || count == 0) return;
  char line[1024];
  size_t n = 0;
  uint32_t shown = count <= MOST ? count : MOST;
  for (uint32_t i = 0; i < shown && n < sizeof line - 1; i++)
    n += (size_t)snprintf(line + n, sizeof line - n, "%s%.*s", i > 0 ? ", " : "", STR_ARG(names[i]));
  diag_help(sink, d, "%s: %s%s", label, line, shown < count ? ", ..." : "");
}
