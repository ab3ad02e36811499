// Decodes Python's tables of line numbers (python_lines.h). Sums have 64 bits: each step in a table has at most 32
// bits, so the sums cannot overflow.
#include "stacks/python_lines.h"
#include <stdbool.h>

static uint32_t as_line(int64_t line) { return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0; }

// Decodes the line table of Python 3.9: pairs of an unsigned step in the code, in bytes, and a signed step in the
// lines. A pair counts if the sum of the code steps up to it is not beyond `at`, the instruction whose line is wanted.
static uint32_t from_lnotab(const uint8_t *table, size_t size, int64_t line, int64_t at) {
  int64_t address = 0;
  for (size_t i = 0; i + 1 < size; i += 2) {
    address += table[i];
    if (address > at) break;
    line += (int8_t)table[i + 1];
  }
  return as_line(line);
}

// Decodes the line table of Python 3.10: pairs of bytes. The first byte is the length of a range of code, in bytes;
// the second is the step in the lines from the previous range to this one. The step -128 marks a range without a line.
static uint32_t from_linetable(const uint8_t *table, size_t size, int64_t line, int64_t at) {
  enum { NO_LINE = -128 };
  int64_t end = 0;
  for (size_t i = 0; i + 1 < size; i += 2) {
    int8_t step = (int8_t)table[i + 1];
    if (step != NO_LINE) line += step;
    end += table[i];
    if (at < end) return step == NO_LINE ? 0 : as_line(line);
  }
  return 0;
}

// Reads a number stored in groups of six bits, the lowest first; bit 6 of a byte says that another group follows. The
// number's lowest bit is its sign.
static int64_t signed_number(const uint8_t *p, const uint8_t *end) {
  uint64_t number = 0;
  for (unsigned shift = 0; p < end && !(*p & 0x80) && shift <= 30; shift += 6) {
    number |= (uint64_t)(*p & 63) << shift;
    if (!(*p++ & 64)) break;
  }
  return number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
}

// Decodes the table of 3.11 and later. An entry begins with a byte whose highest bit is set, and continues with bytes
// without it. The first byte is 1 kkkk lll: kkkk is a kind, which determines whether and how a step in the lines
// follows; lll is the length of the code range minus one, in units of two bytes.
static uint32_t from_locations(const uint8_t *table, size_t size, int64_t line, int64_t at) {
  enum { ONE_LINE_0 = 10, ONE_LINE_2 = 12, NO_COLUMNS = 13, LONG = 14, NO_LINE = 15 };
  const uint8_t *p = table, *table_end = table + size;
  for (int64_t end = 0; p < table_end;) {
    uint8_t first = *p++;
    if (!(first & 0x80)) return 0; // not the beginning of an entry: the table has another format
    unsigned kind = first >> 3 & 15;
    if (kind >= ONE_LINE_0 && kind <= ONE_LINE_2) line += kind - ONE_LINE_0;
    else if (kind == NO_COLUMNS || kind == LONG) line += signed_number(p, table_end);
    end += 2 * ((first & 7) + 1);
    if (at < end) return kind == NO_LINE ? 0 : as_line(line);
    while (p < table_end && !(*p & 0x80)) p++;
  }
  return 0;
}

uint32_t mt_python_line(enum mt_python_lines format, const uint8_t *table, size_t size, int64_t first_line,
    int64_t at) {
  if (at < 0) return as_line(first_line);
  switch (format) {
  case PY_LNOTAB: return from_lnotab(table, size, first_line, at);
  case PY_LINETABLE: return from_linetable(table, size, first_line, at);
  case PY_LOCATIONS: return from_locations(table, size, first_line, at);
  }
  return 0;
}
