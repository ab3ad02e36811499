// See processes.h.
#include "waits/processes.h"
#include <errno.h>
#include <string.h>
#include "core/clock.h"
#include "core/text.h"
#include "core/thread.h"
#include "system/program.h"
#include "waits/locks.h"

void mt_process_wait_begin(struct mt_process_wait *w, unsigned call, pid_t process, const void *frame) {
  int saved = errno;
  w->call = call;
  w->program[0] = 0;
  if (process > 0) mt_program_of(process, w->program, sizeof w->program);
  w->begin = mt_wait_begin(call, (const void *)(intptr_t)process, 0, frame, false);
  errno = saved;
}

void mt_process_waited(const struct mt_process_wait *w, pid_t ended) {
  int saved = errno;
  uint64_t end = mt_ticks();
  mt_wait_hide();
  struct thread *t = mt_thread();
  if (t) {
    struct record records[2] = {
        {.begin = w->begin, .end = end, .arg = ended > 0 ? (uint64_t)ended : 0, .call = (uint16_t)w->call,
            .flags = (uint16_t)(MT_FLAG_HAS_MORE | (ended > 0 ? 0 : MT_FLAG_FAILED))},
        {.begin = mt_text(t, w->program, strlen(w->program)), .call = MT_CALL_tracer_more},
    };
    mt_thread_publish(t, records, 2);
  }
  errno = saved;
}
