package tracefile

import (
	"encoding/binary"
	"math/bits"

	"mtrace/collector/wire"
)

// The times of records are stored as numbers in two parts. The first part is the number's size (count of bits, and
// sign), as a short code for the difference from the size of the column's previous number. The second part is the
// number's bits without the highest, which is always 1. Both go into a bit stream of the block, apart from the
// columns: such bits do not compress, and would make the columns compress worse. See docs/trace-file.md, "Numbers".
//
// A clock need not count by ones: the cycle counter of an AMD EPYC advances by 26 at a time. A multiple of such a
// step is stored as the number of steps, which has fewer bits.

// A size describes a stored number in one byte: its number of bits, its sign, and whether it counts steps of the clock
// or single ticks. It is one of the constants below, plus the terms in their comments.
type size = uint8

const (
	sizeWhole  size = 0   // v is a multiple of the step: + 2 × the bits of |v / step|, + 1 if v is negative
	sizeBroken size = 130 // v is no multiple of the step: + the bits of zigzag(v)
	sizeSame   size = 195 // equal to the previous number of its column; only for x3
)

// lowBits, lowMask and highBit are tables indexed by the size of a number. The highest bit of a number is always 1,
// so only the bits below it are stored after the size. lowBits is the number of these low bits, lowMask selects them,
// and highBit is the highest bit, which a reader adds again.
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

// A code is the bit pattern that stores the difference of two sizes; its lowest bit comes first.
type code struct {
	bits uint16
	n    uint8
	size uint8 // the difference, modulo 256
}

const (
	codeBits   = 6  // length of the longest code except the escape
	escape     = 15 // pattern for all differences without a code; the size itself follows in eight bits
	escapeBits = 4  // length of escape
	escaped    = 64 // value of n for sizes without a code, too large for any code
)

// codes is the table for writing: it maps the difference of two sizes to a bit pattern. decoded is the table for
// reading: its index is the next codeBits bits of the stream, and its element is the pattern with which they begin. In
// both tables n is `escaped` for a difference without a pattern of its own.
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

// A scale divides exact multiples of a clock's step by the step, without a slow division. It multiplies by the
// inverse (modulo 2⁶⁴) of the step's odd part, and shifts.
type scale struct {
	step, inverse, most uint64
	twos                int
}

func scaleOf(step uint64) scale {
	s := scale{step: step, most: ^uint64(0) / step, twos: bits.TrailingZeros64(step)}
	odd := step >> s.twos
	s.inverse = odd // correct in three bits; each iteration doubles the number of correct bits
	for range 5 {
		s.inverse *= 2 - odd*s.inverse
	}
	return s
}

// ones is the scale with step 1. It is for numbers that are not times of the process's clock, such as GPU times.
var ones = scaleOf(1)

// size returns the two parts in which v is stored: its size (sign and number of bits), and the bits below the highest,
// which follow the size. A multiple of the clock's step is first divided by the step.
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
	stepGroup  = 8 // number of calls in a group, of whose durations the common divisor is computed
	stepGroups = 8 // number of groups; the divisor that most groups have is the step
)

// stepOf estimates by how many ticks the clock advances at a time. It computes the greatest common divisor of the
// durations in several groups of calls, and takes the value that most groups have. A few durations need not be
// multiples of it: a thread may move to a processor whose counter is offset.
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

func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A bitWriter appends numbers of any number of bits to a buffer. The caller must reserve space with makeRoom before
// it puts bits.
type bitWriter struct {
	bytes []byte
	size  int    // whole bytes in use
	word  uint64 // bits that do not fill a byte yet
	bits  uint   // number of bits in word
}

const (
	// longestRecord is the maximum number of bytes that the six numbers of a record take, plus eight because putFew
	// always writes a whole word.
	longestRecord = 6*10 + 8
	// bitsAtOnce is the maximum number of bits that putFew writes or peek reads at once.
	bitsAtOnce = 56
)

// put appends the n lowest bits of v. The other bits of v must be zero, otherwise they would corrupt later numbers.
func (w *bitWriter) put(v uint64, n uint) {
	if n > bitsAtOnce {
		w.putFew(v&(1<<32-1), 32)
		v, n = v>>32, n-32
	}
	w.putFew(v, n)
}

// putFew appends the n lowest bits of v, where n is at most bitsAtOnce.
func (w *bitWriter) putFew(v uint64, n uint) {
	word := w.word | v<<(w.bits&7)
	binary.LittleEndian.PutUint64(w.bytes[w.size:], word)
	n += w.bits
	w.size += int(n >> 3)
	w.word, w.bits = word>>(n&56), n&7
}

// all returns the bytes written so far; the last one is filled up with zero bits.
func (w *bitWriter) all() []byte {
	if w.bits > 0 {
		w.bytes[w.size] = byte(w.word)
	}
	return w.bytes[:w.size+int(w.bits+7)/8]
}

// makeRoom reserves space for the numbers of roomAtOnce records.
func (w *bitWriter) makeRoom() {
	w.bytes = append(w.bytes[:w.size], make([]byte, w.size+roomAtOnce*longestRecord)...)
}

// putSize appends `at`, the size of a number (its count of bits and its sign), as the difference from `before`. before
// is the size of the previous number in the same column.
func (w *bitWriter) putSize(at, before size) {
	if c := codes[at-before]; c.n < escaped {
		w.put(uint64(c.bits), uint(c.n))
	} else {
		w.put(escape|uint64(at)<<escapeBits, escapeBits+8)
	}
}

// putNumber appends v to a column. last is the size of the column's previous number, which putNumber updates.
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

// putTimes appends one number to each of the two columns of times. It does the same as two calls of putNumber, but
// faster, because it writes all bits at once if they fit.
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

// A bitReader reads the bits that a bitWriter wrote. Beyond the end it returns zero bits; leftOver then reports
// damage.
type bitReader struct {
	bytes []byte // the bits to read, and eight zero bytes
	at    uint   // position of the next bit
}

// begin copies b and starts reading at its first bit. The eight zero bytes appended let peek always read a whole
// word.
func (r *bitReader) begin(b []byte) {
	r.bytes, r.at = append(append(r.bytes[:0], b...), 0, 0, 0, 0, 0, 0, 0, 0), 0
}

func (r *bitReader) next(n uint) uint64 {
	if n > bitsAtOnce {
		low := r.next(32)
		return low | r.next(n-32)<<32
	}
	v := r.peek() & (1<<n - 1)
	r.at += n
	return v
}

// peek returns at least the next bitsAtOnce bits without moving on.
func (r *bitReader) peek() uint64 {
	if at := r.at >> 3; at+8 <= uint(len(r.bytes)) {
		return binary.LittleEndian.Uint64(r.bytes[at:]) >> (r.at & 7)
	}
	return 0
}

// leftOver reports whether more bits were read than there are, or whole bytes were left: then the block is damaged.
func (r *bitReader) leftOver() bool { return (r.at+7)>>3 != uint(len(r.bytes)-8) }

// size reads the next size in a column. `before` is the size of the column's previous number.
func (r *bitReader) size(before size) size {
	if c := decoded[r.peek()&(1<<codeBits-1)]; c.n < escaped {
		r.at += uint(c.n)
		return before + c.size
	}
	return size(r.next(escapeBits+8) >> escapeBits)
}

// number reads the next number of a column. last is the size of the column's previous number, which number updates;
// step is how far the clock advances at a time.
func (r *bitReader) number(last *size, step uint64) uint64 {
	at := r.size(*last)
	*last = at
	return ofSize(at, r.next(uint(lowBits[at])), step)
}

// ofSize returns the number that has this size (number of bits and sign) and these low bits. If the size says that
// the number counts steps of the clock, ofSize multiplies it by step.
func ofSize(at size, low, step uint64) uint64 {
	v := low | highBit[at]
	if at < sizeBroken {
		v *= step
		negative := -uint64(at & 1)
		return (v ^ negative) - negative
	}
	return unzigzag(v)
}

// times reads the next number of columnGap and of columnLength. lasts has the sizes of the previous numbers, and is
// updated. Two calls of number would do the same, but slower: times fetches the bits only once if both numbers fit.
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
