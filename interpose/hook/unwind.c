// Closes recorded calls that an exception leaves (unwind.h). Only the running unwinder knows which frame it is passing,
// and a process may contain several unwinders. Therefore the routine asks the unwinder that called it for the frame
// pointer; span.h finds the recorded call by that pointer.
#include "hook/unwind.h"
#include <dlfcn.h>
#include <errno.h>
#include "core/clock.h"
#include "core/thread.h"

enum { CLEANUP_PHASE = 2, CONTINUE_UNWIND = 8 }; // _UA_CLEANUP_PHASE, _URC_CONTINUE_UNWIND

#ifdef __aarch64__
enum { FRAME_POINTER = 29 }; // DWARF register numbers: x29 on AArch64
#else
enum { FRAME_POINTER = 6 }; // rbp in the System V ABI for x86-64
#endif

typedef uintptr_t (*get_register)(void *context, int number);

static get_register get_register_of(void *unwinder) {
  Dl_info info;
  void *library = dladdr(unwinder, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  get_register found = library ? (get_register)dlsym(library, "_Unwind_GetGR") : NULL;
  if (library) dlclose(library); // only drops the reference: the unwinder keeps running
  return found;
}

// Ends the outermost call of a family (a kind of objects, such as queues) on this thread and records it as failed.
static void left(struct thread *t, struct inside *inside) {
  struct record record = {inside->begin, mt_ticks(), 0, (uint32_t)inside->current, (uint16_t)(inside->current >> 32),
      MT_FLAG_FAILED};
  inside->frame = 0;
  mt_thread_publish(t, &record, 1);
  if (atomic_load_explicit(&t->ring->current, memory_order_relaxed) == inside->current) atomic_store_explicit(
      &t->ring->current, 0, memory_order_release);
}

int mt_unwind_personality(int version, int actions, uint64_t exception_class, void *exception, void *context) {
  (void)version, (void)exception_class, (void)exception;
  struct thread *t = mt_thread_get();
  if (!(actions & CLEANUP_PHASE) || (uintptr_t)t <= (uintptr_t)MT_THREAD_GONE) return CONTINUE_UNWIND;
  int saved = errno;
  get_register get = get_register_of(__builtin_return_address(0));
  for (unsigned family = 0; get && family < MT_FAMILY_COUNT; family++)
    if (t->inside[family].frame && t->inside[family].frame == get(context, FRAME_POINTER)) left(t, &t->inside[family]);
  errno = saved;
  return CONTINUE_UNWIND;
}
