// Builds the hello message. Rule: it is built in the constructor, before main, and allocates nothing from the
// program's heap. The program's own allocations then get the same addresses as without the tracer. If the program's
// arguments do not fit into the message, some are left out completely; none is cut.
#include "core/hello.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "wire.h"
#ifdef __APPLE__
#include <crt_externs.h>
#include <mach-o/dyld.h>
#endif

enum { LONGEST = 1 << 18 };

struct payload {
  char *bytes;
  size_t length;
};

// Appends "key=value" and its NUL, or nothing if the text does not fit.
static void add(struct payload *p, const char *key, const char *value) {
  size_t k = strlen(key), v = strlen(value);
  if (p->length + k + v + 2 > LONGEST) return;
  memcpy(p->bytes + p->length, key, k);
  p->bytes[p->length + k] = '=';
  memcpy(p->bytes + p->length + k + 1, value, v + 1);
  p->length += k + v + 2;
}

static void add_number(struct payload *p, const char *key, long long value) {
  char text[24];
  snprintf(text, sizeof text, "%lld", value);
  add(p, key, text);
}

#ifdef __APPLE__
void mt_hello_program(char *path, size_t size) {
  uint32_t length = (uint32_t)size;
  if (_NSGetExecutablePath(path, &length) != 0) path[0] = 0;
}

static void add_arguments(struct payload *p) {
  char **argv = *_NSGetArgv();
  for (int i = 0; i < *_NSGetArgc(); i++) add(p, "arg", argv[i]);
}
static const char os[] = "darwin";
#else
void mt_hello_program(char *path, size_t size) {
  ssize_t n = readlink("/proc/self/exe", path, size - 1);
  path[n > 0 ? n : 0] = 0;
}

// Appends the program's arguments. /proc/self/cmdline has them one after another, each ended by a NUL; they are read
// into the second half of the buffer, behind the payload.
static void add_arguments(struct payload *p) {
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char *args = p->bytes + LONGEST;
  size_t have = 0;
  ssize_t n;
  while (have < LONGEST - 1 && (n = read(fd, args + have, LONGEST - 1 - have)) > 0) have += (size_t)n;
  close(fd);
  args[have] = 0;
  for (size_t at = 0; at < have; at += strlen(args + at) + 1) add(p, "arg", args + at);
}
static const char os[] = "linux";
#endif

#ifdef __aarch64__
static const char arch[] = "arm64";
#else
static const char arch[] = "amd64";
#endif

char *mt_hello_make(size_t *length, bool children) {
  void *memory = mmap(NULL, 2 * LONGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  struct payload p = {memory, 0};
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char host[256] = "", program[4096];
  gethostname(host, sizeof host - 1);
  add_number(&p, "version", MT_WIRE_VERSION);
  if (children) add_number(&p, "children", 1);
  add_number(&p, "pid", getpid());
  add_number(&p, "ppid", getppid());
  add(&p, "host", host);
  add(&p, "os", os);
  add(&p, "arch", arch);
  add_number(&p, "started", now.tv_sec * 1000000000ll + now.tv_nsec);
  mt_hello_program(program, sizeof program);
  add(&p, "program", program);
  add_arguments(&p);
  *length = p.length;
  return p.bytes;
}

void mt_hello_free(char *payload) { munmap(payload, 2 * LONGEST); }
