// Captures GPU work into a document for Xcode (capture.h). capture_state only moves forward, from NOT_CAPTURED to
// CAPTURED. Only the thread that changes it from CAPTURING to CAPTURED stops the capture; otherwise the program's
// thread and the time limit's thread could both stop it.
#include "features/capture.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/text.h"
#include "core/thread.h"
#include "features/aside.h"
#include "system/own.h"

// MTLCaptureDestinationGPUTraceDocument
enum { MOST_NAME = 512, MOST_CAPTURE_PATH = 2048, TO_DOCUMENT = 2, USUAL_LIMIT_MS = 10000 };

enum { NOT_CAPTURED, BEGINNING, CAPTURING, CAPTURED };

static bool capture_wanted, of_scope; // written when the library is loaded
static char capture_name[MOST_NAME], capture_path[MOST_CAPTURE_PATH];
static long limit_ms = USUAL_LIMIT_MS;
static _Atomic(id) captured_device;
static _Atomic int capture_state;
static _Atomic(struct thread *) scope_thread; // whose scope is captured
static unsigned scope_depth;                  // number of open scopes on that thread; only that thread reads it

void mt_capture_start(void) {
  const char *asked = getenv("MTRACE_GPUTRACE"), *out = getenv("MTRACE_GPUTRACE_OUT"),
      *limit = getenv("MTRACE_GPUTRACE_LIMIT_MS");
  if (!asked || !out) return;
  of_scope = strncmp(asked, "scope:", 6) == 0;
  if (!of_scope && strncmp(asked, "mark:", 5) != 0) return;
  const char *name = strchr(asked, ':') + 1;
  if (strlen(name) >= sizeof capture_name) return;
  strcpy(capture_name, name);
  int length = snprintf(capture_path, sizeof capture_path, "%s-%ld.gputrace", out, (long)getpid());
  if (limit && atol(limit) > 0) limit_ms = atol(limit);
  capture_wanted = length > 0 && (size_t)length < sizeof capture_path;
}

void mt_capture_see(id device) {
  id none = NULL;
  if (capture_wanted && atomic_compare_exchange_strong(&captured_device, &none, device)) mt_send_id(device, "retain");
}

static void say(struct thread *t, const char *what, const char *why) {
  char text[MOST_NAME + MOST_CAPTURE_PATH + 600];
  int n = snprintf(text, sizeof text, "%s %s: %s", of_scope ? "Metal's capture of scope" : "Metal's capture from mark",
      capture_name, what);
  if (n > 0 && (size_t)n < sizeof text && why) n += snprintf(text + n, sizeof text - (size_t)n, "%s", why);
  mt_fact(t, MT_FACT_WARNING, 0, 0, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

// Sends a message with one argument and returns the resulting object; NULL if the receiver does not respond.
static id send_with(id object, const char *selector, const void *argument) {
  IMP found = mt_implementation(object, selector);
  return found ? ((id(*)(id, SEL, const void *))found)(object, mt_selector(selector), argument) : NULL;
}

static bool set(id object, const char *selector, id value) {
  IMP found = mt_implementation(object, selector);
  if (found) ((void (*)(id, SEL, id))found)(object, mt_selector(selector), value);
  return found;
}

static id manager(void) { return mt_send_id((id)objc_lookUpClass("MTLCaptureManager"), "sharedCaptureManager"); }

// Creates the descriptor of a new capture; returns NULL if this Metal does not support captures. The caller releases
// it.
static id what_to_capture(void) {
  id made = mt_send_id(mt_send_id((id)objc_lookUpClass("MTLCaptureDescriptor"), "alloc"), "init");
  id path = send_with((id)objc_lookUpClass("NSString"), "stringWithUTF8String:", capture_path),
      url = send_with((id)objc_lookUpClass("NSURL"), "fileURLWithPath:", path);
  IMP to = mt_implementation(made, "setDestination:");
  if (!made || !url || !to || !set(made, "setCaptureObject:", atomic_load(&captured_device)) ||
      !set(made, "setOutputURL:", url)) {
    mt_send_id(made, "release");
    return NULL;
  }
  ((void (*)(id, SEL, NSUInteger))to)(made, mt_selector("setDestination:"), TO_DOCUMENT);
  return made;
}

// Starts the capture. Returns NULL on success, otherwise the reason of the failure as a text. The text is valid only
// until the caller pops its autorelease pool.
static const char *start(void) {
  if (!atomic_load(&captured_device)) return "the program has created no queue yet";
  id with = what_to_capture();
  IMP begin = mt_implementation(manager(), "startCaptureWithDescriptor:error:");
  if (!with || !begin) return "this Metal has no MTLCaptureManager";
  id error = NULL;
  BOOL began = ((BOOL(*)(id, SEL, id, id *))begin)(manager(), mt_selector("startCaptureWithDescriptor:error:"), with,
      &error);
  mt_send_id(with, "release");
  if (began) return NULL;
  const char *why = (const char *)mt_send_integer(mt_send_id(error, "localizedDescription"), "UTF8String");
  return why ? why : "Metal does not say why";
}

static bool stop(void) {
  int going_on = CAPTURING;
  if (!atomic_compare_exchange_strong(&capture_state, &going_on, CAPTURED)) return false;
  void *pool = mt_pool_push();
  IMP end = mt_implementation(manager(), "stopCapture");
  if (end) ((void (*)(id, SEL))end)(manager(), mt_selector("stopCapture"));
  mt_pool_pop(pool);
  return true;
}

static void *stop_in_time(void *unused) {
  (void)unused;
  mt_thread_set(MT_THREAD_GONE); // none of this thread's calls are the program's
  struct timespec left = {limit_ms / 1000, limit_ms % 1000 * 1000000};
  while (mt_own_nanosleep(&left, &left) != 0) {}
  stop();
  return NULL;
}

// Starts the thread that stops the capture at its time limit. Returns false if the thread cannot start; the caller
// then ends the capture, because it would have no limit. The thread blocks all signals, so that the program's
// handlers never run on it.
static bool guarded(void) {
  sigset_t all, mine;
  sigfillset(&all);
  pthread_attr_t detached;
  pthread_t thread;
  if (pthread_attr_init(&detached) != 0) return false;
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &mine);
  bool made = pthread_create(&thread, &detached, stop_in_time, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &mine, NULL);
  pthread_attr_destroy(&detached);
  return made;
}

static bool begin_capture(struct thread *t) {
  int none = NOT_CAPTURED;
  // a process makes only one capture
  if (!atomic_compare_exchange_strong(&capture_state, &none, BEGINNING)) return false;
  struct mt_aside aside;
  mt_aside_begin(t, &aside);
  void *pool = mt_pool_push();
  const char *why = start();
  atomic_store(&capture_state, why ? CAPTURED : CAPTURING);
  if (!why && !guarded()) {
    stop();
    why = "the thread that ends the capture at its time limit could not be created";
  }
  if (why) say(t, "there is none: ", why);
  else say(t, "the captured times include the cost of capturing; open it with Xcode: ", capture_path);
  mt_pool_pop(pool);
  mt_aside_end(t, &aside);
  return !why;
}

static void end_capture(struct thread *t) {
  struct mt_aside aside;
  mt_aside_begin(t, &aside);
  if (!stop()) say(t, "the capture was ended by its time limit (--gputrace-limit), not by the program", NULL);
  mt_aside_end(t, &aside);
}

void mt_capture_mark(struct thread *t, const char *name) {
  if (!capture_wanted || of_scope || !name || strcmp(name, capture_name) != 0) return;
  int state = atomic_load(&capture_state);
  if (state == NOT_CAPTURED) begin_capture(t);
  else if (state == CAPTURING) end_capture(t);
}

void mt_capture_scope_begins(struct thread *t, const char *name) {
  if (!capture_wanted || !of_scope) return;
  if (t == atomic_load_explicit(&scope_thread, memory_order_relaxed)) {
    scope_depth++;
  } else if (name && strcmp(name, capture_name) == 0 && begin_capture(t)) {
    scope_depth = 1;
    atomic_store_explicit(&scope_thread, t, memory_order_relaxed);
  }
}

void mt_capture_scope_ends(struct thread *t) {
  if (!capture_wanted || t != atomic_load_explicit(&scope_thread, memory_order_relaxed) || --scope_depth > 0) return;
  atomic_store_explicit(&scope_thread, NULL, memory_order_relaxed);
  end_capture(t);
}
