// The connection to the collector, and what is known of it. Rule: nothing here may disturb the program: no SIGPIPE, no
// long wait on a thread of the program, no descriptor it can see, no write to a descriptor that has become the
// program's.
#ifndef MTRACE_SESSION_H
#define MTRACE_SESSION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Connects to the collector's socket and says hello. False, quietly, when nobody is there. True also when somebody is
// who cannot be reached now: it is tried again at the first Metal call. token is what MT_TOKEN_VARIABLE says, or NULL.
bool mt_session_open(const char *path, const char *token);

// Connects once more, after the descriptor was closed by the program, left behind by a fork or ended by the collector.
// False when that cannot be done.
bool mt_session_reopen(void);

// Is the descriptor still the socket that was opened?
bool mt_session_alive(void);

// Is there evidence that nobody reads the rings any more? The collector closed the connection, or ended: not that it is
// slow. Some system calls.
bool mt_session_over(void);

// Sends the Rings frame with the region's descriptor. On a thread of the program.
bool mt_session_send_region(int fd);

// Sends facts that belong to no ring. On a thread of the program: not for longer than it may wait.
bool mt_session_facts(const void *facts, size_t length);

// Sends one line for the user, when there is no ring to put it into. Key is the fact's: what the line says, or 0.
enum { MT_LONGEST_WARNING = 256 };
bool mt_session_warn(unsigned key, const char *text);

// The same, of what must not go unsaid. Where there is no connection, and perhaps no descriptor left, the line is left
// beside the collector's socket, as the text of a symbolic link, which takes one system call and is there whole or not
// at all; where that cannot be done either, this process notes its number on the page of the process that it was forked
// from (children.h).
void mt_session_warn_surely(unsigned key, const char *text);

// Sends a frame whose payload is two pieces. Blocks while the collector is slow: for the drainer only.
bool mt_session_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length);

// Closes our copy of the socket, in the child of a fork: or the collector would see this process's end only when the
// child ends.
void mt_session_forget(void);
#endif
