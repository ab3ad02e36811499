// Package darwin builds macOS binaries where Apple's tools are absent: it joins Mach-O files into a universal file,
// signs them ad hoc, and verifies such signatures. cross.sh uses it, with zig as the C cross-compiler and the stubs in
// sdk, to build mtrace for macOS on any machine.
//
// The layouts are from <mach-o/loader.h>, <mach-o/fat.h> and, for signatures, osfmk/kern/cs_blobs.h of XNU.
package darwin
