package tracefile

import (
	"bufio"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
)

// A trace that is kept in parts, of which some are gone, is still a trace as long as all blocks but those of records
// are there.

// WithoutRecords copies what of a part of a trace is needed for the records of other parts: all blocks that hold no
// records. The part begins where a block does, or with the file's header.
func WithoutRecords(dst io.Writer, part io.Reader) error {
	return eachBlock(part, func(b *block, whole []byte) error {
		if b != nil && (b.kind == blockRecords || b.kind == blockSoFar) { // of the latter, later ones follow
			return nil
		}
		_, err := dst.Write(whole)
		return err
	})
}

// Assemble makes a trace of the parts that are left of one, one behind the other. Note, when it is not empty, is added
// to the trace's result. A trace that was not ended stays without an end: it is cut.
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
			return nil // of the whole trace; a new one is written
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

// eachBlock calls fn with the blocks of a stream, up to the first that is not whole. The file's header is passed on
// with no block, once.
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
