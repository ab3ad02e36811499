// Linux: the exported functions stand before those of the Metal library for programs that link them, and dlsym hands them out to
// those that look them up, as ctypes does. Rule: for any other name dlsym is a tail jump (dlsym_linux_*.S): glibc's RTLD_NEXT
// looks at the return address, so no frame of ours may stand between.
#include "hook/interpose.h"
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include "core/process.h"

#define EXPORT __attribute__((visibility("default")))

// The next dlsym: the C library's, or that of another library that wraps it. Resolved before the first jump through it, by as many
// threads as come at once: they all find the same.
typedef void *(*dlsym_function)(void *, const char *);
_Atomic(dlsym_function) mt_next_dlsym;

static dlsym_function next_dlsym(void) {
  static const char *const versions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"};
  dlsym_function next = atomic_load_explicit(&mt_next_dlsym, memory_order_relaxed);
  for (unsigned i = 0; !next && i < sizeof versions / sizeof *versions; i++) next = (dlsym_function)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  atomic_store_explicit(&mt_next_dlsym, next, memory_order_relaxed);
  return next;
}

void *mt_next_symbol(const char *name) { return next_dlsym()(RTLD_NEXT, name); }

static int is_driver(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  return info->dlpi_name && strstr(info->dlpi_name, "/libsoftmetal-driver.so") != NULL;
}
bool mt_driver_loaded(void) { return dl_iterate_phdr(is_driver, NULL) != 0; }

static _Atomic(void *) real_create, real_copy, real_copy_observed;

EXPORT id MTLCreateSystemDefaultDevice(void);
EXPORT id MTLCopyAllDevices(void);
EXPORT id MTLCopyAllDevicesWithObserver(id *observer, void *handler);

static const struct function {
  const char *name;
  void *ours;
  _Atomic(void *) *real;
} functions[] = {
    {"MTLCreateSystemDefaultDevice", (void *)MTLCreateSystemDefaultDevice, &real_create},
    {"MTLCopyAllDevices", (void *)MTLCopyAllDevices, &real_copy},
    {"MTLCopyAllDevicesWithObserver", (void *)MTLCopyAllDevicesWithObserver, &real_copy_observed},
};

static void *real_of(const struct function *f) {
  void *real = atomic_load_explicit(f->real, memory_order_acquire);
  if (!real && (real = next_dlsym()(RTLD_NEXT, f->name))) atomic_store_explicit(f->real, real, memory_order_release);
  return real;
}

bool mt_metal_there(void) {
  if (real_of(&functions[0])) return true;
  dlerror(); // nobody else's business
  return false;
}

// Called by the dlsym of dlsym_linux_*.S: what to return, if it is for us to say; else it jumps on.
struct mt_pick {
  void *address;
  long ours;
};
struct mt_pick mt_dlsym_pick(void *handle, const char *name) {
  dlsym_function next = next_dlsym();
  if (!name || strncmp(name, "MTLC", 4) != 0) return (struct mt_pick){NULL, 0};
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    const struct function *f = &functions[i];
    if (strcmp(name, f->name) != 0) continue;
    void *real = next(handle, name);
    if (real == f->ours) real = real_of(f); // NULL when no library behind us has it, and dlerror says so
    if (!real) return (struct mt_pick){NULL, 1};
    if (atomic_load_explicit(&mt_state, memory_order_relaxed) == MT_OFF) return (struct mt_pick){real, 1};
    atomic_store_explicit(f->real, real, memory_order_release);
    return (struct mt_pick){f->ours, 1};
  }
  return (struct mt_pick){NULL, 0};
}

void *mt_metal_symbol(const char *name) {
  static void *library;
  void *metal = real_of(&functions[0]);
  if (!metal) metal = real_of(&functions[1]);
  Dl_info info;
  if (!library && metal && dladdr(metal, &info)) library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *found = library ? next_dlsym()(library, name) : NULL;
  return found ? found : next_dlsym()(RTLD_DEFAULT, name);
}

id MTLCreateSystemDefaultDevice(void) {
  id (*real)(void) = (id(*)(void))real_of(&functions[0]);
  return real ? mt_create_default_device(real) : NULL;
}

id MTLCopyAllDevices(void) {
  id (*real)(void) = (id(*)(void))real_of(&functions[1]);
  return real ? mt_copy_all_devices(real) : NULL;
}

id MTLCopyAllDevicesWithObserver(id *observer, void *handler) {
  id (*real)(id *, void *) = (id(*)(id *, void *))real_of(&functions[2]);
  return real ? mt_copy_observed_devices(real, observer, handler) : NULL;
}
