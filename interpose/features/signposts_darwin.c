// macOS: see hook/interpose_darwin.c for how the function comes to be ours. It is what the macros of os/signpost.h come to where the log wants
// signposts, so one that is switched off is not seen, and none is switched on.
#include "features/signposts.h"

extern void _os_signpost_emit_with_name_impl(void *image, void *log, uint8_t type, uint64_t id, const char *name, const char *format, uint8_t *arguments, uint32_t size)
    __attribute__((weak_import));

static void emit_signpost(void *image, void *log, uint8_t type, uint64_t id, const char *name, const char *format, uint8_t *arguments, uint32_t size) {
  mt_signpost(image, log, type, id, name, format, arguments, size);
  _os_signpost_emit_with_name_impl(image, log, type, id, name, format, arguments, size);
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
  const void *replacement, *original;
} signpost_pair[] = {{(const void *)emit_signpost, (const void *)_os_signpost_emit_with_name_impl}};
