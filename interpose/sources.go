package main

import "C"

import "embed"

// The C half is built floor by floor: core.c includes what is in core/, and so on, because cgo compiles only a
// package's own folder. Go would not see that a file in there has changed and would take the last build out of its
// cache, were they not embedded. Nothing uses them, so the linker leaves them out. The import of C is there because
// without cgo this package has no files.
//
//go:embed system/*.[ch] core/*.[ch] stacks/*.[ch] waits/*.[ch] hook/*.[ch] features/*.[ch] top/*.[ch]
var _ embed.FS
