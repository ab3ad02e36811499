// Package inject decides how the tracing library gets into a program and
// whether it can get there at all.
//
// Prepare resolves a command as execvp(3) would, follows it through scripts,
// env(1), shims, bundles and re-executing stubs to the image that finally
// runs, and judges that image by what the dynamic linker and the kernel look
// at: file type, processor, code signature, entitlements, set-id bits,
// protection flags. The answer is a Plan.
//
// The package reads files and nothing else: it runs no program, opens no
// socket and changes nothing, so all of it, the macOS rules included, works
// and is tested on any system.
package inject
