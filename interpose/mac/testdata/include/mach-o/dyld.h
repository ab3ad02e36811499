// What the files for macOS use of Apple's header of that name.
//
// Rule, of dyld's common/MachOLoaded.cpp and dyld/DyldAPIs.cpp: a function that is registered is called at once for each image that is there,
// and then for each that comes; a name beyond the last image is NULL; _NSGetExecutablePath fails when the path and its end do not fit, and
// says what would.
#ifndef FAKE_MACHO_DYLD_H
#define FAKE_MACHO_DYLD_H
#include <stdint.h>
#include <mach-o/loader.h>

uint32_t _dyld_image_count(void);
const char *_dyld_get_image_name(uint32_t index);
void _dyld_register_func_for_add_image(void (*added)(const struct mach_header *header, intptr_t slide));
int _NSGetExecutablePath(char *path, uint32_t *size);
#endif
