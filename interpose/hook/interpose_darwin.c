// macOS: replaces Metal's C functions. The section __interpose lists pairs of a replacement and the original. For
// every other image, dyld binds imports and results of dlsym to the replacements. dyld does not apply the section to
// the image that contains it, so this library calls the originals by their names. This library links Metal strongly:
// dyld ignores a pair whose original is missing at launch, and programs such as Python load Metal only later.
// Functions that Apple could remove are weak: if a strong symbol is missing, the program cannot start, whereas dyld
// ignores the pair of a missing weak one.
//
// The compiler service is in a private framework that programs load late and search with dlsym, so dlsym is replaced,
// too. For any other name the replacement is a tail jump, because dyld finds the calling image by the return address.
// Compilations of a program that links the private framework directly are not recorded.
#include "hook/interpose.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include "core/state.h"
#include "hook/codegen.h"
#include "system/tail.h"

extern id MTLCreateSystemDefaultDevice(void);
extern id MTLCopyAllDevices(void) __attribute__((weak_import));
extern id MTLCopyAllDevicesWithObserver(id *observer, void *handler) __attribute__((weak_import));

static id create(void) { return mt_create_default_device(MTLCreateSystemDefaultDevice); }
static id copy(void) { return mt_copy_all_devices(MTLCopyAllDevices); }
static id copy_observed(id *observer, void *handler) {
  return mt_copy_observed_devices(MTLCopyAllDevicesWithObserver, observer, handler);
}

static _Atomic(mt_build_request) build_request_found;
static void build_request(void *service, void *unused, int32_t type, const void *request, size_t bytes, void *block) {
  mt_build_request original = atomic_load_explicit(&build_request_found, memory_order_acquire);
  mt_codegen_build(original, service, unused, type, request, bytes, block);
}

static void *look_up(void *library, const char *name) {
  bool compiler = name && name[0] == 'M' && strcmp(name, "MTLCodeGenServiceBuildRequest") == 0;
  if (!compiler) MT_TAIL return dlsym(library, name);
  void *found = dlsym(library, name);
  bool off = atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_OFF;
  if (!found || found == (void *)build_request || off) return found;
  atomic_store_explicit(&build_request_found, (mt_build_request)found, memory_order_release);
  return (void *)build_request;
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} pairs[] = {
    {(const void *)create, (const void *)MTLCreateSystemDefaultDevice},
    {(const void *)copy, (const void *)MTLCopyAllDevices},
    {(const void *)copy_observed, (const void *)MTLCopyAllDevicesWithObserver},
    {(const void *)look_up, (const void *)dlsym},
};
