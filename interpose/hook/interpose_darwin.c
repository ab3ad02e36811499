// macOS: dyld binds every other image's imports, and their dlsym results, to the replacements in __interpose. It does not apply
// the table to the image that holds it, so the originals are called by their names. Metal is linked strongly: dyld drops a pair
// whose target is not there at launch, and Python loads Metal late. What Apple could take away of it is weak: a strong symbol that is missing
// ends the program, of a weak one dyld drops the pair.
#include "hook/interpose.h"
#include <mach-o/dyld.h>
#include <string.h>

// Drivers are bundles among the system's extensions: AGXMetal….bundle, …MTLDriver.bundle and the like.
bool mt_driver_loaded(void) {
  for (uint32_t i = 0; i < _dyld_image_count(); i++) {
    const char *path = _dyld_get_image_name(i);
    if (path && strstr(path, "/System/Library/Extensions/") && (strstr(path, "Metal") || strstr(path, "MTL") || strstr(path, "Mtl"))) return true;
  }
  return false;
}

bool mt_metal_there(void) { return true; } // linked

extern id MTLCreateSystemDefaultDevice(void);
extern id MTLCopyAllDevices(void) __attribute__((weak_import));
extern id MTLCopyAllDevicesWithObserver(id *observer, void *handler) __attribute__((weak_import));

static id create(void) { return mt_create_default_device(MTLCreateSystemDefaultDevice); }
static id copy(void) { return mt_copy_all_devices(MTLCopyAllDevices); }
static id copy_observed(id *observer, void *handler) { return mt_copy_observed_devices(MTLCopyAllDevicesWithObserver, observer, handler); }

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} pairs[] = {
    {(const void *)create, (const void *)MTLCreateSystemDefaultDevice},
    {(const void *)copy, (const void *)MTLCopyAllDevices},
    {(const void *)copy_observed, (const void *)MTLCopyAllDevicesWithObserver},
};
