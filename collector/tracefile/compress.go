package tracefile

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// minCompress is the minimum size of a payload for which compression is tried, in bytes.
const minCompress = 64

// zstdEncoders are encoders for one goroutine each. A shared encoder has a state for each processor and uses them in
// turn: each block would use the least recently used tables, which no cache still contains. The window holds a whole
// block of records. A single segment includes its size, so a reader knows before it decompresses how much it will get.
var zstdEncoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // of options alone
	}
	return e
}}

// zstdDecoder may be used from several goroutines at once.
var zstdDecoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<30))

// compress returns the smaller of the payload and its compressed form, which it writes to scratch.
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

// compressColumns compresses a block of records, except for its bits, which are stored as they are.
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

// frameSize is the size of the field with the length of the frame, if only a part of a payload is compressed.
const frameSize = 4

// A Packed is a payload in memory, compressed where that makes it smaller.
type Packed struct {
	stored []byte
	as     encoding
	size   uint32
}

// Pack packs a payload. The result may refer to the payload's memory.
func Pack(payload []byte) Packed {
	stored, as := compress(payload, nil)
	return Packed{stored, as, uint32(len(payload))}
}

// Size returns how much memory it takes, in bytes.
func (p Packed) Size() int { return len(p.stored) }

// Unpack is the payload.
func (p Packed) Unpack() ([]byte, error) { return decompress(p.stored, p.as, p.size, nil) }

var errPayload = errors.New("its payload cannot be decompressed")

// decompress returns the payload of raw bytes from its stored form, using scratch.
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
