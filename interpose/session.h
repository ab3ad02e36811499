// The connection to the collector. Rule: nothing here may disturb the program: no SIGPIPE, no long wait on a thread of the
// program, no descriptor it can see, no write to a descriptor that has become the program's.
#ifndef MTRACE_SESSION_H
#define MTRACE_SESSION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Connects to the collector's socket and says hello. False, quietly, when nobody answers.
bool mt_session_open(const char *path);

// The same once more, after the descriptor was closed by the program or left behind by a fork.
bool mt_session_reopen(void);

// Is the descriptor still the socket that was opened?
bool mt_session_alive(void);

// Was the collector found gone?
bool mt_session_gone(void);

// Sends the Rings frame with the region's descriptor. On a thread of the program.
bool mt_session_send_region(int fd);

// Sends facts that belong to no ring. On a thread of the program: not for longer than it may wait.
void mt_session_facts(const void *facts, size_t length);

// Sends one line for the user, when there is no ring to put it into.
void mt_session_warn(const char *text);

// Sends a frame whose payload is two pieces. Blocks while the collector is slow: for the drainer only.
bool mt_session_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b, size_t b_length);

// Closes our copy of the socket, in the child of a fork: or the collector would see this process's end only when the child ends.
void mt_session_forget(void);
#endif
