package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A Copier copies a trace that arrives over a network. It writes each block only after all of the block has arrived
// and was checked. If the stream ends early, the written file is a readable, cut trace, and the next stream continues
// after its last complete block.
type Copier struct {
	Dst  io.Writer
	Name string // the trace's name, with which errors begin

	size    int64 // number of bytes written
	indexed bool  // the index was written; the trailer follows
	whole   bool
	buffer  []byte
}

// Size returns the number of bytes written. The next stream must begin at this position of the trace.
func (c *Copier) Size() int64 { return c.size }

// Whole reports whether the trace was copied to its end.
func (c *Copier) Whole() bool { return c.whole }

// From copies blocks from src until src or the trace ends, and then returns nil. It returns a *FormatError for data
// that is no valid trace, or the error of reading or writing.
func (c *Copier) From(src io.Reader) error {
	if c.buffer == nil {
		c.buffer = make([]byte, 1<<16)
	}
	for !c.whole {
		part, err := c.next(src)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := c.Dst.Write(part); err != nil {
			return err
		}
		c.size += int64(len(part))
		c.whole = c.indexed && len(part) == trailer
		c.indexed = c.indexed || blockKind(part[4]) == blockIndex && len(part) > fileHeader
	}
	return nil
}

func (c *Copier) wrong(problem error, format string, args ...any) error {
	return &FormatError{c.Name, problem, fmt.Sprintf(format, args...)}
}

// next reads the next complete part of the trace: the file's header, a block or the trailer.
func (c *Copier) next(src io.Reader) ([]byte, error) {
	switch {
	case c.size == 0:
		return c.fileHeader(src)
	case c.indexed:
		return c.trailer(src)
	}
	return c.block(src)
}

func (c *Copier) fileHeader(src io.Reader) ([]byte, error) {
	h := c.buffer[:fileHeader]
	if _, err := io.ReadFull(src, h); err != nil {
		return nil, err
	}
	if version := fileVersion(h); version > 0 && version <= Version {
		return h, nil
	}
	if version := binary.LittleEndian.Uint32(h[8:]); bytes.HasPrefix(h, []byte(fileMagic)) && version > Version {
		return nil, c.wrong(ErrVersion, "it has format version %d, but this mtrace accepts up to %d; "+
			"use the same version on both ends", version, Version)
	}
	return nil, c.wrong(ErrNotTrace, "it starts with %q", h)
}

func (c *Copier) block(src io.Reader) ([]byte, error) {
	if _, err := io.ReadFull(src, c.buffer[:blockHeader]); err != nil {
		return nil, err
	}
	b, err := parseHeader(c.buffer, c.size)
	if err != nil {
		return nil, c.wrong(ErrDamaged, "%v", err)
	}
	if b.kind == blockIndex && int64(b.stored) > c.size {
		return nil, c.wrong(ErrDamaged, "its index has %d bytes, more than the %d bytes before it", b.stored, c.size)
	}
	size := blockHeader + int(b.stored)
	if len(c.buffer) < size {
		c.buffer = append(make([]byte, 0, size), c.buffer[:blockHeader]...)[:size]
	}
	whole := c.buffer[:size]
	if _, err := io.ReadFull(src, whole[blockHeader:]); err != nil {
		return nil, err
	}
	if crc32.Checksum(whole[blockHeader:], castagnoli) != b.payloadCRC {
		return nil, c.wrong(ErrDamaged, "the block at byte %d has a wrong checksum", c.size)
	}
	return whole, nil
}

func (c *Copier) trailer(src io.Reader) ([]byte, error) {
	t := c.buffer[:trailer]
	if _, err := io.ReadFull(src, t); err != nil {
		return nil, err
	}
	if index, ok := parseTrailer(t); !ok || index >= c.size {
		return nil, c.wrong(ErrDamaged, "its end has a wrong checksum")
	}
	return t, nil
}
