package tracefile

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// minCompress is the smallest payload, in bytes, that is worth compressing.
const minCompress = 64

// zstdEncoders pools encoders, each for one goroutine at a time. A single shared encoder would switch between
// internal states, and each block would find its state's tables outside of the processor's cache. The window is
// as large as a block of records. Single-segment frames contain their size, so a reader knows before it
// decompresses how much memory it needs.
var zstdEncoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // only wrong options cause an error
	}
	return e
}}

// zstdDecoder decompresses payloads; several goroutines may use it at once.
var zstdDecoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<30))

// compress returns the compressed payload, written to scratch, or the payload itself if compression saves less than a
// sixteenth.
func compress(payload, scratch []byte) ([]byte, encoding) {
	if len(payload) < minCompress {
		return payload, plain
	}
	e := zstdEncoders.Get().(*zstd.Encoder)
	out := e.EncodeAll(payload, scratch[:0])
	zstdEncoders.Put(e)
	if len(out) > len(payload)-len(payload)/16 {
		return payload, plain
	}
	return out, compressed
}

// compressColumns compresses only the columns of a block of records. The bits that follow the columns stay as they
// are, because compression does not make them smaller.
func compressColumns(p recordsPayload, scratch []byte) ([]byte, encoding) {
	if p.columns < minCompress {
		return p.bytes, plain
	}
	e := zstdEncoders.Get().(*zstd.Encoder)
	out := e.EncodeAll(p.bytes[:p.columns], append(scratch[:0], 0, 0, 0, 0))
	zstdEncoders.Put(e)
	binary.LittleEndian.PutUint32(out, uint32(len(out)-frameSize))
	if len(out) > p.columns-p.columns/16 {
		return p.bytes, plain
	}
	return append(out, p.bytes[p.columns:]...), partly
}

// frameSize is the size, in bytes, of the length field in front of the compressed part of a partly compressed
// payload.
const frameSize = 4

// A Packed is a payload held in memory, compressed if that makes it smaller.
type Packed struct {
	stored []byte
	as     encoding
	size   uint32
}

// Pack compresses a payload. The result may share the payload's memory, so the caller must not change it.
func Pack(payload []byte) Packed {
	stored, as := compress(payload, nil)
	return Packed{stored, as, uint32(len(payload))}
}

// Size returns how many bytes of memory the data takes, compressed or not.
func (p Packed) Size() int { return len(p.stored) }

// Unpack returns the payload.
func (p Packed) Unpack() ([]byte, error) { return decompress(p.stored, p.as, p.size, nil) }

var errPayload = errors.New("its payload cannot be decompressed")

// decompress returns the payload, which must have raw bytes, from its stored form. It may write to scratch.
func decompress(stored []byte, e encoding, raw uint32, scratch []byte) ([]byte, error) {
	if e == plain {
		return stored, nil
	}
	frame, rest := stored, []byte(nil)
	if e == partly {
		if len(stored) < frameSize || uint64(binary.LittleEndian.Uint32(stored)) > uint64(len(stored)-frameSize) {
			return nil, errPayload
		}
		end := frameSize + binary.LittleEndian.Uint32(stored)
		frame, rest = stored[frameSize:end], stored[end:]
	}
	var h zstd.Header
	if len(rest) > int(raw) || h.Decode(frame) != nil || !h.SingleSegment ||
		h.FrameContentSize != uint64(int(raw)-len(rest)) {
		return nil, errPayload
	}
	out, err := zstdDecoder.DecodeAll(frame, scratch[:0])
	if err != nil || len(out)+len(rest) != int(raw) {
		return nil, errPayload
	}
	return append(out, rest...), nil
}
