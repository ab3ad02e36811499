// place_darwin.c on an image in memory, of which dladdr gives the nearest symbol before the address, however far away. The image is a stripped
// library: of its functions and variables two each have a symbol.
#include <mach-o/loader.h>
#include <stdio.h>
#include <string.h>
#include "system/place.h"
#include "fakes.h"

enum { TEXT = 0, FIRST = 0x400, HIDDEN = 0x480, LARGE = 0x500, DATA = 0x1000, GLOBAL = 0x1000, STATIC = 0x1040, OTHER = 0x1400, LINKEDIT = 0x2000, SIZE = 0x3000 };

static union {
  struct mach_header_64 header;
  char bytes[SIZE];
} image;
static const struct mac_symbol symbols[] = {{"first", image.bytes + FIRST}, {"large", image.bytes + LARGE}, {"global", image.bytes + GLOBAL}, {"other", image.bytes + OTHER}, {NULL, NULL}};

static char *put(char *to, const void *command, size_t size) {
  image.header.ncmds++;
  return (char *)memcpy(to, command, size) + size;
}

static void make(void) {
  struct segment_command_64 text = {LC_SEGMENT_64, sizeof text, SEG_TEXT, 0x100000000, 0x1000, 0, 0x1000, 5, 5, 0, 0};
  struct segment_command_64 data = {LC_SEGMENT_64, sizeof data, "__DATA", 0x100001000, 0x1000, 0x1000, 0x1000, 3, 3, 0, 0};
  struct segment_command_64 names = {LC_SEGMENT_64, sizeof names, SEG_LINKEDIT, 0x100002000, 0x1000, 0x2000, 0x1000, 1, 1, 0, 0};
  struct linkedit_data_command starts = {LC_FUNCTION_STARTS, sizeof starts, 0x2010, 8};
  char *at = (char *)(&image.header + 1);
  at = put(at, &text, sizeof text);
  at = put(at, &data, sizeof data);
  at = put(at, &starts, sizeof starts);
  put(at, &names, sizeof names);
  // 0x400 = 1024, then 0x80 and 0x80 more; the end.
  static const uint8_t distances[8] = {0x80, 0x08, 0x80, 0x01, 0x80, 0x01, 0, 0};
  memcpy(image.bytes + LINKEDIT + 0x10, distances, sizeof distances);
}

int main(void) {
  static const unsigned asked[] = {FIRST, FIRST + 0x7f, HIDDEN, HIDDEN + 8, LARGE + 0x300, GLOBAL, GLOBAL + 8, STATIC, OTHER, FIRST - 4};
  make();
  mac_image_load(&(struct mac_image){&image.header, SIZE, "/lib/libstripped.dylib", symbols});
  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    struct mt_place place;
    bool found = mt_place_of(image.bytes + asked[i], &place);
    printf("%#x %s %#lx\n", asked[i], !found ? "nowhere" : place.symbol ? place.symbol : "-", found ? (unsigned long)place.offset : 0);
  }
  struct mt_place place;
  puts(mt_place_of((const void *)8, &place) ? "found" : "nowhere");
  return 0;
}
