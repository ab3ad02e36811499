// AddressSanitizer's runtime ends a program whose first library is not the runtime, and the tracer's library is the
// first one. The runtime asks for its default options by this function, which the program may define; where it does
// not, this library does. The check only guards against libraries that call the runtime before it is ready, and this
// one works with it either way.

__attribute__((visibility("default"), no_sanitize_address))
const char *__asan_default_options(void) {
  return "verify_asan_link_order=0";
}
