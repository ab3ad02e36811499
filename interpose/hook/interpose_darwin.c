// macOS: dyld binds every other image's imports, and their dlsym results, to the replacements in __interpose. It does
// not apply the table to the image that holds it, so the originals are called by their names. Metal is linked strongly:
// dyld drops a pair whose target is not there at launch, and Python loads Metal late. What Apple could take away of it
// is weak: a strong symbol that is missing ends the program, of a weak one dyld drops the pair.
//
// The compiler service is in a private framework that programs open late and look through with dlsym, so that is
// replaced, too. Rule: for any other name it is a tail jump, because dyld looks at the return address to know who asks.
// A program that links the framework is not seen to compile there.
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
static id copy_observed(id *observer, void *handler) { return mt_copy_observed_devices(MTLCopyAllDevicesWithObserver, observer, handler); }

static _Atomic(mt_build_request) build_request_found;
static void build_request(void *service, void *unused, int32_t type, const void *request, size_t bytes, void *block) {
  mt_codegen_build(atomic_load_explicit(&build_request_found, memory_order_acquire), service, unused, type, request, bytes, block);
}

static void *look_up(void *library, const char *name) {
  if (!name || name[0] != 'M' || strcmp(name, "MTLCodeGenServiceBuildRequest") != 0) MT_TAIL return dlsym(library, name);
  void *found = dlsym(library, name);
  if (!found || found == (void *)build_request || atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_OFF) return found;
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
