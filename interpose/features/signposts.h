// Records the program's signposts (os/signpost.h): an event as a mark, an interval as a scope. Signposts of Apple's
// own libraries are left out.
#ifndef MTRACE_SIGNPOSTS_H
#define MTRACE_SIGNPOSTS_H
#include <stdint.h>

struct thread;

// The arguments of _os_signpost_emit_with_name_impl.
typedef void (*mt_signpost_emit)(void *image, void *log, uint8_t type, uint64_t id, const char *name,
    const char *format, uint8_t *arguments, uint32_t size);

// Records one signpost of the calling thread. image is the address of the Mach-O header of the code that emits it.
// Keeps errno.
void mt_signpost(const void *image, const void *log, uint8_t type, uint64_t id, const char *name, const char *format,
    const uint8_t *arguments, uint32_t size);

#endif
