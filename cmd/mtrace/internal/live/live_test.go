package live

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// record is a record of the call that has a name, in nanoseconds.
func record(t *testing.T, family wire.Family, selector string, group wire.Group, begin, end wire.Ticks,
	object wire.ObjectID, arg uint64) wire.Record {
	t.Helper()
	return wire.Record{Call: call(t, family, selector, group), Begin: begin, End: end, Object: object, Arg: arg}
}

func call(t *testing.T, family wire.Family, selector string, group wire.Group) wire.Call {
	t.Helper()
	for _, row := range wire.Table {
		if row.Family == family && row.Selector == selector && row.Group == group {
			return row.Call
		}
	}
	t.Fatalf("no call %s", selector)
	return 0
}

// watched is a program with three threads: 1 waits for a command buffer of 2, 2 mostly waited for a lock that 1 had,
// and 3 does nothing.
func watched(t *testing.T) *Watcher {
	w := NewWatcher()
	w.Process(0, wire.Hello{PID: 7, Program: "/bin/train"})
	w.Clock(0, wire.ClockNanoseconds, 0, 0)
	name := wire.HashString("feeder")
	w.Facts(0, []wire.Fact{{Kind: wire.FactString, Key: uint64(name), Text: "feeder"}})
	for ring, thread := range []uint64{1, 2, 3} {
		w.Records(0, uint16(ring), []wire.Record{{Call: wire.CallThreadStart, Arg: thread, Flags: wire.HasMore}})
	}
	// records that belong to another record may come later
	w.Records(0, 0, []wire.Record{{Call: wire.CallMore, Begin: wire.Ticks(name)}})
	w.Records(0, 1, []wire.Record{
		record(t, wire.FamilyCommandBuffer, "commit", wire.GroupCommit, 1, 2, 50, 0),
		record(t, wire.FamilyMtl4Queue, "commit:count:", wire.GroupCommit, 2, 3, 51, 3),
		record(t, wire.FamilyLock, "pthread_mutex_lock", wire.GroupLock, 10, 10+700e6, 9, 1),
		record(t, wire.FamilySignal, "sem_wait", wire.GroupSignal, 10, 10+100e6, 0, 3),
	})
	w.Records(0, 2, []wire.Record{{Call: wire.CallCompleted, Object: 51, Flags: wire.HasMore},
		{Call: wire.CallMore, Begin: 0, End: 500e6}})
	w.Look(0, collector.Sight{At: 5e9, Lost: 4, Threads: []collector.Inside{
		{Ring: 0, Thread: 1, Begin: 3e9, Object: 50, Call: call(t, wire.FamilyCommandBuffer, "waitUntilCompleted",
			wire.GroupWait)},
		{Ring: 1, Thread: 2}, {Ring: 2, Thread: 3},
	}})
	w.since = w.began
	return w
}

// The counts are the counts in the records, and each waiting thread shows the thread it waits for.
func TestPicture(t *testing.T) {
	w := watched(t)
	p := w.Picture(w.began.Add(time.Second))
	if p.InFlight != 3 || p.Buffers != 1 || p.Busy != 0.5 || p.Lost != 4 || p.Calls != 2 ||
		fmt.Sprint(p.Programs) != "[train 7]" {
		t.Errorf("%+v", p)
	}
	got := map[uint64]string{}
	for _, x := range p.Threads {
		got[x.ID] = fmt.Sprintf("%s|%s|%s|%.0f|%.2f|%s|%s", x.Name, x.State, x.On, x.Commits, x.Waited, x.Call, x.For)
	}
	want := map[uint64]string{
		1: "feeder 1|waits: GPU|thread 2|0|0.00|waitUntilCompleted|2s",
		2: "thread 2|waits: lock|feeder 1|4|0.80||0s",
		3: "thread 3|no calls||0|0.00||0s",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if next := w.Picture(w.began.Add(2 * time.Second)); next.Buffers != 0 || next.InFlight != 3 || next.Lost != 4 {
		t.Errorf("the next: %+v", next)
	}
	w.End(0, tracefile.End{})
	if last := w.Picture(w.began.Add(3 * time.Second)); len(last.Threads) != 0 {
		t.Errorf("of a program that has ended: %+v", last)
	}
}

// A thread that polls for ever was shown as sleeping, and the program as one that makes progress.
func TestPictureOfPolling(t *testing.T) {
	w := watched(t)
	polls := func(last wire.Ticks) Picture {
		w.Look(0, collector.Sight{At: 5e9, Threads: []collector.Inside{{Ring: 2, Thread: 3,
			Blocked: wire.Blocked{Begin: 4.99e9, Call: call(t, wire.FamilySignal, "clock_nanosleep", wire.GroupSignal)},
			Polling: wire.Polling{Begin: 1e9, Last: last, Questions: 1000,
				Call: call(t, wire.FamilyCommandBuffer, "status", wire.GroupWait)}}}})
		w.since, w.progress = w.began, w.began
		return w.Picture(w.began.Add(5 * time.Second))
	}
	if p := polls(4.98e9); len(p.Threads) != 1 || p.Threads[0].State != AwaitsGPU || p.Threads[0].Call != "status" ||
		p.Threads[0].For != 4*time.Second || p.Quiet != 5*time.Second {
		t.Errorf("a thread that polls: %+v", p)
	}
	if p := polls(2e9); len(p.Threads) != 1 || p.Threads[0].Call != "clock_nanosleep" || p.Quiet != 0 {
		t.Errorf("a thread that has left its loop: %+v", p)
	}
}

// A screen is as wide and as high as the terminal, whatever its size, and shows the losses at any width.
func TestLayout(t *testing.T) {
	w := watched(t)
	p := w.Picture(w.began.Add(time.Second))
	p.Failed = errors.New("no space left on device")
	for i := range 100 {
		p.Threads = append(p.Threads, Thread{ID: uint64(i + 10), Name: strings.Repeat("工人", 20), State: Works})
	}
	for _, width := range []int{1, 20, 60, 80, 140} {
		for _, height := range []int{1, 2, 5, 24, 60} {
			for _, output := range [][]string{nil, {"epoch 1", "epoch 2"}} {
				lines := layout(p, view{output: output}, width, height)
				if len(lines) > height {
					t.Errorf("%d lines for a screen of %d", len(lines), height)
				}
				for _, l := range lines {
					if cells := uniseg.StringWidth(l.text); l.style == reverse && width >= 60 && cells > width {
						t.Errorf("at %d columns %d: %q", width, cells, l.text)
					}
				}
				if width < 60 || height < 24 {
					continue
				}
				text := fmt.Sprint(lines)
				for _, want := range []string{"train 7", "GPU busy 50%", "in flight 3", "lost 4", "4 RECORDS LOST",
					"THE TRACE IS CUT", "WAITS ON", "waits: GPU", "more", "q quit the table"} {
					if !strings.Contains(text, want) {
						t.Errorf("no %q at %dx%d in\n%s", want, width, height, text)
					}
				}
			}
		}
	}
}

// A program's output cannot steer the terminal on which it is shown.
func TestShown(t *testing.T) {
	for written, want := range map[string]string{"plain ": "plain", "\x1b[31mred\x1b[0m": "red",
		"\x1b]0;title\x07": "]0;title�", "a\x1b": "a", "\x1b[": "", "tab\there": "tab here"} {
		if got := shown(written); got != want {
			t.Errorf("%q is shown as %q, want %q", written, got, want)
		}
	}
}
