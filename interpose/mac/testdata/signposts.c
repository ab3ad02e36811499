// signposts_darwin.c: events are marks, intervals are scopes, whichever way they overlap and whoever ends them; Apple's own are left out, and
// the system is told of every one.
#include <string.h>
#include "check.h"
#include "fakes.h"
#include "features/signposts.h"

extern void _os_signpost_emit_with_name_impl(void *image, void *log, uint8_t type, uint64_t id, const char *name, const char *format, uint8_t *arguments, uint32_t size);

enum { EVENT, BEGINS, ENDS };
static int own_log, said;
static void say(uint8_t type, uint64_t id, const char *name, const char *text) {
  mt_signpost_emit emit = (mt_signpost_emit)mac_replacement((const void *)_os_signpost_emit_with_name_impl);
  uint8_t arguments[2 + 2 + 4 + 2 + sizeof text] = {2, 2, 0x00, 4, 1, 2, 3, 4, 0x22, sizeof text}; // an int, then a public string
  memcpy(arguments + 10, &text, sizeof text);
  emit((void *)say, &own_log, type, id, name, text ? "%d %{public}s" : "", arguments, text ? sizeof arguments : 0);
  CHECK(mac_signposts == ++said);
}

static uint64_t seen;
static const struct record *next_said(void) {
  struct thread *t = mt_thread();
  for (; seen < t->head; seen++) {
    const struct record *r = mt_ring_slot(t->ring, seen);
    if (r->call == MT_CALL_tracer_mark || r->call == MT_CALL_tracer_scope || r->call == MT_CALL_tracer_scope_begins || r->call == MT_CALL_tracer_signpost) return seen++, r;
  }
  return NULL;
}
static const struct record *is(unsigned call) {
  const struct record *r = next_said();
  if (!r || r->call != call) fprintf(stderr, "%u, not %u\n", r ? r->call : 0, call);
  CHECK(r && r->call == call && r->arg != 0 && r->begin <= r->end);
  return r;
}
static unsigned depth_of(const struct record *r) { return r->call == MT_CALL_tracer_scope ? (unsigned)mt_ring_slot(mt_thread()->ring, seen)->begin : r->object; }

static void *ends_there(void *with) {
  say(ENDS, 4, "elsewhere", NULL);
  say(ENDS, 4, "elsewhere", NULL); // it has ended
  CHECK(is(MT_CALL_tracer_signpost)->end > 0 && !next_said());
  seen = *(uint64_t *)with;
  return NULL;
}

int main(void) {
  say(EVENT, 1, "before Metal", NULL);
  CHECK(MTLCreateSystemDefaultDevice());
  say(EVENT, 1, "event", NULL), is(MT_CALL_tracer_mark);
  say(EVENT, 1, "event", "aten::add"), is(MT_CALL_tracer_mark);
  say(9, 1, "no such type", NULL), CHECK(!next_said());

  say(BEGINS, 1, "outer", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope_begins)) == 0);
  say(BEGINS, 2, "crossing", "aten::mm"), CHECK(depth_of(is(MT_CALL_tracer_scope_begins)) == 1);
  say(ENDS, 1, "outer", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope)) == 0);
  say(BEGINS, 3, "inner", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope_begins)) == 2); // deeper than what is open
  say(ENDS, 3, "inner", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope)) == 2);
  say(ENDS, 2, "crossing", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope)) == 1);
  say(ENDS, 2, "crossing", NULL), CHECK(!next_said()); // it is not open

  say(BEGINS, 4, "elsewhere", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope_begins)) == 0);
  uint64_t mine = seen;
  seen = 0;
  pthread_t other;
  CHECK(pthread_create(&other, NULL, ends_there, &mine) == 0 && pthread_join(other, NULL) == 0);
  say(BEGINS, 5, "next", NULL), CHECK(depth_of(is(MT_CALL_tracer_scope_begins)) == 0); // what ended elsewhere is not around it
  say(ENDS, 5, "next", NULL), is(MT_CALL_tracer_scope);

  for (uint64_t id = 100; id < 170; id++) say(BEGINS, id, "many", NULL); // more than are kept: the rest is counted as dropped
  for (uint64_t id = 100; id < 170; id++) say(ENDS, id, "many", NULL);
  int scopes = 0;
  for (const struct record *r; (r = next_said());) scopes += r->call == MT_CALL_tracer_scope;
  CHECK(scopes == 64 && atomic_load(&mt_thread()->ring->dropped) == 6);

  mac_image_load(&(struct mac_image){(const struct mach_header_64 *)&own_log, sizeof own_log, "/System/Library/Frameworks/Some.framework/Some", NULL});
  ((mt_signpost_emit)mac_replacement((const void *)_os_signpost_emit_with_name_impl))(&own_log, &own_log, EVENT, 1, "Apple's", "", NULL, 0);
  CHECK(mac_signposts == said + 1 && !next_said());
  puts("ok");
  return 0;
}
