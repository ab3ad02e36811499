package tracefile

import (
	"encoding/binary"
	"math/bits"

	"mtrace/collector/wire"
)

// Times are stored as a size and as bits. A size is stored as its difference from the size of the number before, of the
// same column, in a code of few bits; the bits, without the highest, which is 1, go into the block's bits, one number
// after the other: a compressor could make nothing of them, and would lose time and spoil its model of the columns.
// docs/trace-file.md, "Numbers".
//
// A clock need not count by ones: the cycle counter of an AMD EPYC advances by 26 at a time. A multiple of such a step
// is stored as the number of steps.

// A size states what follows: how many bits a number has, its sign, and whether it is counted in steps.
type size = uint8

const (
	sizeWhole  size = 0   // + 2·bits of the steps, + 1 when there are fewer than none
	sizeBroken size = 130 // + bits of zigzag(v), which is no multiple of the step
	sizeSame   size = 195 // as the number before in its column: of x3 only
)

// lowBits is how many bits follow a size, lowMask has as many, and highBit is what they are without.
var lowBits, lowMask, highBit = func() (low [256]uint8, mask, high [256]uint64) {
	for n := range size(65) {
		for _, at := range []size{sizeWhole + 2*n, sizeWhole + 2*n + 1, sizeBroken + n} {
			if n > 0 {
				low[at], mask[at], high[at] = uint8(n-1), 1<<(n-1)-1, 1<<(n-1)
			}
		}
	}
	return low, mask, high
}()

// A code is how the difference of two sizes is written: some bits, the lowest first.
type code struct {
	bits uint16
	n    uint8
	size uint8 // the difference, modulo 256
}

const (
	codeBits   = 6  // of the longest, but for escape
	escape     = 15 // four bits, and then the size itself in eight
	escapeBits = 4
	escaped    = 64 // for n of what has no code, so that it fits nowhere
)

// codes holds the code of each difference; decoded is the code that given bits begin with.
var codes, decoded = func() (of [256]code, from [1 << codeBits]code) {
	for i := range of {
		of[i].n = escaped
	}
	for _, c := range []code{
		{0b0, 1, 0},
		{0b001, 3, 2}, {0b101, 3, 256 - 2},
		{0b0011, 4, 4}, {0b1011, 4, 256 - 4},
		{0b000111, 6, 6}, {0b010111, 6, 256 - 6}, {0b100111, 6, 8}, {0b110111, 6, 256 - 8},
	} {
		of[c.size] = c
		for i := range 1 << (codeBits - c.n) {
			from[i<<c.n|int(c.bits)] = c
		}
	}
	for i := range from {
		if i&escape == escape {
			from[i].n = escaped
		}
	}
	return of, from
}()

// A scale divides multiples of a step by the step, by multiplying with the inverse, modulo 2⁶⁴, of its odd part.
type scale struct {
	step, inverse, most uint64
	twos                int
}

func scaleOf(step uint64) scale {
	s := scale{step: step, most: ^uint64(0) / step, twos: bits.TrailingZeros64(step)}
	odd := step >> s.twos
	s.inverse = odd // right in three bits, and in twice as many with each of these
	for range 5 {
		s.inverse *= 2 - odd*s.inverse
	}
	return s
}

// ones is the scale of what does not go in steps.
var ones = scaleOf(1)

// size is the size of a number, and low its bits.
func (s *scale) size(v uint64) (at size, low uint64) {
	negative := uint64(int64(v) >> 63)
	q := bits.RotateLeft64(((v^negative)-negative)*s.inverse, -s.twos)
	at = sizeWhole + size(bits.Len64(q))<<1 | size(negative&1)
	if q > s.most { // no multiple
		q = zigzag(v)
		at = sizeBroken + size(bits.Len64(q))
	}
	return at, q ^ highBit[at]
}

const (
	stepGroup  = 8 // calls whose lengths have one divisor
	stepGroups = 8 // that are asked
)

// stepOf is the step of the clock that some records show: what divides the lengths of most groups of calls. It need not
// be right of all: a thread may continue on another processor, whose counter has stopped elsewhere between two steps.
func stepOf(records []wire.Record) uint64 {
	var found [stepGroups]uint64
	group, in := 0, 0
	for i := range records {
		r := &records[i]
		if r.Call == wire.CallMore || r.End == r.Begin {
			continue
		}
		found[group] = divisor(uint64(r.End-r.Begin), found[group])
		if in++; in == stepGroup {
			if group, in = group+1, 0; group == stepGroups {
				break
			}
		}
	}
	best, most := uint64(1), 0
	for _, step := range found[:group] {
		votes := 0
		for _, other := range found[:group] {
			if other == step {
				votes++
			}
		}
		if votes > most {
			best, most = step, votes
		}
	}
	return best
}

// divisor is the greatest common one.
func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A bitWriter gathers bits. As with a column, whoever puts something in has made room before.
type bitWriter struct {
	bytes []byte
	size  int    // whole bytes in use
	word  uint64 // what does not make a byte yet,
	bits  uint   // and how many bits that is
}

const (
	// longestRecord is what the six numbers of a record may take, in bytes, and eight that are always written.
	longestRecord = 6*10 + 8
	// bitsAtOnce is how many bits are put, or read, at once at most.
	bitsAtOnce = 56
)

// put appends the n lowest bits of v, which has no others.
func (w *bitWriter) put(v uint64, n uint) {
	if n > bitsAtOnce {
		w.putFew(v&(1<<32-1), 32)
		v, n = v>>32, n-32
	}
	w.putFew(v, n)
}

// putFew is put for bitsAtOnce at most.
func (w *bitWriter) putFew(v uint64, n uint) {
	word := w.word | v<<(w.bits&7)
	binary.LittleEndian.PutUint64(w.bytes[w.size:], word)
	n += w.bits
	w.size += int(n >> 3)
	w.word, w.bits = word>>(n&56), n&7
}

// all is what is in it, the last byte filled up with zeros.
func (w *bitWriter) all() []byte {
	if w.bits > 0 {
		w.bytes[w.size] = byte(w.word)
	}
	return w.bytes[:w.size+int(w.bits+7)/8]
}

// makeRoom makes room for some records.
func (w *bitWriter) makeRoom() {
	w.bytes = append(w.bytes[:w.size], make([]byte, w.size+roomAtOnce*longestRecord)...)
}

// putSize appends a size behind another of its column.
func (w *bitWriter) putSize(at, before size) {
	if c := codes[at-before]; c.n < escaped {
		w.put(uint64(c.bits), uint(c.n))
	} else {
		w.put(escape|uint64(at)<<escapeBits, escapeBits+8)
	}
}

// putNumber appends a number to a column, given the column's last size.
func (w *bitWriter) putNumber(last *size, v uint64, s *scale) {
	at, low := s.size(v)
	if c := codes[at-*last]; c.n+lowBits[at] <= bitsAtOnce {
		w.putFew(uint64(c.bits)|low<<(c.n&63), uint(c.n+lowBits[at]))
	} else {
		w.putSize(at, *last)
		w.put(low, uint(lowBits[at]))
	}
	*last = at
}

// putTimes appends two numbers to two columns; it is putNumber twice, and what is put is put at once where that can be.
func (w *bitWriter) putTimes(lasts *[columnCount]size, v0, v1 uint64, s *scale) {
	at0, low0 := s.size(v0)
	at1, low1 := s.size(v1)
	c0, c1 := codes[at0-lasts[columnGap]], codes[at1-lasts[columnLength]]
	n0, n1 := uint(c0.n+lowBits[at0]), uint(c1.n+lowBits[at1])
	if n0+n1 > bitsAtOnce {
		w.putSize(at0, lasts[columnGap])
		w.put(low0, uint(lowBits[at0]))
		w.putSize(at1, lasts[columnLength])
		w.put(low1, uint(lowBits[at1]))
	} else {
		w.putFew(uint64(c0.bits)|low0<<(c0.n&63)|(uint64(c1.bits)|low1<<(c1.n&63))<<(n0&63), n0+n1)
	}
	lasts[columnGap], lasts[columnLength] = at0, at1
}

// A bitReader reads bits. Bits beyond the end are 0, and over reports that.
type bitReader struct {
	bytes []byte // with eight more behind them
	at    uint   // in bits
}

// begin takes bits, which it copies.
func (r *bitReader) begin(b []byte) {
	r.bytes, r.at = append(append(r.bytes[:0], b...), 0, 0, 0, 0, 0, 0, 0, 0), 0
}

// next is the next n bits.
func (r *bitReader) next(n uint) uint64 {
	if n > bitsAtOnce {
		low := r.next(32)
		return low | r.next(n-32)<<32
	}
	v := r.peek() & (1<<n - 1)
	r.at += n
	return v
}

// peek is the next bits, bitsAtOnce at least.
func (r *bitReader) peek() uint64 {
	if at := r.at >> 3; at+8 <= uint(len(r.bytes)) {
		return binary.LittleEndian.Uint64(r.bytes[at:]) >> (r.at & 7)
	}
	return 0
}

// leftOver says whether bits were read beyond the end, or whole bytes not at all.
func (r *bitReader) leftOver() bool { return (r.at+7)>>3 != uint(len(r.bytes)-8) }

// size is the next size, behind another of its column.
func (r *bitReader) size(before size) size {
	if c := decoded[r.peek()&(1<<codeBits-1)]; c.n < escaped {
		r.at += uint(c.n)
		return before + c.size
	}
	return size(r.next(escapeBits+8) >> escapeBits)
}

// number is the next number of a column, given the column's last size. It goes in steps.
func (r *bitReader) number(last *size, step uint64) uint64 {
	at := r.size(*last)
	*last = at
	return ofSize(at, r.next(uint(lowBits[at])), step)
}

// ofSize is the number of a size and low bits.
func ofSize(at size, low, step uint64) uint64 {
	v := low | highBit[at]
	if at < sizeBroken {
		v *= step
		negative := -uint64(at & 1)
		return (v ^ negative) - negative
	}
	return unzigzag(v)
}

// times are the next numbers of two columns: number twice, of bits that are fetched once where that can be.
func (r *bitReader) times(lasts *[columnCount]size, step uint64) (v0, v1 uint64) {
	window := r.peek()
	c0 := decoded[window&(1<<codeBits-1)]
	at0 := lasts[columnGap] + c0.size
	n0 := uint(c0.n + lowBits[at0])
	c1 := decoded[window>>n0&(1<<codeBits-1)]
	at1 := lasts[columnLength] + c1.size
	n1 := uint(c1.n + lowBits[at1])
	if n0+n1 > bitsAtOnce {
		v0 = r.number(&lasts[columnGap], step)
		return v0, r.number(&lasts[columnLength], step)
	}
	r.at += n0 + n1
	lasts[columnGap], lasts[columnLength] = at0, at1
	low0, low1 := window>>c0.n, window>>(n0+uint(c1.n))
	return ofSize(at0, low0&lowMask[at0], step), ofSize(at1, low1&lowMask[at1], step)
}
