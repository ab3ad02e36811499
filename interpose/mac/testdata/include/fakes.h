// What the programs of the tests ask of the fakes: to have something happen, and what was asked of them.
#ifndef FAKES_H
#define FAKES_H
#include <dlfcn.h>
#include <mach-o/loader.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// dyld: an image comes. Symbols are sorted by their place and ended by one without a name. The text of a fake image may be data.
struct mac_symbol {
  const char *name;
  const void *at;
};
struct mac_image {
  const struct mach_header_64 *header;
  uint64_t size;
  const char *path;
  const struct mac_symbol *symbols; // or NULL
};
void mac_image_load(const struct mac_image *image);

// dyld: the shared cache is what a program puts into this section.
#define MAC_IN_SHARED_CACHE __attribute__((noinline, section("mac_cache")))

// dyld: the image that the library's own code is in, from now on.
void mac_image_of_library(const struct mach_header_64 *header);

// The pairs of all tables, and the replacement of a function, or the function itself. With MAC_REFUSE_INTERPOSING set the process may have libraries
// inserted and nothing interposed: dyld then ignores the tables.
unsigned mac_pairs(void);
const void *mac_replacement(const void *original);

// The function of the system's that a name stands for before dyld interposes; NULL when it is none of those that are interposed.
const void *mac_original(const char *name);

// Mach: rights to ports and pages of memory that were given and not given back.
struct mac_mach {
  _Atomic int ports, pages;
  bool refuse;               // task_threads fails
  bool refuse_host;          // and host_statistics
  _Atomic uint64_t vanished; // the thread that is gone when it is asked about
  _Atomic int refused_flavor; // what thread_info does not tell of any thread
};
extern struct mac_mach mac_mach;

// The frames that were sent to the collector, by kind: how many, and the payload of the last; its length is returned.
unsigned mac_sent_count(unsigned kind);
size_t mac_sent(unsigned kind, void *payload, size_t size);

// Go: how often its runtime was started. The slot that interpose/darwin/defergo.go fills has the start; with MAC_GO_AT_LOAD set the library was
// linked and not rebuilt, and it starts as that is loaded.
extern _Atomic int mac_go_started;

// The system's logging: how often it was told of a signpost.
extern _Atomic int mac_signposts;

// The Objective-C runtime: objects of some classes are counted. A made one, of the first class or of a given one, has one owner.
struct mac_objects {
  _Atomic long alive, autoreleased, without_pool; // without_pool: of those autoreleased, in a thread that has no pool
};
extern struct mac_objects mac_objects;

// And how often a class was looked up by its name. An image with classes is loaded: whoever asked for it is told.
extern _Atomic long mac_class_lookups;
void mac_load_classes(void);

void mac_count_objects_of(void *class);
void *mac_make_object(void);
void *mac_make_object_of(void *class);
long mac_count_of(void *object);
#endif
