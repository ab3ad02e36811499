// Linux: finds the Metal library. It is the library that defines the Metal functions that this library replaces.
#include "hook/metal.h"
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include "system/lookup.h"
#include "system/originals.h"

static bool is_driver(const char *path) { return path && strstr(path, "/libsoftmetal-driver.so") != NULL; }
static int is_driver_here(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  return is_driver(info->dlpi_name);
}

// Returns whether a driver is loaded in another linker namespace (dlmopen). Before glibc 2.35 other namespaces cannot
// be listed, and the answer is no.
static bool driver_in_other_namespace(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
  const struct r_debug *first = &_r_debug;
  __asm__("" : "+r"(first)); // the struct is declared as it was before later glibc versions extended it
  if (first->r_version < 2) return false;
  for (const struct r_debug_extended *n = ((const struct r_debug_extended *)first)->r_next; n; n = n->r_next)
    for (const struct link_map *library = n->base.r_map; library; library = library->l_next)
      if (is_driver(library->l_name)) return true;
#endif
  return false;
}

bool mt_driver_loaded(void) { return dl_iterate_phdr(is_driver_here, NULL) != 0 || driver_in_other_namespace(); }

static const char *const function_names[MT_METAL_FUNCTIONS] = {"MTLCreateSystemDefaultDevice", "MTLCopyAllDevices",
    "MTLCopyAllDevicesWithObserver",
                                                                 "MTLCodeGenServiceBuildRequest"};
static _Atomic(void *) real_functions[MT_METAL_FUNCTIONS];

void mt_metal_found(unsigned which, void *real) { atomic_store_explicit(&real_functions[which], real,
    memory_order_release); }

void *mt_metal_behind(unsigned which, const void *caller) {
  void *real = mt_symbol_behind(function_names[which], caller);
  // If only the calling library's own local scope has the function, the tracer cannot look it up: use a function of
  // any library in the process.
  if (!real && caller && !mt_in_program(caller)) real = mt_symbol_anywhere(function_names[which]);
  if (real) mt_metal_found(which, real);
  return real;
}

void *mt_metal_real(unsigned which, const void *caller) {
  void *real = mt_symbol_behind(function_names[which], caller);
  if (!real) dlerror(); // clear the error text: the program must not see it
  if (!real) real = atomic_load_explicit(&real_functions[which], memory_order_acquire);
  if (!real) real = mt_symbol_anywhere(function_names[which]);
  if (real) mt_metal_found(which, real);
  return real;
}

bool mt_metal_there(void) { return mt_metal_real(MT_METAL_CREATE, NULL) != NULL; }

void *mt_metal_symbol(const char *name) {
  static void *library;
  // a worker that only compiles has found only the last function, so any function that was found will do
  void *metal = NULL;
  for (unsigned i = 0; !library && !metal && i < MT_METAL_FUNCTIONS; i++) metal = mt_metal_real(i, NULL);
  Dl_info info;
  if (!library && metal && dladdr(metal, &info)) library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *found = library ? mt_dlsym_next()(library, name) : NULL;
  return found ? found : mt_dlsym_next()(RTLD_DEFAULT, name);
}
