// Package xctrace reads what Apple's `xctrace export` writes: tables of an
// Instruments recording, and its table of contents.
//
// The data flows one way: scanner (bytes to elements) → valueReader (elements to
// values, ids and references resolved) → reader (rows, checked against the
// schema) → table (rows to Go structs, as in tables.go) → Sink.
// Recording is a Sink that keeps the rows of all inputs of one recording; package
// summary states what they mean, package bundle gets them out of .trace bundles.
//
// docs/xctrace.md describes the format and its traps.
package xctrace
