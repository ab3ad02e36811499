// macOS: see hook/interpose_darwin.c for how the function comes to be ours. The macros of os/signpost.h call it where
// the log is enabled for signposts: a signpost that is switched off is not seen, and none is switched on. The original
// is a tail jump, because os_log takes the image that a signpost is from out of its return address. It goes through a
// pointer that the compiler knows nothing of: on arm64 compilers jump to no function that may be missing.
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
