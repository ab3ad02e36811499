// Linux: exports a function with the name of the one that emits signposts. The dynamic linker finds this library's
// function first, because the library is preloaded. It records the signpost and then calls the original, if any.
#include "features/signposts.h"
#include <stdatomic.h>
#include "system/lookup.h"

#define EXPORT __attribute__((visibility("default")))

static mt_signpost_emit find(const void *caller) {
  static const char name[] = "_os_signpost_emit_with_name_impl";
  void *found = mt_symbol_behind(name, caller);
  return (mt_signpost_emit)(found ? found : mt_symbol_anywhere(name));
}

EXPORT void _os_signpost_emit_with_name_impl(void *image, void *log, uint8_t type, uint64_t id, const char *name,
    const char *format, uint8_t *arguments, uint32_t size) {
  static _Atomic(mt_signpost_emit) real;
  mt_signpost_emit next = atomic_load_explicit(&real, memory_order_relaxed);
  if (!next && (next = find(__builtin_return_address(0)))) atomic_store_explicit(&real, next, memory_order_relaxed);
  mt_signpost(image, log, type, id, name, format, arguments, size);
  if (next) next(image, log, type, id, name, format, arguments, size);
}
