// Makes programs built with AddressSanitizer run under the tracer. The sanitizer's runtime ends a program if another
// library is loaded before it, as a preloaded library is. It reads its default options from the function below, which
// switches that check off; if the program defines the function itself, the program's version is used. Switching the
// check off is safe: it only guards against libraries that call the runtime before it is ready, and this library does
// not depend on it.

__attribute__((visibility("default"), no_sanitize_address))
const char *__asan_default_options(void) {
  return "verify_asan_link_order=0";
}
