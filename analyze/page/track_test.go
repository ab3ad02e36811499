package page

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// held returns the total time of each kind in a track's blocks, and the number of blocks that they stand for.
func held(t testing.TB, x *track) (time [kinds]analyze.Nanos, count int64) {
	t.Helper()
	for i, b := range x.blocks {
		if i > 0 && b.Begin < x.blocks[i-1].End {
			t.Fatalf("block %v begins before the end of %v", b, x.blocks[i-1])
		}
		if b.Length() < x.cell {
			t.Fatalf("block %v is shorter than a cell of %d", b, x.cell)
		}
		time[b.kind] += b.Length()
		count++
	}
	for i, at := range x.cells.at {
		if i > 0 && at <= x.cells.at[i-1] {
			t.Fatalf("cell %d follows %d", at, x.cells.at[i-1])
		}
		sum := analyze.Nanos(0)
		for k, times := range x.cells.time {
			if times != nil {
				time[k] += times[i]
				sum += times[i]
			}
		}
		if sum > x.cell {
			t.Fatalf("a cell of %d has %d", x.cell, sum)
		}
		count += x.cells.count[i]
	}
	return time, count
}

// TestTrackIsBounded: a track of any number of blocks keeps a limited number, in which no nanosecond of any kind is
// lost; long blocks are kept unchanged.
func TestTrackIsBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const most = 3000
	var x track
	at, long := analyze.Nanos(-50_000), 0
	for i := range 400_000 {
		length := analyze.Nanos(random.ExpFloat64() * 500)
		if i%4000 == 0 {
			length = 2_000_000
			long++
		}
		x.add(block{Interval: analyze.Interval{Begin: at, End: at + length}, kind: uint8(random.IntN(kinds))}, most)
		at += length + analyze.Nanos(random.ExpFloat64()*300)
		if x.size() > most {
			t.Fatalf("%d things are kept after %d blocks", x.size(), i)
		}
	}
	time, count := held(t, &x)
	if time != x.time || count != 400_000 || x.count != count {
		t.Errorf("of %d blocks and %v there are %d and %v", x.count, x.time, count, time)
	}
	for _, b := range x.blocks {
		if b.Length() == 2_000_000 {
			long--
		}
	}
	if long != 0 {
		t.Errorf("%d long blocks are not there", long)
	}
	for x.cell < 1<<40 { // and so in all levels
		x.coarsen()
		if time, count := held(t, &x); time != x.time || count != 400_000 {
			t.Fatalf("with cells of %d there are %d blocks and %v", x.cell, count, time)
		}
	}
}

// TestTracksTogether: two tracks over the same time are merged into one that has all of both.
func TestTracksTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var x, y track
	at := analyze.Nanos(0)
	for i := range 20_000 {
		to, most := &x, 900
		if i%3 == 0 {
			to, most = &y, 250
		}
		length := analyze.Nanos(random.ExpFloat64() * 1000)
		to.add(block{Interval: analyze.Interval{Begin: at, End: at + length}, kind: uint8(i % kinds)}, most)
		at += length
	}
	if x.cell == y.cell {
		t.Fatal("both have cells of one length")
	}
	x.with(&y)
	if time, count := held(t, &x); time != x.time || count != 20_000 {
		t.Errorf("together there are %d blocks and %v of %v", count, time, x.time)
	}
}

// FuzzFlat: for any reported calls of a thread, its activities over time follow one another, and take no more time than
// there was.
func FuzzFlat(f *testing.F) {
	f.Add([]byte{1, 5, 0, 2, 9, 3, 0, 30, 1})
	f.Add([]byte{0, 0, 0, 255, 255, 255, 1, 1, 1, 0, 255, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		var x flat
		var got []block
		end, first := analyze.Nanos(0), analyze.Nanos(0)
		take := func(b block) { got = append(got, b) }
		for ; len(data) >= 3; data = data[3:] {
			end += analyze.Nanos(data[0])
			begin := end - analyze.Nanos(data[1])
			first = min(first, begin)
			p := piece{block: block{Interval: analyze.Interval{Begin: begin, End: end}, kind: data[2] % kinds},
				yields: data[2]&64 != 0, hidden: data[2]&32 != 0}
			x.add(p, data[2]&128 != 0, take)
			if data[2] == 77 {
				x.flush(len(x.pending)/2, take)
			}
		}
		x.finish(take)
		at := first
		for _, b := range got {
			if b.Begin < at || b.End <= b.Begin || b.End > end {
				t.Fatalf("%v follows what ended at %d, before %d", b.Interval, at, end)
			}
			at = b.End
		}
	})
}

// TestSteps: the mean levels have the same area as the raised ones, in whatever order they came and however long bins
// became.
func TestSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var s steps
	area := 0.0
	for range 5000 {
		begin := analyze.Nanos(random.Int64N(1e9)) - 1000
		length := analyze.Nanos(random.Int64N(1e6))
		s.between(analyze.Interval{Begin: begin, End: begin + length})
		area += float64(length)
	}
	sum := 0.0
	for _, m := range s.means() {
		sum += m * float64(s.bin)
	}
	if len(s.bins) > mostBins || sum < 0.999*area || sum > 1.001*area {
		t.Errorf("%d bins have %g of %g", len(s.bins), sum, area)
	}
}

// TestHistogram: each duration is in the bin of its length.
func TestHistogram(t *testing.T) {
	for n := analyze.Nanos(1); n < 1e12; n = n*9/8 + 1 {
		var c counts
		c.add(n)
		h := c.histogram("")
		if len(h.Bins) != 1 || h.Bins[0].Count != 1 || float64(n) < h.Bins[0].FromNS-0.01 ||
			float64(n) > h.Bins[0].ToNS+0.01 {
			t.Errorf("%d is in %v", n, h.Bins)
		}
	}
	if h := (&counts{}).histogram("none"); h.Total != 0 || len(h.Bins) != 0 {
		t.Errorf("of nothing there is %v", h)
	}
}
