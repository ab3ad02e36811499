package table

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/timeline"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// FuzzSlices: for any records in a trace, the slices write each call as often as a trace read as a whole, and no
// command buffer twice. The story: a call that ends before it begins, as from a processor whose clock is off, is placed
// at its end; its slice did not read it, because it began later. Another: a damaged record at a tick beyond 2^63 was
// after the end of every search, and so in no slice. And damaged times make a run of years: the range to read around
// the last slice was so large that the number wrapped below zero, and nothing was read.
func FuzzSlices(f *testing.F) {
	random := rand.New(rand.NewPCG(7, 8))
	for seed := range 11 {
		records := 60
		if seed >= 7 {
			records = 300
		}
		f.Add(tracesim.Draw(random, records, func(r *wire.Record) {
			switch {
			case seed == 8 && random.IntN(4) == 0:
				r.Begin, r.End = r.End+50_000, r.Begin
			case seed == 10 && random.IntN(50) == 0:
				r.Begin, r.End = 1<<62, 1<<62
			case seed == 10 && random.IntN(2) == 0:
				r.Begin, r.End = wire.Ticks(random.Uint64N(1<<57)), wire.Ticks(random.Uint64N(1<<45))
			case seed == 9 && random.IntN(100) == 0:
				r.Begin, r.End = r.Begin|1<<63, r.End|1<<63
			}
		}), uint16(random.Uint32N(1000)))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		bytesOf := tracesim.Drawn(data, cut).Bytes(t)
		open := func() *analyze.File {
			reader, err := tracefile.NewReader("fuzzed.mtrace", bytes.NewReader(bytesOf), int64(len(bytesOf)))
			if err != nil {
				t.Fatal(err)
			}
			return analyze.NewFile(reader, "fuzzed.mtrace")
		}
		calls := map[string]int{}
		count := func(by int) func(*analyze.VisitedCall) {
			return func(c *analyze.VisitedCall) {
				key := fmt.Sprint(c.Thread.ID, c.ID, c.Interval, c.Record.Object, c.Record.Arg, c.Unfinished)
				if calls[key] += by; calls[key] == 0 {
					delete(calls, key)
				}
			}
		}
		if _, err := open().Load(analyze.Options{Visit: count(1)}); err != nil {
			t.Fatal(err)
		}
		lines, picture := NewJSONLines(io.Discard), timeline.NewPerfetto(io.Discard)
		seen := map[uint32]bool{}
		once := count(-1)
		asked := analyze.Options{Visit: func(c *analyze.VisitedCall) { once(c); lines.Call(c); picture.Call(c) }}
		_, err := open().EachSlice(asked, 20, func(s *analyze.Slice, _, _ int) error {
			for _, b := range s.Buffers {
				if seen[b.ID] {
					t.Errorf("command buffer %d is in two slices", b.ID)
				}
				seen[b.ID] = true
			}
			if err := picture.Slice(s); err != nil {
				return err
			}
			return lines.Slice(s)
		})
		if err == nil {
			err = picture.Finish()
		}
		if err != nil {
			t.Fatal(err)
		}
		for key, n := range calls {
			t.Errorf("%d times less in slices: %s", n, key)
		}
	})
}
