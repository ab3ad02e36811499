package wire_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// newRegion creates a region in private memory. Most of its pages are never touched.
func newRegion(t *testing.T) (wiretest.Region, []byte) {
	file, err := wiretest.Memory()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	memory, err := wiretest.Map(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := wiretest.Format(memory, 77, wire.ClockMach, 125, 3, wire.ClockSample{Ticks: 24, Nanos: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return g, memory
}

func TestRegion(t *testing.T) {
	g, memory := newRegion(t)
	numer, denom := g.Timebase()
	if g.PID() != 77 || g.Clock() != wire.ClockMach || numer != 125 || denom != 3 || g.RingsUsed() != 0 {
		t.Errorf("%d %d %d/%d %d", g.PID(), g.Clock(), numer, denom, g.RingsUsed())
	}
	if s := g.FirstSample(); s != (wire.ClockSample{Ticks: 24, Nanos: 1000}) {
		t.Errorf("first sample %v", s)
	}
	if _, ok := g.LatestSample(); ok {
		t.Error("a latest sample that was never written")
	}
	g.Sample(wire.ClockSample{Ticks: 48, Nanos: 2000})
	if s, ok := g.LatestSample(); !ok || s.Nanos != 2000 {
		t.Errorf("latest sample %v %v", s, ok)
	}
	// A process that died while it wrote the sample leaves an odd sequence.
	binary.LittleEndian.PutUint64(memory[wire.RegionLatestSampleOffset:], 3)
	if _, ok := g.LatestSample(); ok {
		t.Error("half a sample was read")
	}
	g.Count(wire.RegionForksOffset, 3)
	if l := g.Losses(); l != (wire.Losses{Forks: 3}) {
		t.Errorf("losses %+v", l)
	}
	// A count of rings beyond all must not make anybody read beyond the memory.
	binary.LittleEndian.PutUint32(memory[wire.RegionRingsUsedOffset:], 1<<31)
	if n := g.RingsUsed(); n != wire.RingCount {
		t.Errorf("%d rings", n)
	}
	g.Ring(wire.RingCount - 1).Head()
}

func TestOpenRegionRefuses(t *testing.T) {
	_, memory := newRegion(t)
	if _, err := wire.OpenRegion(memory[:len(memory)-wire.PageSize]); err == nil {
		t.Error("a region that is too short was taken")
	}
	for want, c := range map[string]struct {
		offset int
		value  uint32
	}{
		"version 9":       {wire.RegionVersionOffset, 9},
		"unknown clock 4": {wire.RegionClockKindOffset, 4},
		"timebase 125/0":  {wire.RegionTimebaseOffset + 4, 0},
		"begins with":     {wire.RegionMagicOffset, 1},
	} {
		before := binary.LittleEndian.Uint32(memory[c.offset:])
		binary.LittleEndian.PutUint32(memory[c.offset:], c.value)
		if _, err := wire.OpenRegion(memory); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		binary.LittleEndian.PutUint32(memory[c.offset:], before)
	}
}

// Records and facts come out of a ring as they went in, again and again around its end, with the losses counted.
func TestRing(t *testing.T) {
	g, _ := newRegion(t)
	thread, ok := g.Thread(501, 10)
	if !ok || thread.Index != 0 || g.RingsUsed() != 1 || thread.State() != wire.RingLive || thread.Ring.Thread() != 501 {
		t.Fatalf("%+v %v", thread, ok)
	}
	thread.Enter(99, 7, 48)
	if begin, object, call := g.Ring(0).Current(); begin != 99 || object != 7 || call != 48 {
		t.Errorf("current %d %d %d", begin, object, call)
	}
	thread.Leave()
	if _, _, call := g.Ring(0).Current(); call != wire.CallNone {
		t.Errorf("current %d after the call", call)
	}
	next, sent, dropped := uint64(0), uint64(0), uint64(0)
	var records []wire.Record
	for round := range 5 {
		for range wire.RecordsPerRing/2 + round*9000 {
			if thread.Record(wire.Record{Begin: 1, End: 2, Arg: sent, Call: 48}) {
				sent++
			} else {
				dropped++
			}
		}
		var out bytes.Buffer
		n, _, err := wiretest.DrainRing(&out, 0, g.Ring(0))
		if err != nil {
			t.Fatal(err)
		}
		records = records[:0]
		for out.Len() > 0 {
			h, err := wire.ReadFrameHeader(&out)
			if err != nil || h.Position != sent+1-n+uint64(len(records)) {
				t.Fatalf("%+v %v", h, err)
			}
			if records, err = wire.DecodeRecords(records, out.Next(int(h.Length))); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range records {
			if r.Call == wire.CallThreadStart {
				continue
			}
			if r.Arg != next {
				t.Fatalf("record %d where %d belongs", r.Arg, next)
			}
			next++
		}
	}
	if next != sent || dropped == 0 || g.Ring(0).Dropped() != dropped || g.Ring(0).Head() != sent+1 ||
		g.Ring(0).Tail() != sent+1 {
		t.Errorf("sent %d, got %d, dropped %d; the ring says %d, %d, %d", sent, next, dropped, g.Ring(0).Dropped(),
			g.Ring(0).Head(), g.Ring(0).Tail())
	}
}

func TestFactsRing(t *testing.T) {
	g, _ := newRegion(t)
	thread, _ := g.Thread(501, 10)
	texts := func(i int) string { return strings.Repeat("x", i%3000) }
	sent, got, dropped := 0, 0, uint64(0)
	for range 30 {
		for range 10 {
			if thread.Fact(wire.Fact{Kind: wire.FactString, Key: uint64(sent), Text: texts(sent * 97)}) {
				sent++
			} else {
				dropped++
			}
		}
		from, to := thread.FactsTail(), thread.FactsHead()
		if to-from < wire.FactsPerRing/2 && got < 200 {
			continue
		}
		a, b := thread.FactBytes(from, to)
		facts, err := wire.DecodeFacts(append(append([]byte(nil), a...), b...))
		if err != nil {
			t.Fatal(err)
		}
		thread.SetFactsTail(to)
		for _, f := range facts {
			if f.Key != uint64(got) || f.Text != texts(got*97) {
				t.Fatalf("fact %d where %d belongs", f.Key, got)
			}
			got++
		}
	}
	if got == 0 || thread.FactsDropped() != dropped || thread.FactsHead() < wire.FactsPerRing {
		t.Errorf("%d facts of %d, %d dropped, the ring says %d; it did not wrap at %d", got, sent, dropped,
			thread.FactsDropped(), thread.FactsHead())
	}
}

// Exactly one side drains at a time, and a ring changes its owner only when it is empty.
func TestClaimAndReuse(t *testing.T) {
	g, _ := newRegion(t)
	r := g.Ring(0)
	first, _ := g.Thread(1, 0)
	if !r.TryClaim(wire.ClaimCollector) || r.TryClaim(wire.ClaimDrainer) || r.Claimed() != wire.ClaimCollector {
		t.Error("two sides have the claim")
	}
	if n, _, _ := wiretest.DrainRing(io.Discard, 0, r); n != 0 {
		t.Error("the drainer drained what it had no claim to")
	}
	r.Unclaim()
	first.Exit()
	if second, _ := g.Thread(2, 0); second.Index != 1 {
		t.Errorf("ring %d was given away with a record in it", second.Index)
	}
	if _, _, err := wiretest.DrainRing(io.Discard, 0, r); err != nil {
		t.Fatal(err)
	}
	third, _ := g.Thread(3, 0)
	if third.Index != 0 || r.Thread() != 3 || r.Head() != 2 {
		t.Errorf("ring %d, thread %d, head %d", third.Index, r.Thread(), r.Head())
	}
	for range wire.RingCount - 2 {
		if _, ok := g.Thread(9, 0); !ok {
			t.Fatal("rings ran out early")
		}
	}
	if _, ok := g.Thread(9, 0); ok || g.Losses().Unringed != 1 {
		t.Errorf("a ring too many, or not counted: %+v", g.Losses())
	}
}
