// A plugin, or with -DPROGRAM a program, that calls Metal by its name.
#include "linking.h"

extern void *MTLCreateSystemDefaultDevice(void);
extern void *objc_msgSend(void *object, void *selector);
extern void *sel_registerName(const char *name);

int plugin_run(void) {
  const struct metal metal = {MTLCreateSystemDefaultDevice, objc_msgSend, sel_registerName};
  return use_metal(&metal);
}

#ifdef PROGRAM
int main(void) { return plugin_run(); }
#endif
