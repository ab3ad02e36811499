package machine

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

const us = analyze.Nanos(1000)

// TestScattered: of two bursts that come at the same time, each has a processor of its own if there are two, unless
// they go to random ones.
func TestScattered(t *testing.T) {
	for _, scattered := range []float64{0, 1} {
		shared := 0
		p := newProcessors(2, scattered)
		for seq := range 1000 {
			at := analyze.Nanos(seq) * analyze.Nanos(1e9)
			for i := range 2 {
				p.begin(at, 100*us, 2*seq+i, 0)
			}
			if end := p.next; end > at+100*us {
				shared++
			}
			p.end()
			p.end()
		}
		if want := 500 * scattered; math.Abs(float64(shared)-want) > 100*scattered {
			t.Errorf("scattered %.0f: %d of 1000 pairs shared a processor, want %.0f", scattered, shared, want)
		}
	}
}

// TestSharing: two concurrent bursts on one processor take twice as long, and the second, which comes later, takes only
// its share.
func TestSharing(t *testing.T) {
	p := newProcessors(1, 0)
	p.begin(0, 100*us, 1, 0)
	p.begin(50*us, 50*us, 2, 0)
	var ends []analyze.Nanos
	for p.next != never {
		ends = append(ends, p.next)
		p.end()
	}
	if len(ends) != 2 || ends[0] != 150*us || ends[1] != 150*us {
		t.Errorf("they end at %v, want both at 150 µs", ends)
	}
}

// TestBankFirst: after each begin and end, the bank names the server whose task ends first (of equals the one with the
// lowest number) and each server's load, as a search of all servers finds them.
func TestBankFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	b := newBank(5)
	for i := range b.each {
		b.each[i].slope = 1
	}
	now, running := analyze.Nanos(0), 0
	for seq := range 20_000 {
		if b.next == never || running < 40 && random.IntN(2) == 0 {
			b.begin(random.IntN(5), now, analyze.Nanos(1+random.IntN(6)), seq, 0)
			running++
		} else {
			now = b.next
			b.end()
			running--
		}
		first, next := 0, never
		for i := range b.each {
			if at := b.each[i].next; at < next {
				first, next = i, at
			}
			if load := int(b.loads[i]); load != len(b.each[i].running) {
				t.Fatalf("step %d: server %d has %d tasks, the bank counts %d", seq, i, len(b.each[i].running), load)
			}
		}
		if b.next != next || next != never && b.first != first {
			t.Fatalf("step %d: first is server %d at %d, want %d at %d", seq, b.first, b.next, first, next)
		}
	}
}
