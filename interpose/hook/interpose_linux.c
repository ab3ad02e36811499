// Linux: replaces Metal's C functions. A program that links Metal finds this library's functions first, because the
// library is preloaded. A program that looks the functions up by name, as ctypes does, gets them from the replaced
// dlsym. Rule: for any other name, the replaced dlsym jumps to the original without a stack frame of its own
// (dlsym_linux_*.S). glibc's RTLD_NEXT looks at the return address; with an address in this library the result would
// differ.
#include "hook/interpose.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "core/session.h"
#include "core/state.h"
#include "hook/base.h"
#include "hook/codegen.h"
#include "hook/metal.h"
#include "system/lookup.h"
#include "system/originals.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT id MTLCreateSystemDefaultDevice(void);
EXPORT id MTLCopyAllDevices(void);
EXPORT id MTLCopyAllDevicesWithObserver(id *observer, void *handler);
EXPORT void MTLCodeGenServiceBuildRequest(void *service, void *unused, int32_t type, const void *request, size_t bytes,
    void *block);

// The replaced functions. Their order must be that of enum mt_metal_function, whose values are indices into this
// table.
static const struct function {
  const char *name;
  void *ours;
} functions[] = {
    {"MTLCreateSystemDefaultDevice", (void *)MTLCreateSystemDefaultDevice},
    {"MTLCopyAllDevices", (void *)MTLCopyAllDevices},
    {"MTLCopyAllDevicesWithObserver", (void *)MTLCopyAllDevicesWithObserver},
    {"MTLCodeGenServiceBuildRequest", (void *)MTLCodeGenServiceBuildRequest},
};

// Hooks the initializers of Metal's base classes once Metal is loaded. It looks for Metal if a library was loaded
// since the last call, or if Metal's classes were not registered at the last call. Without this hook, the tracer would
// miss a library that calls Metal without passing the functions exported here, for example a library opened with
// RTLD_DEEPBIND. dlsym calls this function, because a program that has opened a library looks up its symbols next.
static void look_for_metal(void) {
  static _Atomic unsigned long long looked_at;
  static _Atomic bool waits; // Metal is loaded, but its classes are not registered yet
  if (atomic_load_explicit(&mt_state, memory_order_acquire) != MT_READY) return;
  unsigned long long loaded = mt_libraries_loaded();
  if (atomic_exchange_explicit(&looked_at, loaded, memory_order_relaxed) == loaded && !atomic_load_explicit(&waits,
      memory_order_relaxed)) return;
  mt_base_hook();
  atomic_store_explicit(&waits, mt_metal_there() && !mt_base_hooked(), memory_order_relaxed);
}

// Returns whether a function belongs to a Metal library in a separate linker namespace (loaded with dlmopen), and
// warns once. Such a Metal library is not traced, because the namespace has a C library of its own: both C libraries
// would give out the same keys of thread-specific data, and overwrite each other's data.
static bool is_out_of_reach(void *real) {
  static _Atomic bool said;
  if (!mt_in_other_namespace(real)) return false;
  if (atomic_load_explicit(&mt_state, memory_order_relaxed) != MT_OFF && !atomic_exchange(&said, true))
    mt_session_warn(0, "calls of a Metal library that the program loaded with dlmopen are not recorded");
  return true;
}

// Called by the dlsym of dlsym_linux_*.S. If `ours` is set in the result, dlsym returns its address; otherwise the
// assembly code jumps to the C library's dlsym. For RTLD_NEXT it is not set, because the result depends on the
// caller's position; except if only this library has the function.
struct mt_pick {
  void *address;
  long ours;
};
struct mt_pick mt_dlsym_pick(void *handle, const char *name, const void *caller) {
  const struct mt_pick not_ours = {NULL, 0};
  mt_dlsym next = mt_dlsym_next();
  if (!name) return not_ours;
  look_for_metal();
  if (strncmp(name, "MTLC", 4) != 0) return not_ours;
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    const struct function *f = &functions[i];
    if (strcmp(name, f->name) != 0) continue;
    if (handle == RTLD_NEXT) return mt_metal_behind(i, caller) ? not_ours : (struct mt_pick){NULL, 1};
    void *real = next(handle, name);
    // If the caller would find no such function without the tracer, real is NULL, and dlerror already says why.
    if (real == f->ours) real = mt_metal_behind(i, caller);
    if (!real) return (struct mt_pick){NULL, 1};
    if (atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_OFF || is_out_of_reach(real)) return (
        struct mt_pick){real, 1};
    mt_metal_found(i, real);
    return (struct mt_pick){f->ours, 1};
  }
  return not_ours;
}

#define REAL(which) mt_metal_real(which, __builtin_return_address(0))

id MTLCreateSystemDefaultDevice(void) {
  id (*real)(void) = (id(*)(void))REAL(MT_METAL_CREATE);
  return real ? mt_create_default_device(real) : NULL;
}

id MTLCopyAllDevices(void) {
  id (*real)(void) = (id(*)(void))REAL(MT_METAL_COPY);
  return real ? mt_copy_all_devices(real) : NULL;
}

id MTLCopyAllDevicesWithObserver(id *observer, void *handler) {
  id (*real)(id *, void *) = (id(*)(id *, void *))REAL(MT_METAL_COPY_OBSERVED);
  return real ? mt_copy_observed_devices(real, observer, handler) : NULL;
}

void MTLCodeGenServiceBuildRequest(void *service, void *unused, int32_t type, const void *request, size_t bytes,
    void *block) {
  mt_build_request real = (mt_build_request)REAL(MT_METAL_BUILD_REQUEST);
  if (real) mt_codegen_build(real, service, unused, type, request, bytes, block);
}
