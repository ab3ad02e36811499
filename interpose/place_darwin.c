// macOS: dladdr, for which dyld takes a lock that it does not keep while constructors run (dyld 4, APIs::dlopen_from).
#include <dlfcn.h>
#include "place.h"

bool mt_place_of(const void *address, struct mt_place *place) {
  Dl_info info;
  if (!dladdr(address, &info)) return false;
  *place = (struct mt_place){info.dli_sname, info.dli_fname};
  return true;
}
