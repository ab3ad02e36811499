// Package xctrace reads the output of Apple's `xctrace export`: tables of an Instruments recording, and its table of
// contents.
//
// The data flows one way: scanner (bytes to elements) → valueReader (elements to values, with ids and references
// resolved) → reader (rows, checked against the schema) → table (rows to Go structs, as in tables.go) → Sink. Recording
// is a Sink that keeps the rows of all inputs of one recording. Package summary interprets them, and package bundle
// extracts them from .trace bundles.
//
// docs/xctrace.md describes the format and its traps.
package xctrace
