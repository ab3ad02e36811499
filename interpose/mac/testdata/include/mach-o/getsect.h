// What the files for macOS use of Apple's header of that name.
//
// Rule, of dyld's libdyld: a segment that an image lacks is NULL.
#ifndef FAKE_MACHO_GETSECT_H
#define FAKE_MACHO_GETSECT_H
#include <stdint.h>
#include <mach-o/loader.h>

uint8_t *getsegmentdata(const struct mach_header_64 *header, const char *segment, unsigned long *size);
#endif
