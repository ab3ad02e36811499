// What Apple's header has otherwise. Rule, of xnu's bsd/kern/kern_sig.c: there are 31 signals; SIGKILL and SIGSTOP have no action, not even one
// to ask for.
#include_next <signal.h>
#ifndef FAKE_SIGNAL_H
#define FAKE_SIGNAL_H
#undef NSIG
#define NSIG 32
#define sigaction(signal, new, old) mac_sigaction(signal, new, old)
int mac_sigaction(int signal, const struct sigaction *new, struct sigaction *old);
#endif
