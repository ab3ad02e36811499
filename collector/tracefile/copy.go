package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Copy copies a trace from a stream, block by block: each is checked, and written whole as it comes. whole says that the trace
// came to its end; when the stream ends before, what was written is a trace that was cut. The error is of reading, of writing,
// or a *FormatError that begins with name.
func Copy(dst io.Writer, src io.Reader, name string) (n int64, whole bool, err error) {
	wrong := func(problem error, format string, args ...any) error {
		return &FormatError{name, problem, fmt.Sprintf(format, args...)}
	}
	write := func(b []byte) error {
		_, err := dst.Write(b)
		n += int64(len(b))
		return err
	}
	cut := func(err error) (int64, bool, error) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		return n, false, err
	}
	buffer := make([]byte, blockHeader, 1<<16)
	if _, err := io.ReadFull(src, buffer[:fileHeader]); err != nil {
		return cut(err)
	}
	if !bytes.Equal(buffer[:fileHeader], appendFileHeader(nil)) {
		if version := binary.LittleEndian.Uint32(buffer[8:]); bytes.HasPrefix(buffer, []byte(fileMagic)) && version > Version {
			return n, false, wrong(ErrVersion, "format version %d, this mtrace takes up to %d; use the same version on both ends", version, Version)
		}
		return n, false, wrong(ErrNotTrace, "it starts with %q", buffer[:fileHeader])
	}
	if err := write(buffer[:fileHeader]); err != nil {
		return n, false, err
	}
	for {
		if _, err := io.ReadFull(src, buffer[:blockHeader]); err != nil {
			return cut(err)
		}
		b, err := parseHeader(buffer, n)
		if err != nil {
			return n, false, wrong(ErrDamaged, "%v", err)
		}
		if b.kind == blockIndex && int64(b.stored) > n {
			return n, false, wrong(ErrDamaged, "an index of %d bytes behind %d", b.stored, n)
		}
		size := blockHeader + int(b.stored)
		if cap(buffer) < size {
			buffer = append(make([]byte, 0, size), buffer[:blockHeader]...)
		}
		buffer = buffer[:size]
		if _, err := io.ReadFull(src, buffer[blockHeader:]); err != nil {
			return cut(err)
		}
		if crc32.Checksum(buffer[blockHeader:], castagnoli) != b.payloadCRC {
			return n, false, wrong(ErrDamaged, "the block at byte %d has a wrong checksum", n)
		}
		if err := write(buffer); err != nil {
			return n, false, err
		}
		if b.kind == blockIndex {
			break
		}
	}
	if _, err := io.ReadFull(src, buffer[:trailer]); err != nil {
		return cut(err)
	}
	if index, ok := parseTrailer(buffer[:trailer]); !ok || index >= n {
		return n, false, wrong(ErrDamaged, "its end has a wrong checksum")
	}
	err = write(buffer[:trailer])
	return n, err == nil, err
}
