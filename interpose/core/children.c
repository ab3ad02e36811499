// See children.h; collector/wire/children.go has the layout.
#include "core/children.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/shareable.h"
#include "wire.h"

static struct page {
  _Atomic uint32_t used;
  _Atomic uint32_t numbers[MT_CHILDREN_MOST];
} *page;
_Static_assert(sizeof(struct page) == MT_CHILDREN_SIZE, "page of children");

int mt_children_page(void) {
  if (page) return -1;
  int fd = mt_shareable_make(sizeof *page);
  if (fd < 0) return -1;
  void *memory = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory != MAP_FAILED) {
    page = memory;
    return fd;
  }
  close(fd);
  return -1;
}

void mt_children_note(uint32_t how) {
  if (!page) return;
  uint32_t slot = atomic_fetch_add_explicit(&page->used, 1, memory_order_relaxed);
  if (slot < MT_CHILDREN_MOST) atomic_store_explicit(&page->numbers[slot], (uint32_t)getpid() | how,
      memory_order_relaxed);
}
