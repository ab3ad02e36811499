// Functions that a program may call itself, in C. They exist when mtrace runs the program, and record once the program
// uses Metal. Without the tracer they are NULL, because they are declared weak here, and the macros below test for
// that. A program that includes this header and links with nothing therefore works traced and untraced (on macOS link
// with -Wl,-undefined,dynamic_lookup).
#ifndef MTRACE_MARKS_H
#define MTRACE_MARKS_H
#ifdef __cplusplus
extern "C" {
#endif

// Marks a moment on the calling thread. A name is UTF-8; NULL is an empty name; a name is cut at 4096 bytes.
__attribute__((weak)) void mtrace_mark(const char *name);

// Begins a scope on the calling thread, and ends the innermost one. Scopes nest, 64 deep; an end without a beginning
// does nothing.
__attribute__((weak)) void mtrace_scope_begin(const char *name);
__attribute__((weak)) void mtrace_scope_end(void);

#define MTRACE_MARK(name) (mtrace_mark ? mtrace_mark(name) : (void)0)
#define MTRACE_SCOPE_BEGIN(name) (mtrace_scope_begin ? mtrace_scope_begin(name) : (void)0)
#define MTRACE_SCOPE_END() (mtrace_scope_end ? mtrace_scope_end() : (void)0)

#ifdef __cplusplus
}
#endif
#endif
