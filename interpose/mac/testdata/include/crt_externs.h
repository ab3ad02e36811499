// What the files for macOS use of Apple's header of that name. Rule: pointers to the variables that hold the arguments.
#ifndef FAKE_CRT_EXTERNS_H
#define FAKE_CRT_EXTERNS_H
char ***_NSGetArgv(void);
int *_NSGetArgc(void);
#endif
