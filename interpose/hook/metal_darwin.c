// macOS: Metal is linked.
#include "hook/metal.h"
#include <mach-o/dyld.h>
#include <stdint.h>
#include <string.h>

// Returns whether an image with the name of a Metal driver is loaded: AGXMetal….bundle, …MTLDriver.bundle and the
// like, among the system's extensions.
bool mt_driver_loaded(void) {
  for (uint32_t i = 0; i < _dyld_image_count(); i++) {
    const char *path = _dyld_get_image_name(i);
    if (path && strstr(path, "/System/Library/Extensions/") && (strstr(path, "Metal") || strstr(path, "MTL") ||
        strstr(path, "Mtl"))) return true;
  }
  return false;
}

bool mt_metal_there(void) { return true; } // linked
