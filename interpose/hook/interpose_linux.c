// Linux: the exported functions stand before those of the Metal library for programs that link them, and dlsym hands them out to
// those that look them up, as ctypes does. Rule: for any other name dlsym is a tail jump (dlsym_linux_*.S): glibc's RTLD_NEXT
// looks at the return address, so no frame of ours may stand between.
#include "hook/interpose.h"
#include <stdatomic.h>
#include <string.h>
#include "core/state.h"
#include "hook/codegen.h"
#include "hook/metal.h"
#include "system/originals.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT id MTLCreateSystemDefaultDevice(void);
EXPORT id MTLCopyAllDevices(void);
EXPORT id MTLCopyAllDevicesWithObserver(id *observer, void *handler);
EXPORT void MTLCodeGenServiceBuildRequest(void *service, void *unused, int32_t type, const void *request, size_t bytes, void *block);

// In the order of enum mt_metal_function.
static const struct function {
  const char *name;
  void *ours;
} functions[] = {
    {"MTLCreateSystemDefaultDevice", (void *)MTLCreateSystemDefaultDevice},
    {"MTLCopyAllDevices", (void *)MTLCopyAllDevices},
    {"MTLCopyAllDevicesWithObserver", (void *)MTLCopyAllDevicesWithObserver},
    {"MTLCodeGenServiceBuildRequest", (void *)MTLCodeGenServiceBuildRequest},
};

// Called by the dlsym of dlsym_linux_*.S: what to return, if it is for us to say; else it jumps on.
struct mt_pick {
  void *address;
  long ours;
};
struct mt_pick mt_dlsym_pick(void *handle, const char *name) {
  mt_dlsym next = mt_dlsym_next();
  if (!name || strncmp(name, "MTLC", 4) != 0) return (struct mt_pick){NULL, 0};
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    const struct function *f = &functions[i];
    if (strcmp(name, f->name) != 0) continue;
    void *real = next(handle, name);
    if (real == f->ours) real = mt_metal_real(i); // NULL when no library behind us has it, and dlerror says so
    if (!real) return (struct mt_pick){NULL, 1};
    if (atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_OFF) return (struct mt_pick){real, 1};
    mt_metal_found(i, real);
    return (struct mt_pick){f->ours, 1};
  }
  return (struct mt_pick){NULL, 0};
}

id MTLCreateSystemDefaultDevice(void) {
  id (*real)(void) = (id(*)(void))mt_metal_real(MT_METAL_CREATE);
  return real ? mt_create_default_device(real) : NULL;
}

id MTLCopyAllDevices(void) {
  id (*real)(void) = (id(*)(void))mt_metal_real(MT_METAL_COPY);
  return real ? mt_copy_all_devices(real) : NULL;
}

id MTLCopyAllDevicesWithObserver(id *observer, void *handler) {
  id (*real)(id *, void *) = (id(*)(id *, void *))mt_metal_real(MT_METAL_COPY_OBSERVED);
  return real ? mt_copy_observed_devices(real, observer, handler) : NULL;
}

void MTLCodeGenServiceBuildRequest(void *service, void *unused, int32_t type, const void *request, size_t bytes, void *block) {
  mt_build_request real = (mt_build_request)mt_metal_real(MT_METAL_BUILD_REQUEST);
  if (real) mt_codegen_build(real, service, unused, type, request, bytes, block);
}
