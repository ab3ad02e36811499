// macOS: dyld calls this function instead of os_log's (hook/interpose_darwin.c explains how). The macros of
// os/signpost.h call it only if the log is enabled; disabled signposts are not recorded, and the tracer enables none.
// This function ends with a tail jump to the original, because os_log finds a signpost's image by its return address.
// The assembler statement hides from the compiler where the pointer comes from: on arm64 compilers emit no tail jump
// to a function that may be missing.
#include "features/signposts.h"
#include "system/tail.h"

extern void _os_signpost_emit_with_name_impl(void *image, void *log, uint8_t type, uint64_t id, const char *name,
                                             const char *format, uint8_t *arguments, uint32_t size)
    __attribute__((weak_import));

static void emit_signpost(void *image, void *log, uint8_t type, uint64_t id, const char *name, const char *format,
                          uint8_t *arguments, uint32_t size) {
  mt_signpost(image, log, type, id, name, format, arguments, size);
  mt_signpost_emit original = (mt_signpost_emit)_os_signpost_emit_with_name_impl;
  __asm__("" : "+r"(original));
  MT_TAIL return original(image, log, type, id, name, format, arguments, size);
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} signpost_pair[] = {{(const void *)emit_signpost, (const void *)_os_signpost_emit_with_name_impl}};
