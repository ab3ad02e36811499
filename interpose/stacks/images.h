// The files of machine code in the process's memory (program and libraries) and their addresses. The collector needs
// them to convert an address in a stack to a function.
//
// Rule: the list is copied from the dynamic linker while the linker keeps the images from being unloaded; only
// changes are sent. collector/wire/image.go defines the form.
#ifndef MTRACE_IMAGES_H
#define MTRACE_IMAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Starts to watch for images. Call it before the first call of mt_images_new.
void mt_images_start(void);

// Returns the encoded facts of images that were not returned before, as many as fit, and stores their length, 0 when
// there are none. The memory is valid until the next call. Only one thread may call it at a time.
const void *mt_images_new(size_t *length);

// Appends the fact of an image to buffer, which contains length bytes and has space for size bytes. Returns the new
// length, or the old length if the fact does not fit.
size_t mt_image_put(char *buffer, size_t length, size_t size, uint64_t start, uint64_t bytes, const uint8_t *id,
    size_t id_length, const char *path);

// The forking thread calls mt_images_hold before a fork and mt_images_release after it; in between no thread reads the
// list of images. Otherwise the child could inherit the dynamic linker's lock in locked state and wait for it for ever.
void mt_images_hold(void);
void mt_images_release(void);
#endif
