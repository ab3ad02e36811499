// Linux: the function by its name, before that of the library that has it.
#include "features/signposts.h"
#include <stdatomic.h>
#include "system/originals.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void _os_signpost_emit_with_name_impl(void *image, void *log, uint8_t type, uint64_t id, const char *name, const char *format, uint8_t *arguments, uint32_t size) {
  static _Atomic(mt_signpost_emit) real;
  mt_signpost_emit next = atomic_load_explicit(&real, memory_order_relaxed);
  if (!next && (next = (mt_signpost_emit)mt_next_symbol("_os_signpost_emit_with_name_impl"))) atomic_store_explicit(&real, next, memory_order_relaxed);
  mt_signpost(image, log, type, id, name, format, arguments, size);
  if (next) next(image, log, type, id, name, format, arguments, size);
}
