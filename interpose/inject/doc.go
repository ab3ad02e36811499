// Package inject decides how the tracing library gets into a program and whether it can get there at all.
//
// Prepare resolves a command as execvp(3) would, and follows it through scripts, env(1), shims, bundles and
// re-executing stubs to the image that finally runs. It judges that image by the properties that the dynamic linker and
// the kernel check: file type, processor, code signature, entitlements, set-id bits, protection flags. The result is a
// Plan.
//
// The package only reads files: it runs no program, opens no socket and changes nothing. Therefore all of it, the macOS
// rules included, works and is tested on any system.
package inject
