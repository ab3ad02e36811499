// macOS: Metal is linked.
#include "hook/metal.h"
#include <mach-o/dyld.h>
#include <stdint.h>
#include <string.h>

// Drivers are bundles among the system's extensions: AGXMetal….bundle, …MTLDriver.bundle and the like.
bool mt_driver_loaded(void) {
  for (uint32_t i = 0; i < _dyld_image_count(); i++) {
    const char *path = _dyld_get_image_name(i);
    if (path && strstr(path, "/System/Library/Extensions/") && (strstr(path, "Metal") || strstr(path, "MTL") ||
        strstr(path, "Mtl"))) return true;
  }
  return false;
}

bool mt_metal_there(void) { return true; } // linked
