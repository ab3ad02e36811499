package main

import "C"

import "embed"

// Embeds the C files of the subfolders, only so that Go rebuilds the library when one of them changes. cgo compiles
// only the package's own folder, whose core.c includes the files of core/ and so on; without this variable Go would
// use its cached build after such a change. Nothing reads the variable, so the linker drops it. The import of C is
// needed because this package has no other files without cgo.
//
//go:embed system/*.[ch] core/*.[ch] stacks/*.[ch] waits/*.[ch] hook/*.[ch] features/*.[ch] top/*.[ch]
var _ embed.FS
