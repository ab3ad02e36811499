// macOS: dyld binds every other image's imports, and their dlsym results, to the replacements in __interpose. It does not apply
// the table to the image that holds it, so the originals are called by their names. Metal is linked strongly: dyld drops a pair
// whose target is not there at launch, and Python loads Metal late. What Apple could take away of it is weak: a strong symbol that is missing
// ends the program, of a weak one dyld drops the pair.
#include "hook/interpose.h"

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
