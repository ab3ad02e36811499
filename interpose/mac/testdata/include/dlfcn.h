// What Apple's header has otherwise. Rule, of dyld's common/MachOLoaded.cpp: dladdr says of an address in an image the nearest symbol before it,
// however far away, and fails for any other.
#include_next <dlfcn.h>
#ifndef FAKE_DLFCN_H
#define FAKE_DLFCN_H
#define dladdr(address, info) mac_dladdr(address, info)
int mac_dladdr(const void *address, Dl_info *info);
#endif
