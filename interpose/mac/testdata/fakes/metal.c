// Metal, which is linked on a Mac: the next library's, as testdata/shapes.m, or one without a device. And the routine that a frame names.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

void *original_MTLCreateSystemDefaultDevice(void) {
  void *(*next)(void) = (void *(*)(void))dlsym(RTLD_NEXT, "MTLCreateSystemDefaultDevice");
  return next ? next() : NULL;
}
void *original_MTLCopyAllDevices(void) {
  void *(*next)(void) = (void *(*)(void))dlsym(RTLD_NEXT, "MTLCopyAllDevices");
  return next ? next() : NULL;
}
void *original_MTLCopyAllDevicesWithObserver(void **observer, void *handler) {
  void *(*next)(void **, void *) = (void *(*)(void **, void *))dlsym(RTLD_NEXT, "MTLCopyAllDevicesWithObserver");
  return next ? next(observer, handler) : NULL;
}

// Mach-O's linker makes the pointer that the encoding 0x9b asks for, and its names begin with an underscore.
extern int mt_unwind_personality(int, int, uint64_t, void *, void *);
int (*const personality)(int, int, uint64_t, void *, void *) __asm__("_mt_unwind_personality") = mt_unwind_personality;
