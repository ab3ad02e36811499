// The files of machine code in the process's memory and their addresses, with which an address is later converted to a
// function.
//
// Rule: the list is copied from the dynamic linker while it keeps the images from being unloaded; only changes are
// sent. See collector/wire/image.go for the form.
#ifndef MTRACE_IMAGES_H
#define MTRACE_IMAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Starts to watch for images. Must precede the first call of mt_images_new.
void mt_images_start(void);

// Returns the facts of images that were not returned before, as many as fit, in memory that is valid until the next
// call; *length is 0 when there are none. One caller at a time.
const void *mt_images_new(size_t *length);

// Appends the fact of an image to a buffer of the given size. Returns the new length, or the old length if the fact
// does not fit.
size_t mt_image_put(char *buffer, size_t length, size_t size, uint64_t start, uint64_t bytes, const uint8_t *id,
    size_t id_length, const char *path);

// Called around fork, in the thread that forks: keeps the list from being read, so that no lock of the dynamic linker
// is held, while the child is created.
void mt_images_hold(void);
void mt_images_release(void);
#endif
