// The connection to the collector and its state. Rule: nothing here may disturb the program: no SIGPIPE, no long wait
// on a thread of the program, no descriptor that the program can see, no write to a descriptor that now belongs to the
// program.
#ifndef MTRACE_SESSION_H
#define MTRACE_SESSION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Connects to the collector's socket and says hello. Returns false, without a message, if no process listens. Returns
// true also if the collector exists and cannot be reached now: the first Metal call tries again. token is the value of
// MT_TOKEN_VARIABLE, or NULL.
bool mt_session_open(const char *path, const char *token);

// Connects again after the program closed the descriptor, after a fork, or after the collector closed the connection.
// Returns false on failure.
bool mt_session_reopen(void);

// Is the descriptor still the socket that this library opened?
bool mt_session_alive(void);

// Is there evidence that no process reads the rings any more: did the collector close the connection, or end? A slow
// collector is no such evidence. Takes some system calls.
bool mt_session_over(void);

// Sends the Rings frame with the region's descriptor. For threads of the program.
bool mt_session_send_region(int fd);

// Sends facts that belong to no ring. For threads of the program: it waits only for a limited time.
bool mt_session_facts(const void *facts, size_t length);

// Sends one line for the user if there is no ring for it. key is the fact's key: the kind of the warning, or 0.
enum { MT_LONGEST_WARNING = 256 };
bool mt_session_warn(unsigned key, const char *text);

// Sends a warning like mt_session_warn, for warnings that must not get lost. If there is no connection, and perhaps no
// free descriptor, the line is stored next to the collector's socket as the text of a symbolic link: that takes one
// system call and is atomic. If that fails too, this process adds its id to the page of children of the process that it
// was forked from (children.h).
void mt_session_warn_surely(unsigned key, const char *text);

// Sends a frame with a payload of two pieces. Blocks while the collector is slow: for the drainer only.
bool mt_session_send(unsigned kind, unsigned ring, uint64_t position, const void *a, size_t a_length, const void *b,
    size_t b_length);

// Closes this process's copy of the socket in the child of a fork. Otherwise the collector would see the parent's end
// only when the child ends.
void mt_session_forget(void);
#endif
