// The floor features: what else is recorded of some calls. On macOS. One piece of C, because cgo compiles only this
// folder; see docs/architecture.md.
#include "features/signposts_darwin.c"
