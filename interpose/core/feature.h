// What a feature is to the floors below it: a row of functions that they call when something happens. Any may be NULL.
//
// Rule: nothing below the features names one of them. The table of all is made at the top (top/features.c), when the
// library is built, and its order is the order in which they are called. Nothing here is on the path of a call; a
// command buffer's completion is the most frequent.
#ifndef MTRACE_FEATURE_H
#define MTRACE_FEATURE_H
#include <stdint.h>

struct thread;
struct mt_completed;
struct objc_class;
struct objc_object;

struct mt_feature {
  // The process' life.
  // the library is loaded and a collector is named: what was requested is read from the environment
  void (*load)(void);
  void (*connected)(void);      // the collector answered; no Metal call yet
  const char *(*prepare)(void); // the first Metal call: NULL, or why nothing can be recorded, as one line for the user
  void (*begin)(void);          // the rings are there, and nothing is recorded yet

  // A thread's.
  // it has taken a ring: what the feature keeps for the ring's threads is another's
  void (*thread_opening)(struct thread *t);
  void (*thread_opened)(struct thread *t);  // its first record is written
  void (*thread_left)(struct thread *t);    // its last chance to record

  // Forks of the process.
  void (*fork_begins)(void);
  void (*fork_over)(void);      // in both processes
  // in a child of a process that had not used Metal: it is traced as a process of its own
  void (*fork_starts_over)(void);

  // Metal's objects.
  // before its methods are hooked; slot: see classes.h
  void (*class_seen)(unsigned slot, struct objc_class *class, unsigned family);
  // now and then: a framework may have been loaded
  void (*look)(struct thread *t);
  void (*completed)(struct thread *t, const struct mt_completed *completed);    // a command buffer; see completion.h
};

extern const struct mt_feature mt_features[];
extern const unsigned mt_feature_count;

// Calls a function of all features that have it.
#define MT_FEATURES(function, ...) \
  for (const struct mt_feature *feature = mt_features; feature < mt_features + mt_feature_count; feature++) \
    if (feature->function) feature->function(__VA_ARGS__)
#endif
