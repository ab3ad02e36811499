// What the programs of TestLinking do with Metal, by whatever functions they have found: three command buffers, whose
// end is printed. Written without stdio's buffer: the one of a C library in a namespace of its own is not flushed at
// exit.
#include <stdint.h>
#include <stdio.h>

struct metal {
  void *(*create)(void);
  void *(*send)(void *, void *);
  void *(*selector)(const char *);
};

static int use_metal(const struct metal *metal) {
  void *device = metal->create();
  if (!device) {
    dprintf(1, "no device\n");
    return 1;
  }
  void *queue = metal->send(device, metal->selector("newCommandQueue"));
  for (int i = 0; i < 3; i++) {
    void *buffer = metal->send(queue, metal->selector("commandBuffer"));
    metal->send(buffer, metal->selector("commit"));
    metal->send(buffer, metal->selector("waitUntilCompleted"));
    dprintf(1, "status %d\n", (int)(intptr_t)metal->send(buffer, metal->selector("status")));
  }
  return 0;
}
