// AddressSanitizer's runtime ends a program unless the runtime is its first library, and the tracer's library comes
// first. The runtime gets its default options from this function, which the program may define; otherwise this
// library's definition switches the check off. The check only guards against libraries that call the runtime before it
// is ready; this library works with it either way.

__attribute__((visibility("default"), no_sanitize_address))
const char *__asan_default_options(void) {
  return "verify_asan_link_order=0";
}
