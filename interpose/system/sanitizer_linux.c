// Makes programs built with AddressSanitizer run under the tracer. The sanitizer's runtime ends a program unless it
// is the first library, but a preloaded library comes before it. It reads its default options from this function; a
// program that defines the function itself overrides this one. Switching the check off is safe: it only guards
// against libraries that call the runtime before it is ready, and this library does not depend on it.

__attribute__((visibility("default"), no_sanitize_address))
const char *__asan_default_options(void) {
  return "verify_asan_link_order=0";
}
