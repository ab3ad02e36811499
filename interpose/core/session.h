// The connection to the collector and its state. Rule: nothing in this file may disturb the program: no SIGPIPE, no
// long wait on a thread of the program, no descriptor that the program can see, and no write to a descriptor number
// that the program has meanwhile reused.
#ifndef MTRACE_SESSION_H
#define MTRACE_SESSION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Connects to the collector's socket and says hello. Returns false, without a message, if no process listens. Also
// returns true if the collector exists but cannot be reached now; the first Metal call then tries again. token is the
// value of MT_TOKEN_VARIABLE, or NULL.
bool mt_session_open(const char *path, const char *token);

// Opens a new connection to the collector: after the program closed the descriptor, after a fork, or after the
// collector closed the connection. Returns false on failure.
bool mt_session_reopen(void);

// Returns whether the descriptor is still the socket that this library opened. The program may have closed it and
// opened its own file under the same number; writing there would corrupt the program's file.
bool mt_session_alive(void);

// Returns true if there is evidence that no process reads the rings (the threads' buffers of records in shared
// memory) any more: the collector has closed the connection, or has ended. Slowness of the collector is no evidence.
// Takes several system calls.
bool mt_session_over(void);

// Sends the Rings frame with the descriptor of the shared memory. A thread of the program may call it: it waits only
// for a limited time.
bool mt_session_send_region(int fd);

// Sends facts that belong to no ring (a buffer for records), encoded by mt_fact_put. A thread of the program may call
// it: it waits only for a limited time.
bool mt_session_facts(const void *facts, size_t length);

// Sends one line for the user when there is no ring (a buffer for records) to put it in. key is the kind of the
// warning, or 0.
enum { MT_LONGEST_WARNING = 256 };
bool mt_session_warn(unsigned key, const char *text);

// Sends a warning like mt_session_warn, but tries harder. If there is no connection, and perhaps no free descriptor,
// it stores the line next to the collector's socket, as the text of a symbolic link: that takes one system call and
// is atomic. If that fails too, it stores this process's id in the page of children (children.h), so that the
// collector at least reports an untraced process.
void mt_session_warn_surely(unsigned key, const char *text);

// Sends a frame whose payload consists of `a` followed by `b`. It blocks while the collector is slow, so only the
// drainer (the tracer's own thread) may call it.
bool mt_session_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length);

// Closes the child's copy of the socket after a fork. Otherwise the collector would notice the parent's end only when
// the child has ended, too.
void mt_session_forget(void);
#endif
