package memory

import (
	"testing"

	"mtrace/analyze"
)

func TestSummarize(t *testing.T) {
	th := &analyze.Thread{Process: &analyze.Process{ID: 1}}
	known := &analyze.Trace{Memory: analyze.Memory{Releases: 1, Allocations: []analyze.Allocation{
		{At: 10, Thread: th, Bytes: 100, Storage: "shared", Released: 20},
		{At: 15, Thread: th, Bytes: 50, Storage: "private"},
		{At: 30, Thread: th, Bytes: 80, Storage: "shared"},
		{At: 31, Thread: th, Bytes: 1000, Storage: "private", OnHeap: true}, // takes the heap's memory
	}}}
	u := Summarize(known)
	if u.Allocations != 4 || u.Bytes != 1230 || u.Peak != 150 || !u.PeakExact || u.ByStorage["shared"] != (Total{2, 180}) {
		t.Errorf("%+v", u)
	}
	if _, known := u.ReuseShare(); known {
		t.Error("reuse is known without addresses")
	}
	guessed := &analyze.Trace{Memory: analyze.Memory{Allocations: []analyze.Allocation{
		{At: 1, Thread: th, Bytes: 100, Address: 0x1000},
		{At: 2, Thread: th, Bytes: 200, Address: 0x1000}, // so the first was released
		{At: 3, Thread: th, Bytes: 50, Address: 0x2000},
		{At: 4, Thread: &analyze.Thread{Process: &analyze.Process{ID: 2}}, Bytes: 7, Address: 0x1000}, // another process's
	}}}
	u = Summarize(guessed)
	if s, known := u.ReuseShare(); !known || s != 0.25 || u.Peak != 257 || u.PeakExact {
		t.Errorf("%+v, reuse %v", u, s)
	}
}
