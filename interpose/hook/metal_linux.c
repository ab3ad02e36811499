// Linux: the Metal library is whichever has the functions that this library puts its own before.
#include "hook/metal.h"
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include "system/originals.h"

static int is_driver(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  return info->dlpi_name && strstr(info->dlpi_name, "/libsoftmetal-driver.so") != NULL;
}
bool mt_driver_loaded(void) { return dl_iterate_phdr(is_driver, NULL) != 0; }

static const char *const function_names[MT_METAL_FUNCTIONS] = {"MTLCreateSystemDefaultDevice", "MTLCopyAllDevices", "MTLCopyAllDevicesWithObserver",
                                                                 "MTLCodeGenServiceBuildRequest"};
static _Atomic(void *) real_functions[MT_METAL_FUNCTIONS];

void mt_metal_found(unsigned which, void *real) { atomic_store_explicit(&real_functions[which], real, memory_order_release); }

void *mt_metal_real(unsigned which) {
  void *real = atomic_load_explicit(&real_functions[which], memory_order_acquire);
  if (!real && (real = mt_next_symbol(function_names[which]))) mt_metal_found(which, real);
  return real;
}

bool mt_metal_there(void) {
  if (mt_metal_real(MT_METAL_CREATE)) return true;
  dlerror(); // nobody else's business
  return false;
}

void *mt_metal_symbol(const char *name) {
  static void *library;
  void *metal = mt_metal_real(MT_METAL_CREATE);
  if (!metal) metal = mt_metal_real(MT_METAL_COPY);
  if (!metal) metal = mt_metal_real(MT_METAL_BUILD_REQUEST); // in a worker that only compiles
  Dl_info info;
  if (!library && metal && dladdr(metal, &info)) library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *found = library ? mt_dlsym_next()(library, name) : NULL;
  return found ? found : mt_dlsym_next()(RTLD_DEFAULT, name);
}
