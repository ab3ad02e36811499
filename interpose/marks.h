// Functions that a traced C program may call to name moments and scopes. They record something only once the program
// uses Metal. Without the tracer they are NULL, because they are declared weak; the macros below test for NULL before
// they call. A program that includes this header needs no library and works traced and untraced (on macOS link with
// -Wl,-undefined,dynamic_lookup).
#ifndef MTRACE_MARKS_H
#define MTRACE_MARKS_H
#ifdef __cplusplus
extern "C" {
#endif

// Records a named moment on the calling thread. name is UTF-8 and cut at 4096 bytes; NULL is an empty name.
__attribute__((weak)) void mtrace_mark(const char *name);

// mtrace_scope_begin begins a named scope on the calling thread; mtrace_scope_end ends the innermost open scope.
// Scopes nest at most 64 deep. An end without an open scope does nothing.
__attribute__((weak)) void mtrace_scope_begin(const char *name);
__attribute__((weak)) void mtrace_scope_end(void);

#define MTRACE_MARK(name) (mtrace_mark ? mtrace_mark(name) : (void)0)
#define MTRACE_SCOPE_BEGIN(name) (mtrace_scope_begin ? mtrace_scope_begin(name) : (void)0)
#define MTRACE_SCOPE_END() (mtrace_scope_end ? mtrace_scope_end() : (void)0)

#ifdef __cplusplus
}
#endif
#endif
