package main

import "C"

import "embed"

// The C half is compiled floor by floor: core.c includes the files of core/, and so on, because cgo compiles only a
// package's own folder. Go would not notice a change of those files and would use its cached build, if they were not
// embedded here. Nothing uses the embedded files, so the linker drops them. The import of C is needed because this
// package has no other files without cgo.
//
//go:embed system/*.[ch] core/*.[ch] stacks/*.[ch] waits/*.[ch] hook/*.[ch] features/*.[ch] top/*.[ch]
var _ embed.FS
