// Signposts of the program, os_signpost.h: an event is a mark, an interval a scope. Those of Apple's own libraries are
// left out.
#ifndef MTRACE_SIGNPOSTS_H
#define MTRACE_SIGNPOSTS_H
#include <stdint.h>

struct thread;

// What _os_signpost_emit_with_name_impl is called with.
typedef void (*mt_signpost_emit)(void *image, void *log, uint8_t type, uint64_t id, const char *name,
    const char *format, uint8_t *arguments, uint32_t size);

// Records what the calling thread says. Image is the address of the header of the code that says it. Keeps errno.
void mt_signpost(const void *image, const void *log, uint8_t type, uint64_t id, const char *name, const char *format,
    const uint8_t *arguments, uint32_t size);

#endif
