// What Apple's header has otherwise. Rule, of dyld's common/MachOLoaded.cpp: dladdr says of an address in an image the nearest symbol before it,
// however far away, and fails for any other; dlsym of what dyld interposes is the replacement, for every image but the one with the table
// (dyld/Loader.cpp, JustInTimeLoader.cpp: interpose).
#include_next <dlfcn.h>
#ifndef FAKE_DLFCN_H
#define FAKE_DLFCN_H
#define dladdr(address, info) mac_dladdr(address, info)
int mac_dladdr(const void *address, Dl_info *info);
#define dlsym(library, name) mac_dlsym(library, name)
void *mac_dlsym(void *library, const char *name);
#endif
