// The interface between a feature and the rest of the library. A feature records something besides the calls, such as
// memory or GPU clocks. It is a row of functions that are called at certain events; a function may be NULL.
//
// Rule: no code outside features/ and top/ names a feature. top/features.c has the table of all features, and each
// event calls them in the table's order. No function here runs during an ordinary call; the most frequent event is
// the completion of a command buffer.
#ifndef MTRACE_FEATURE_H
#define MTRACE_FEATURE_H
#include <stdint.h>

struct thread;
struct mt_completed;
struct objc_class;
struct objc_object;

struct mt_feature {
  // Events of the process. load: the library is loaded and the environment names a collector's socket; the feature
  // reads its options from the environment.
  void (*load)(void);
  void (*connected)(void);      // the collector answered; no Metal call yet
  // the process makes its first Metal call. Returns NULL, or one line for the user that says why nothing can be
  // recorded; the process then runs untraced
  const char *(*prepare)(void);
  void (*begin)(void);          // the rings exist and nothing is recorded yet

  // Events of a thread. thread_opening: the thread has taken a ring (a buffer for its records) that an earlier thread
  // may have used. The feature's data for that ring still describes the earlier thread. Reset it here, otherwise one
  // thread's data is reported for another.
  void (*thread_opening)(struct thread *t);
  void (*thread_opened)(struct thread *t);  // the thread's first record is written
  void (*thread_left)(struct thread *t);    // the thread's last chance to record

  // Forks of the process.
  void (*fork_begins)(void);
  void (*fork_over)(void);      // called in the parent and in the child
  // the process is the child of a fork, and its parent had not used Metal: the child is traced as a process of its
  // own
  void (*fork_starts_over)(void);

  // Events of Metal's objects. class_seen: a class of Metal appears for the first time and its methods are not hooked
  // yet. slot is the class's index in the table of classes.h.
  void (*class_seen)(unsigned slot, struct objc_class *class, unsigned family);
  // called occasionally: the feature checks whether the framework that it needs was loaded meanwhile. The system does
  // not report every loaded library
  void (*look)(struct thread *t);
  void (*completed)(struct thread *t, const struct mt_completed *completed);    // a command buffer completed
};

extern const struct mt_feature mt_features[];
extern const unsigned mt_feature_count;

// Calls the function with this name in each feature that has one.
#define MT_FEATURES(function, ...) \
  for (const struct mt_feature *feature = mt_features; feature < mt_features + mt_feature_count; feature++) \
    if (feature->function) feature->function(__VA_ARGS__)
#endif
