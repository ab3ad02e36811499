// Which files of machine code are in the process's memory, and where: what turns an address into a function, later and
// elsewhere.
//
// Rule: the list is what the dynamic linker says while it keeps the images from going away, copied; and it is sent
// again only as it has changed. See collector/wire/image.go for the form.
#ifndef MTRACE_IMAGES_H
#define MTRACE_IMAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Begins to look. Before the first call of the next.
void mt_images_start(void);

// Gives the facts of images that were not given before: as many as fit, in memory that stays until the next call;
// *length is 0 when there are none. One caller at a time.
const void *mt_images_new(size_t *length);

// Appends the fact of an image at the end of a buffer of the given size and returns its new length; the old one when it
// does not fit.
size_t mt_image_put(char *buffer, size_t length, size_t size, uint64_t start, uint64_t bytes, const uint8_t *id,
    size_t id_length, const char *path);

// Around fork, in the thread that forks: keeps the list from being read, and with it locks of the dynamic linker from
// being held, while the child is made.
void mt_images_hold(void);
void mt_images_release(void);
#endif
