// What Apple's header has of processes.
//
// Rule, of libproc's libproc.c: a process's name, cut to fit, and its length; 0 of one that is not there.
#ifndef FAKE_LIBPROC_H
#define FAKE_LIBPROC_H
#include <stdint.h>

int proc_name(int process, void *name, uint32_t size);
#endif
