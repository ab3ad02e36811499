// Records calls of Metal's private compiler service (codegen.h). The block that receives the compilation's result
// belongs to the program and cannot always be copied, so it is passed on unchanged. Therefore the record does not say
// whether the compilation failed. In a process that only compiles, such as a worker of a pool, this call starts the
// recording.
//
// Format of a compilation request: the source's size as u64, the parameters' size as u64, the source, the parameters.
// Both texts are padded with zeros.
#include "hook/codegen.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "core/fact.h"
#include "core/process.h"
#include "core/text.h"
#include "hook/span.h"

enum { COMPILE = 13 };

// Returns the StringID (the hash that stands for a text in the trace) of the source's hash as a text, and stores the
// source's length. newLibraryWithSource records the same hash for the same source. Returns 0 if the request is not a
// compilation.
static uint64_t hash_of_request(struct thread *t, int32_t type, const char *request, size_t bytes, uint64_t *length) {
  uint64_t sizes[2];
  *length = 0;
  if (type != COMPILE || !request || bytes < sizeof sizes) return 0;
  memcpy(sizes, request, sizeof sizes);
  if (sizes[0] > bytes - sizeof sizes) return 0;
  int saved = errno;
  char text[17];
  *length = strnlen(request + sizeof sizes, sizes[0]);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)mt_fnv(MT_FNV_START, request + sizeof sizes, *length));
  errno = saved;
  return mt_text(t, text, 16);
}

void mt_codegen_build(mt_build_request original, void *service, void *unused, int32_t type, const void *request,
    size_t bytes, void *block) {
  struct span span;
  if (!mt_activate() || !SPAN_BY(mt_span_begin, &span, MT_FAMILY_function,
      MT_CALL_function_MTLCodeGenServiceBuildRequest, NULL)) {
    original(service, unused, type, request, bytes, block);
    return;
  }
  original(service, unused, type, request, bytes, block);
  uint64_t end = mt_ticks(), more[3] = {0};
  more[0] = hash_of_request(span.thread, type, request, bytes, &more[1]);
  mt_span_end_more(&span, end, MT_FAMILY_function, 0, 0, more);
}
