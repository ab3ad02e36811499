// The part of the Objective-C runtime that the library uses, declared by hand: one source works with Apple's runtime
// and with GCC's, without the headers of either. Rule: an ordinary Metal call uses only objc_class_of, because the
// other functions are too slow.
//
// On macOS the functions are linked. On Linux they are looked up, at the first Metal call, in the runtime that the
// Metal library has loaded: linking libobjc would load it into every shell and compiler that the traced program
// starts.
#ifndef MTRACE_OBJC_H
#define MTRACE_OBJC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "system/blocks.h"

typedef struct objc_class *Class;
typedef struct objc_object *id;
typedef const struct objc_selector *SEL;
typedef struct objc_method *Method;
typedef void (*IMP)(void);

// BOOL as each runtime's headers define it. The caller of a hooked method reads exactly this type from the return
// register, so a different width would return garbage.
#if defined(__APPLE__) && defined(__aarch64__)
typedef bool BOOL;
#elif defined(__APPLE__)
typedef signed char BOOL;
#else
typedef unsigned char BOOL;
#endif

typedef unsigned long NSUInteger;
typedef struct { NSUInteger location, length; } NSRange;
typedef struct { NSUInteger width, height, depth; } MTLSize; // and MTLOrigin, whose members are x, y, z
typedef struct { MTLSize origin, size; } MTLRegion;

#define OBJC_FUNCTIONS(X) \
  X(const char *, class_getName, (Class class)) \
  X(Class, class_getSuperclass, (Class class)) \
  X(Class, objc_lookUpClass, (const char *name)) \
  X(IMP, class_getMethodImplementation, (Class class, SEL selector)) \
  X(const char *, method_getTypeEncoding, (Method method)) \
  X(IMP, method_getImplementation, (Method method))

#ifdef __APPLE__
#define X(type, name, parameters) extern type name parameters;
OBJC_FUNCTIONS(X)
#undef X
extern SEL sel_registerName(const char *name);
extern Class object_getClass(id object);
static inline Class objc_class_of(id object) { return object_getClass(object); }
#else
#define GCC_FUNCTIONS(X) \
  OBJC_FUNCTIONS(X) \
  X(SEL, sel_get_any_uid, (const char *name)) \
  X(BOOL, class_respondsToSelector, (Class class, SEL selector)) \
  X(BOOL, class_addMethod, (Class class, SEL selector, IMP implementation, const char *types))
struct mt_objc {
#define X(type, name, parameters) type (*name) parameters;
  GCC_FUNCTIONS(X)
#undef X
};
extern struct mt_objc mt_objc;
#define sel_get_any_uid mt_objc.sel_get_any_uid
#define class_getName mt_objc.class_getName
#define class_getSuperclass mt_objc.class_getSuperclass
#define objc_lookUpClass mt_objc.objc_lookUpClass
#define class_respondsToSelector mt_objc.class_respondsToSelector
#define class_getMethodImplementation mt_objc.class_getMethodImplementation
#define class_addMethod mt_objc.class_addMethod
#define method_getTypeEncoding mt_objc.method_getTypeEncoding
#define method_getImplementation mt_objc.method_getImplementation
// Returns an object's class, which is its first word in GCC's runtime; NULL for NULL. GCC's object_getClass is an
// inline function in a header that is not included here.
static inline Class objc_class_of(id object) { return object ? *(Class *)object : NULL; }
#endif

// Looks up the functions of the Objective-C runtime that are not linked: the required ones above on Linux, and the
// optional ones for pools and blocks. Returns false if the process has no Objective-C runtime.
bool mt_objc_resolve(void);

// Returns the selector with a name, or NULL if no method has it. name must be a string constant, because the result
// is cached by its address. It never registers a selector: GCC's runtime would then grow the tables of all classes
// while other threads read them.
SEL mt_selector(const char *name);

// Returns the object's implementation of a selector, or NULL if it does not respond; never a forwarding stub. After
// the first time for a class it takes no lock.
IMP mt_implementation(id object, const char *selector);

// Sends a message without arguments and returns the resulting object; NULL if object is NULL or does not respond.
id mt_send_id(id object, const char *selector);

// Sends a message without arguments and returns the resulting integer; 0 if object is NULL or does not respond.
uint64_t mt_send_integer(id object, const char *selector);

// Open and close an autorelease pool around messages of the tracer, so that the objects they create are freed at
// once, even on a thread that has no pool. mt_pool_push returns NULL when there are no pools; mt_pool_pop accepts
// NULL.
void *mt_pool_push(void);
void mt_pool_pop(void *pool);
#endif
