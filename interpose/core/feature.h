// A feature, as the lower floors see it: a row of functions that they call at certain events. Any of the functions may
// be NULL.
//
// Rule: no code below the features floor names a feature. The table of all features is in top/features.c, fixed at
// build time; its order is the order of the calls. None of these functions is on the path of a call; the most frequent
// event is a command buffer's completion.
#ifndef MTRACE_FEATURE_H
#define MTRACE_FEATURE_H
#include <stdint.h>

struct thread;
struct mt_completed;
struct objc_class;
struct objc_object;

struct mt_feature {
  // Events of the process. load: the library is loaded and a collector is named; the feature reads its options from the
  // environment.
  void (*load)(void);
  void (*connected)(void);      // the collector answered; no Metal call yet
  // the first Metal call; returns NULL, or one line for the user with the reason why nothing can be recorded
  const char *(*prepare)(void);
  void (*begin)(void);          // the rings exist and nothing is recorded yet

  // Events of a thread. thread_opening: the thread has taken a ring; the feature's data for that ring still belongs to
  // the previous thread.
  void (*thread_opening)(struct thread *t);
  void (*thread_opened)(struct thread *t);  // its first record is written
  void (*thread_left)(struct thread *t);    // the thread's last chance to record

  // Forks of the process.
  void (*fork_begins)(void);
  void (*fork_over)(void);      // in both processes
  // in the child of a process that had not used Metal: the child is traced as a process of its own
  void (*fork_starts_over)(void);

  // Events of Metal's objects. class_seen comes before the class's methods are hooked; classes.h explains slot
  void (*class_seen)(unsigned slot, struct objc_class *class, unsigned family);
  // called occasionally: a framework may have been loaded since the last call
  void (*look)(struct thread *t);
  void (*completed)(struct thread *t, const struct mt_completed *completed);    // a command buffer; see completion.h
};

extern const struct mt_feature mt_features[];
extern const unsigned mt_feature_count;

// Calls a function of each feature that has it.
#define MT_FEATURES(function, ...) \
  for (const struct mt_feature *feature = mt_features; feature < mt_features + mt_feature_count; feature++) \
    if (feature->function) feature->function(__VA_ARGS__)
#endif
