package tracefile

import (
	"bufio"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
)

// relay.Spool stores a trace in several files, and may later remove some of them to save space. The trace stays
// readable if only blocks of records are missing, so all other blocks of a removed file must be kept.

// WithoutRecords copies all blocks of a part of a trace to dst, except blocks of records: without the other
// blocks the remaining records could not be read. The part must begin at a block, or with the file's header.
func WithoutRecords(dst io.Writer, part io.Reader) error {
	return eachBlock(part, func(b *block, whole []byte) error {
		if b != nil && (b.kind == blockRecords || b.kind == blockSoFar) { // later blocks replace those of kind blockSoFar
			return nil
		}
		_, err := dst.Write(whole)
		return err
	})
}

// Assemble writes the remaining parts of a trace, in order, as one trace. note, if not empty, is added to the trace's
// Result. If the parts lack the end of the trace, so does the written trace: readers treat it as cut.
func Assemble(dst io.Writer, parts io.Reader, note string) error {
	w := &Writer{file: noClose{dst}}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var result *Result
	err := eachBlock(parts, func(b *block, whole []byte) error {
		switch {
		case b == nil:
			w.write(whole)
			return w.err
		case b.kind == blockIndex:
			return nil // the index of the original trace; a new one is written
		case b.kind != blockResult:
			w.commit(*b, whole)
			return w.err
		}
		payload, err := decompress(whole[blockHeader:], b.encoding, b.raw, nil)
		if err != nil {
			return err
		}
		var r Result
		if err := json.Unmarshal(payload, &r); err != nil {
			return err
		}
		result = &r
		return nil
	})
	if err != nil || result == nil {
		return err
	}
	result.addNote(note)
	return w.end(*result)
}

type noClose struct{ io.Writer }

func (noClose) Close() error { return nil }

// eachBlock calls fn with each block of a stream, and stops before the first incomplete or damaged block. For the
// file's header it calls fn once, with a nil block.
func eachBlock(src io.Reader, fn func(b *block, whole []byte) error) error {
	in := bufio.NewReaderSize(src, 1<<16)
	passed := false
	c := Copier{size: fileHeader, buffer: make([]byte, 1<<16)}
	for {
		if start, err := in.Peek(fileHeader); err == nil && fileVersion(start) > 0 {
			if !passed {
				if err := fn(nil, appendFileHeader(nil)); err != nil {
					return err
				}
			}
			passed = true
			in.Discard(fileHeader)
		}
		whole, err := c.block(in)
		var format *FormatError
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &format) {
			return nil
		}
		if err != nil {
			return err
		}
		b, _ := parseHeader(whole, c.size)
		if crc32.Checksum(whole[blockHeader:], castagnoli) != b.payloadCRC {
			return nil
		}
		c.size += int64(len(whole))
		if err := fn(&b, whole); err != nil {
			return err
		}
	}
}
