// Finds a function's caller by unwinding tables (cfi.h). Since version 2.35 glibc finds the table of an address without
// a lock (_dl_find_object). With an older C library no table is used, because finding it could deadlock.
#include "stacks/cfi.h"
#if defined(__x86_64__)
#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { FP = MT_CFI_FP, SP = MT_CFI_SP, RA = 16 }; // the registers' numbers in the tables

// struct dl_find_object of <dlfcn.h>, declared here because older C libraries lack it.
struct found_object {
  unsigned long long flags;
  void *map_start, *map_end, *link_map, *eh_frame;
  unsigned long long reserved[7];
};
static int (*find_object)(void *address, struct found_object *found);

void mt_cfi_start(void) { *(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object"); }

// How to find a function's caller: see cfi.h. The CFA (the caller's stack pointer) is a register plus an offset, or
// the word stored at that address.
struct rule {
  uint8_t base; // FP or SP, UNKNOWN, or END for the outermost function
  bool word;    // the CFA is the word at that address
  int32_t cfa;  // offset from the register
  // the position of the return address, and that of the caller's frame pointer, in words from the CFA. fp is 0 if the
  // function has not changed the frame pointer. If word is set, fp is counted from the frame pointer instead
  int16_t ra, fp;
};
enum { UNKNOWN, END = MT_CFI_END };

struct reader {
  const uint8_t *at, *end;
  bool bad;
};
static uint64_t fixed(struct reader *r, unsigned size) {
  uint64_t value = 0;
  if ((size_t)(r->end - r->at) < size) return r->bad = true, 0;
  memcpy(&value, r->at, size);
  r->at += size;
  return value;
}
static uint64_t uleb(struct reader *r) {
  uint64_t value = 0;
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  return r->bad = true, 0;
}
static int64_t sleb(struct reader *r) {
  const uint8_t *begin = r->at;
  uint64_t value = uleb(r);
  unsigned bits = (unsigned)(r->at - begin) * 7;
  bool negative = r->at > begin && r->at[-1] & 0x40;
  return (int64_t)(negative && bits < 64 ? value | ~UINT64_C(0) << bits : value);
}

// The encodings of code addresses in the table: absolute, or relative to the position at which the address is stored.
enum { ABSOLUTE = 0x00, RELATIVE_32 = 0x1b, RELATIVE_64 = 0x1c, OMIT = 0xff };
static unsigned size_of(uint8_t encoding) {
  static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8};
  return sizes[encoding & 15];
}
static uintptr_t address(struct reader *r, uint8_t encoding) {
  uintptr_t here = (uintptr_t)r->at;
  if (encoding == ABSOLUTE) return (uintptr_t)fixed(r, 8);
  if (encoding == RELATIVE_32) return here + (uintptr_t)(int64_t)(int32_t)fixed(r, 4);
  if (encoding == RELATIVE_64) return here + (uintptr_t)fixed(r, 8);
  return r->bad = true, 0;
}

// The common part (CIE in DWARF) to which the entries of many functions refer.
struct common {
  struct reader program;
  uint64_t code_unit;
  int64_t data_unit;
  uint8_t encoding;
  bool augmented;
};

// Returns a reader of the table entry at an address, positioned after the entry's length field.
static struct reader entry(const uint8_t *at) {
  uint32_t length;
  memcpy(&length, at, sizeof length);
  bool read = length != 0 && length != UINT32_MAX;
  return (struct reader){at + sizeof length, at + sizeof length + (read ? length : 0), !read};
}

static struct common common_at(const uint8_t *at) {
  struct common c = {.program = entry(at)};
  struct reader *r = &c.program;
  if (fixed(r, 4) != 0) r->bad = true;
  uint8_t version = (uint8_t)fixed(r, 1);
  const char *letters = (const char *)r->at;
  const uint8_t *zero = r->bad ? NULL : memchr(r->at, 0, (size_t)(r->end - r->at));
  if (!zero || (version != 1 && version != 3)) return r->bad = true, c;
  r->at = zero + 1;
  c.code_unit = uleb(r), c.data_unit = sleb(r);
  if ((version == 1 ? fixed(r, 1) : uleb(r)) != RA) r->bad = true;
  if (*letters == 0) return c;
  c.augmented = *letters++ == 'z';
  uint64_t length = uleb(r);
  if (!c.augmented || length > (uint64_t)(r->end - r->at)) return r->bad = true, c;
  const uint8_t *program = r->at + length;
  for (; *letters; letters++) {
    if (*letters == 'R') c.encoding = (uint8_t)fixed(r, 1);
    else if (*letters == 'L') fixed(r, 1);
    else if (*letters == 'P') {
      uint8_t encoding = (uint8_t)fixed(r, 1);
      fixed(r, size_of(encoding));
    } else r->bad = true; // augmentation S: a signal handler's frame, whose caller made no call
  }
  r->at = program;
  return c;
}

// The state while the table's instructions are run: a rule, and the register from which its CFA is counted.
struct state {
  struct rule rule;
  uint64_t base;
  bool fp_from_fp; // where the frame pointer is saved is counted from the frame pointer, not from the CFA
};

static int16_t words(int64_t offset, bool *bad) {
  if (offset % 8 != 0 || offset / 8 < INT16_MIN || offset / 8 > INT16_MAX) return *bad = true, 0;
  return (int16_t)(offset / 8);
}

// Reads the expression at r. Functions that align their stack have expressions of two forms: a register plus an
// offset, or the word stored at that address (then *word is set). Returns the register, or UINT64_MAX for any other
// expression.
static uint64_t expression(struct reader *r, int64_t *offset, bool *word) {
  enum { BREG0 = 0x70, DEREF = 0x06 };
  uint64_t length = uleb(r);
  if (length > (uint64_t)(r->end - r->at)) return r->bad = true, UINT64_MAX;
  struct reader e = {r->at, r->at + length, false};
  r->at += length;
  uint64_t base = fixed(&e, 1) - BREG0;
  *offset = sleb(&e);
  *word = e.at != e.end && fixed(&e, 1) == DEREF;
  return e.bad || e.at != e.end ? UINT64_MAX : base;
}

static void set(struct state *s, uint64_t reg, int64_t offset, bool *bad) {
  if (reg == FP) s->rule.fp = words(offset, bad), s->fp_from_fp = false;
  if (reg == RA) s->rule.ra = words(offset, bad);
}

static void skip_block(struct reader *r) {
  uint64_t length = uleb(r);
  if (length > (uint64_t)(r->end - r->at)) r->bad = true;
  else r->at += length;
}

// Runs the table's instructions for the code from address `at` up to pc, and leaves the rule for pc in s. first is
// the state after the common part; restore instructions return to it.
static void run(struct reader *r, const struct common *c, uintptr_t at, uintptr_t pc, const struct state *first,
    struct state *s) {
  enum { DEEPEST = 8 };
  struct state kept[DEEPEST];
  unsigned depth = 0;
  while (r->at < r->end && !r->bad) {
    uint8_t byte = *r->at++, low = byte & 0x3f;
    uint64_t reg, step = 0;
    int64_t offset;
    bool word;
    switch (byte & 0xc0 ? byte & 0xc0 : byte) {
    case 0x40: step = low * c->code_unit; break;                                  // advance_loc
    case 0x80: set(s, low, (int64_t)uleb(r) * c->data_unit, &r->bad); break;      // offset
    case 0xc0: reg = low; goto restore;                                           // restore
    case 0x00: break;                                                             // nop
    case 0x02: case 0x03: case 0x04: step = fixed(r, 1u << (byte - 2)) * c->code_unit; break; // advance_loc1, 2, 4
    case 0x05: reg = uleb(r), set(s, reg, (int64_t)uleb(r) * c->data_unit, &r->bad); break; // offset_extended
    case 0x06: reg = uleb(r);                                                     // restore_extended
    restore:
      if (reg == FP) s->rule.fp = first->rule.fp, s->fp_from_fp = false;
      if (reg == RA) s->rule.ra = first->rule.ra;
      break;
    case 0x07: if (uleb(r) == RA) s->rule.ra = 0; break;                          // undefined
    case 0x08: set(s, uleb(r) == FP ? FP : 0, 0, &r->bad); break;                 // same_value
    case 0x0a: if (depth < DEEPEST) kept[depth++] = *s; else r->bad = true; break; // remember_state
    case 0x0b: if (depth > 0) *s = kept[--depth]; else r->bad = true; break;      // restore_state
    case 0x0c: s->base = uleb(r), s->rule.cfa = (int32_t)uleb(r), s->rule.word = false; break; // def_cfa
    case 0x0d: s->base = uleb(r), s->rule.word = false; break;                    // def_cfa_register
    case 0x0e: s->rule.cfa = (int32_t)uleb(r); break;                             // def_cfa_offset
    case 0x0f:                                                                    // def_cfa_expression
      s->base = expression(r, &offset, &word), s->rule.cfa = (int32_t)offset, s->rule.word = word;
      if (!word) s->base = UINT64_MAX;
      break;
    case 0x10:                                                                    // expression
      reg = uleb(r);
      bool from_fp = expression(r, &offset, &word) == FP && !word;
      if (reg == FP && from_fp) set(s, FP, offset, &r->bad), s->fp_from_fp = true;
      else if (reg == FP || reg == RA) r->bad = true;
      break;
    case 0x16: reg = uleb(r), skip_block(r), r->bad = r->bad || reg == FP || reg == RA; break; // val_expression
    case 0x11: reg = uleb(r), set(s, reg, sleb(r) * c->data_unit, &r->bad); break; // offset_extended_sf
    case 0x12: s->base = uleb(r), s->rule.cfa = (int32_t)(sleb(r) * c->data_unit), s->rule.word = false; break;
    case 0x13: s->rule.cfa = (int32_t)(sleb(r) * c->data_unit); break;            // def_cfa_offset_sf
    case 0x2e: uleb(r); break;                                                    // GNU_args_size
    default: r->bad = true;
    }
    if (step && (at += step) > pc) return;
  }
}

// Searches the table of a file for the entry of the function that contains pc: the last one that begins at or before
// pc. The table (Linux Standard Base 5.0, 10.6.2) consists of sorted pairs of a function's address and its entry,
// relative to the table. Returns NULL if there is none.
static const uint8_t *search(const uint8_t *table, uintptr_t pc) {
  enum { VERSION = 1, COUNT_32 = 0x03, SORTED_32 = 0x3b, HEAD = 12 };
  if (table[0] != VERSION || table[1] != RELATIVE_32 || table[2] != COUNT_32 || table[3] != SORTED_32) return NULL;
  uint32_t count;
  memcpy(&count, table + 8, sizeof count);
  const int32_t *pairs = (const int32_t *)(const void *)(table + HEAD);
  intptr_t wanted = (intptr_t)(pc - (uintptr_t)table);
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (pairs[2 * middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low ? table + pairs[2 * low - 1] : NULL;
}

static struct rule rule_of(uintptr_t pc) {
  const struct rule unknown = {.base = UNKNOWN};
  struct found_object found;
  if (!find_object || find_object((void *)pc, &found) != 0 || !found.eh_frame) return unknown;
  const uint8_t *at = search(found.eh_frame, pc);
  if (!at) return unknown;
  struct reader r = entry(at);
  const uint8_t *here = r.at;
  uint32_t back = (uint32_t)fixed(&r, 4);
  if (r.bad || !back) return unknown;
  struct common c = common_at(here - back);
  uintptr_t begin = address(&r, c.encoding);
  uint64_t length = fixed(&r, size_of(c.encoding));
  if (c.augmented) skip_block(&r);
  if (r.bad || c.program.bad || pc - begin >= length) return unknown;
  struct state first = {.base = UINT64_MAX}, s;
  run(&c.program, &c, 0, UINTPTR_MAX, &first, &first);
  s = first;
  run(&r, &c, begin, pc, &first, &s);
  if (c.program.bad || r.bad || (s.base != SP && s.base != FP) || s.rule.word != s.fp_from_fp)
    return unknown;
  s.rule.base = s.rule.ra ? (uint8_t)s.base : END;
  return s.rule;
}

struct mt_cfi_kept mt_cfi_rules[MT_CFI_KEPT];
_Atomic uint64_t mt_cfi_forgotten;

void mt_cfi_forget(void) { atomic_fetch_add_explicit(&mt_cfi_forgotten, 1, memory_order_relaxed); }

// Packs an unwinding rule into one 64-bit word, in the layout that cfi.h describes.
static uint64_t packed_of(struct rule r) {
  enum { FARTHEST = 1 << 27 };
  if (r.cfa >= FARTHEST || r.cfa < -FARTHEST) return UNKNOWN;
  return r.base | (uint64_t)r.word << 3 | (uint64_t)((uint32_t)r.cfa << 4) | (uint64_t)(uint16_t)r.ra << 32 |
      (uint64_t)(uint16_t)r.fp << 48;
}

uint64_t mt_cfi_keep(struct mt_cfi_kept *k, uintptr_t pc, uint64_t wanted) {
  uint64_t packed = packed_of(rule_of(pc));
  atomic_store_explicit(&k->rule, packed, memory_order_relaxed);
  atomic_store_explicit(&k->key, wanted ^ packed * MT_CFI_MIX, memory_order_relaxed);
  return packed;
}
#endif
