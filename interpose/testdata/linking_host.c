// linking_host HOW LIBRARY: opens a library in one of the ways that there are and runs its plugin_run; with "symbols"
// the library is Metal's own and the program asks it for each function.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "linking.h"

static int run(void *library) {
  int (*run)(void);
  *(void **)&run = dlsym(library, "plugin_run");
  return run ? run() : 3;
}

static int run_symbols(void *library) {
  struct metal metal;
  *(void **)&metal.create = dlsym(library, "MTLCreateSystemDefaultDevice");
  *(void **)&metal.send = dlsym(library, "objc_msgSend");
  *(void **)&metal.selector = dlsym(library, "sel_registerName");
  return metal.create && metal.send && metal.selector ? use_metal(&metal) : 3;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const char *how = argv[1];
  int flags = strstr(how, "lazy") ? RTLD_LAZY : RTLD_NOW;
  if (strstr(how, "global")) flags |= RTLD_GLOBAL;
  if (strstr(how, "deepbind")) flags |= RTLD_DEEPBIND;
  void *library = strstr(how, "namespace") ? dlmopen(LM_ID_NEWLM, argv[2], flags) : dlopen(argv[2], flags);
  if (!library) {
    dprintf(2, "%s\n", dlerror());
    return 2;
  }
  int result = strstr(how, "symbols") ? run_symbols(library) : run(library);
  if (!strstr(how, "again")) return result;
  if (dlclose(library) != 0 || !(library = dlopen(argv[2], flags))) return 2;
  return run(library);
}
